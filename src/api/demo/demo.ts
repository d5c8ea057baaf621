import { hkdfSync } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountAdmin } from '../../billing/account-admin.ts';
import { apiKeyEntropyBytes, makeApiKey } from '../../billing/api-key.ts';
import type { DemoAccount, DemoDataset } from '../../platform/sandbox/demo-dataset.ts';
import { microsPerDollar } from '../../shared/model/money.ts';
import type { Store } from '../../store/port.ts';

const demoAccountId = 'acc_demo';
const demoCredit = 10 * microsPerDollar;

/** The data for a first call. It is not secret, because it derives from the seed of the sandbox. */
export interface Demo {
  /** The base address, including `/v1`. */
  baseUrl: string;
  graphqlUrl: string;
  sandboxUrl: string;
  apiKey: string;
  accounts: DemoAccount[];
  listId: string;
  organization: string;
}

/** Returns the demo key. It derives from the seed only, so it is the same on every start and machine. */
function demoKey(seed: string) {
  return makeApiKey(Buffer.from(hkdfSync('sha256', seed, '', 'postern demo api key', apiKeyEntropyBytes)));
}

/** Creates the demo account, its key and its credit if they do not exist. Returns the key. */
export async function ensureDemoAccount(admin: AccountAdmin, store: Store, now: number, seed: string): Promise<string> {
  const key = demoKey(seed);
  await store.accounts.create({ id: demoAccountId, name: 'Demo', createdAt: now });
  await admin.addKey('key_demo', demoAccountId, 'Demo key', key);
  await admin.credit(demoAccountId, demoCredit, 'Demo credit', 'pay_demo');
  return key.expose();
}

export function makeDemo(origin: string, sandboxUrl: string, apiKey: string, dataset: DemoDataset): Demo {
  return {
    baseUrl: `${origin}/v1`,
    graphqlUrl: `${origin}/graphql`,
    sandboxUrl,
    apiKey,
    accounts: dataset.accounts,
    listId: dataset.listId,
    organization: dataset.organization,
  };
}

/** Writes `demo.json` into DATA_DIR atomically. Returns its path. */
export function writeDemoFile(dataDir: string, demo: Demo): string {
  const path = join(dataDir, 'demo.json');
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  return path;
}
