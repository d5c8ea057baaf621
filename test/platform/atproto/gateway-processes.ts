import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AccountAdmin } from '../../../src/billing/account-admin.ts';
import { openStore } from '../../../src/main/open-store.ts';
import { readConfig } from '../../../src/shared/config/config.ts';
import { parseDollars } from '../../../src/shared/model/money.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import type { AtprotoAddresses } from '../../support/atproto-network.ts';
import { Client } from '../../support/client.ts';
import { type PosternProcess, startPostern } from '../../support/process.ts';

export interface GatewayProcess extends PosternProcess {
  clientOf(authToken: string): Client;
}

/** Gateways in processes of their own, with one store: MongoDB if a URL is given, otherwise one SQLite file. */
export interface GatewayProcesses {
  start(): Promise<GatewayProcess>;
  stop(): Promise<void>;
}

export async function openGatewayProcesses(
  network: AtprotoAddresses,
  mongodbUrl: string | null,
): Promise<GatewayProcesses> {
  const dataDir = mkdtempSync(join(tmpdir(), 'postern-atproto-processes-'));
  const env = {
    SECRET_KEY: randomBytes(32).toString('base64'),
    DATA_DIR: dataDir,
    ...(mongodbUrl !== null && { MONGODB_URL: mongodbUrl }),
  };
  const store = await openStore(readConfig(env), systemRuntime);
  const admin = new AccountAdmin(store, systemRuntime);
  const { key } = await admin.createKey(await admin.createAccount('Test', parseDollars('100') ?? 0), 'Test key');
  const started: PosternProcess[] = [];
  return {
    async start() {
      const gateway = startPostern(['serve'], {
        ...env,
        PORT: '0',
        PLATFORM_KIND: 'atproto',
        PLATFORM_URL: network.pdsUrl,
        ATPROTO_PLC_URL: network.plcUrl,
        ALLOW_LOCALHOST_WEBHOOKS: '1',
        OUTBOUND_ALLOW: '127.0.0.0/8',
      });
      started.push(gateway);
      const [, origin] = await gateway.printed(/listening on (http:\/\/[\w.:]+)/);
      const baseUrl = `${origin}/v1`;
      return { ...gateway, clientOf: (authToken) => new Client({ baseUrl, key: key.expose(), authToken }) };
    },
    async stop() {
      for (const gateway of started) {
        if (gateway.child.exitCode === null && gateway.child.signalCode === null) await gateway.end('SIGKILL');
      }
      await store.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
