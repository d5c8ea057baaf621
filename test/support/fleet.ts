import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Demo } from '../../src/api/demo/demo.ts';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { type PosternProcess, startPostern } from './process.ts';

export interface Gateway {
  readonly process: PosternProcess;
  readonly demo: Demo;
}

/** One sandbox and any number of gateways before it, each a process of its own, on one store. */
export interface Fleet {
  readonly store: Store;
  readonly admin: AccountAdmin;
  readonly sandboxUrl: string;
  /** Starts one more. */
  start(env?: Record<string, string>): Promise<Gateway>;
  stop(): Promise<void>;
}

/** On MongoDB where a URL is given; else on the embedded store, all gateways in one DATA_DIR. */
export async function startFleet(mongodbUrl: string | null): Promise<Fleet> {
  const directory = mkdtempSync(join(tmpdir(), 'postern-fleet-'));
  const shared = {
    SECRET_KEY: randomBytes(32).toString('base64'),
    ...(mongodbUrl === null ? {} : { MONGODB_URL: mongodbUrl }),
  };
  const sandbox = startPostern(['sandbox'], { DATA_DIR: join(directory, 'platform'), SANDBOX_PORT: '0' });
  const sandboxUrl = (await sandbox.printed(/http:\/\/127\.0\.0\.1:\d+/))[0];
  const started: PosternProcess[] = [];
  const dataDir = join(directory, 'shared');
  const store = await openStore(readConfig({ ...shared, DATA_DIR: dataDir }), systemRuntime);
  return {
    store,
    admin: new AccountAdmin(store, systemRuntime),
    sandboxUrl,
    async start(env = {}) {
      const DATA_DIR = mongodbUrl === null ? dataDir : join(directory, `gateway-${started.length}`);
      const process = startPostern(['serve'], {
        ...{ ...shared, DATA_DIR, PORT: '0', PLATFORM_URL: sandboxUrl, PLATFORM_KIND: 'sandbox' },
        ...env,
      });
      started.push(process);
      await process.printed(/listening on/);
      return { process, demo: JSON.parse(readFileSync(join(DATA_DIR, 'demo.json'), 'utf8')) as Demo };
    },
    async stop() {
      for (const process of started) if (process.child.exitCode === null) await process.end('SIGKILL');
      await store.close();
      await sandbox.end('SIGTERM');
      rmSync(directory, { recursive: true });
    },
  };
}
