import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import type { Store } from '../../src/store/port.ts';
import { atEnd } from './at-end.ts';
import { type Demo, readDemo } from './demo.ts';
import { type PosternProcess, startPostern } from './process.ts';
import { storeParent } from './temporary-folder.ts';

export interface Gateway {
  readonly process: PosternProcess;
  readonly demo: Demo;
}

/** One sandbox and several gateways, each in its own process, with one store. */
export interface Fleet {
  readonly store: Store;
  readonly admin: AccountAdmin;
  readonly sandboxUrl: string;
  /** The environment with which commands use the store. */
  readonly settings: Readonly<Record<string, string>>;
  /** Creates an account with this credit and a key. */
  newKey(micros: number): Promise<{ account: string; key: string }>;
  /** Starts another gateway, of another version of Postern if `program` is its file. */
  start(env?: Record<string, string>, program?: string): Promise<Gateway>;
  stop(): Promise<void>;
}

/** Starts a fleet, which ends with the test: with MongoDB if a URL is given, otherwise with the embedded store and one DATA_DIR. */
export async function startFleet(mongodbUrl: string | null): Promise<Fleet> {
  const directory = mkdtempSync(join(storeParent, 'postern-fleet-'));
  const shared = {
    SECRET_KEY: randomBytes(32).toString('base64'),
    ...(mongodbUrl === null ? {} : { MONGODB_URL: mongodbUrl }),
  };
  const sandbox = startPostern(['sandbox'], { DATA_DIR: join(directory, 'platform'), SANDBOX_PORT: '0' });
  const sandboxUrl = (await sandbox.printed(/http:\/\/127\.0\.0\.1:\d+/))[0];
  const started: PosternProcess[] = [];
  const dataDir = join(directory, 'shared');
  const store = await openStore(readConfig({ ...shared, DATA_DIR: dataDir }), systemRuntime);
  const admin = new AccountAdmin(store, systemRuntime);
  const fleet: Fleet = {
    store,
    admin,
    async newKey(micros) {
      const account = await admin.createAccount('Test', micros);
      return { account, key: (await admin.createKey(account, 'Key')).key.expose() };
    },
    sandboxUrl,
    settings: { ...shared, DATA_DIR: dataDir },
    async start(env = {}, program) {
      const own = mongodbUrl === null ? dataDir : join(directory, `gateway-${started.length}`);
      const DATA_DIR = env['DATA_DIR'] ?? own;
      const settings = { PORT: '0', PLATFORM_URL: sandboxUrl, PLATFORM_KIND: 'sandbox', ...env };
      const process = await restartUntilReached(() => {
        const each = startPostern(['serve'], { ...shared, DATA_DIR, ...settings }, program);
        started.push(each);
        return each;
      });
      return { process, demo: readDemo(DATA_DIR) };
    },
    async stop() {
      for (const process of started) if (process.child.exitCode === null) await process.end('SIGKILL');
      await store.close();
      await sandbox.end('SIGTERM');
      rmSync(directory, { recursive: true, force: true });
    },
  };
  atEnd(fleet.stop);
  return fleet;
}

/** Starts a gateway again, as a service manager does, while the database is too busy to respond within the time limit of the start. */
async function restartUntilReached(start: () => PosternProcess): Promise<PosternProcess> {
  for (let attempt = 1; ; attempt++) {
    const process = start();
    try {
      await process.printed(/listening on/);
      return process;
    } catch (error) {
      if (attempt === 10 || !process.log().includes('MongoDB')) throw error;
    }
  }
}
