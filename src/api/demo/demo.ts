import { hkdfSync } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccountAdmin } from '../../billing/account-admin.ts';
import { apiKeyEntropyBytes, makeApiKey } from '../../billing/api-key.ts';
import type { DemoDataset, DemoAccount as SandboxAccount } from '../../platform/sandbox/demo-dataset.ts';
import { microsPerDollar } from '../../shared/model/money.ts';
import { base62 } from '../../shared/secrets/base62.ts';
import type { Store } from '../../store/port.ts';

export const demoAccountId = 'acc_demo';
/** The id of the demo key, which everyone can compute from the seed. */
export const demoKeyId = 'key_demo';
const demoCredit = 10 * microsPerDollar;

/** `connection` is the id of a connection of the demo account, which only keys of that account can use instead of the token. */
export type DemoAccount = SandboxAccount & { connection: string };

/** The addresses and credentials for a first call. They need not be secret, because they are derived from the seed of the sandbox. */
export interface Demo {
  /** The base URL of REST, including `/v1`. */
  baseUrl: string;
  graphqlUrl: string;
  sandboxUrl: string;
  apiKey: string;
  accounts: DemoAccount[];
  /** An app-only token of the sandbox. */
  appToken: string;
  listId: string;
  organization: string;
}

/** Values that are derived from the seed only are the same on every start and every machine. */
const derive = (seed: string, use: string, bytes: number) =>
  Buffer.from(hkdfSync('sha256', seed, '', `postern demo ${use}`, bytes));

/** Creates the demo account, its API key and its credit if they do not exist. Returns the key. */
export async function ensureDemoAccount(admin: AccountAdmin, store: Store, now: number, seed: string): Promise<string> {
  const key = makeApiKey(derive(seed, 'api key', apiKeyEntropyBytes));
  await store.accounts.create({ id: demoAccountId, name: 'Demo', createdAt: now });
  await admin.addKey(demoKeyId, demoAccountId, 'Demo key', key);
  await admin.credit(demoAccountId, demoCredit, 'Demo credit', 'pay_demo');
  return key.expose();
}

export function makeDemo(origin: string, sandboxUrl: string, apiKey: string, dataset: DemoDataset): Demo {
  return {
    baseUrl: `${origin}/v1`,
    graphqlUrl: `${origin}/graphql`,
    sandboxUrl,
    apiKey,
    accounts: dataset.accounts.map(({ name, profilePicture, ...account }) => ({
      ...account,
      connection: demoConnection(dataset, account),
    })),
    appToken: dataset.appToken,
    listId: dataset.listId,
    organization: dataset.organization,
  };
}

/** Returns the id of the connection of a demo account. */
export function demoConnection({ seed }: DemoDataset, { userName }: Pick<SandboxAccount, 'userName'>): string {
  return `conn_${base62(derive(seed, `connection ${userName}`, 32), 22)}`;
}

/** Writes `demo.json`, and `demo.env` for shells, into a folder. Returns the path of `demo.json`. */
export function writeDemoFiles(folder: string, demo: Demo): string {
  const path = join(folder, 'demo.json');
  replaceFile(path, `${JSON.stringify(demo, null, 2)}\n`);
  replaceFile(join(folder, 'demo.env'), shellVariables(demo));
  return path;
}

/** Returns the commands that set the variables of the `postern` commands, acting as the first demo account. */
function shellVariables({ baseUrl, graphqlUrl, sandboxUrl, apiKey, accounts: [actor] }: Demo): string {
  const variables = {
    POSTERN_URL: baseUrl,
    POSTERN_GRAPHQL_URL: graphqlUrl,
    POSTERN_SANDBOX_URL: sandboxUrl,
    POSTERN_API_KEY: apiKey,
    POSTERN_AUTH_TOKEN: actor?.connection ?? '',
    POSTERN_ENCRYPTION_CODE: actor?.encryptionCode ?? '',
  };
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return Object.entries(variables)
    .map(([name, value]) => `export ${name}=${quoted(value)}\n`)
    .join('');
}

/** Writes the file atomically. */
function replaceFile(path: string, content: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    rmSync(draft, { force: true });
    writeFileSync(draft, content, { mode: 0o600, flag: 'wx' });
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
