// Measures the cost of idle webhooks: many platform accounts without events, each with its own webhook and poller.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { Vault } from '../../src/shared/secrets/vault.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { WebhookVault } from '../../src/webhooks/shared/secrets.ts';
import { readArguments } from './frame.ts';
import { start, startSandbox, stopAll, temporaryFolder } from './processes.ts';

const webhooksOfAccount = 100;
const hourMs = 3_600_000;

const values = readArguments(
  `npm run bench -- idle [--accounts 1000] [--seconds 60] [--warm 75]

Measures the service with --accounts (at most 10,000) idle platform accounts on the embedded store. Each account has a valid webhook and its own poller,
and 100 of them belong to one API account. They are written into the store before the service starts, with a creation time one hour ago
and no event since. The measurement lasts --seconds and begins after --warm seconds, in which every poller sends its first requests. Idle
accounts are polled about once a minute, so shorter times show too few requests to the platform.`,
  {
    accounts: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '60' },
    warm: { type: 'string', default: '75' },
  },
);
const [seconds, warmSeconds] = [Number(values.seconds), Number(values.warm)];
const secret = 'a-secret-for-the-bench';
const receiver = await start('bench/webhook-receiver.ts', [secret], { NODE_ENV: 'production' });

const env = { NODE_ENV: 'production', SECRET_KEY: randomBytes(32).toString('base64') };
const count = Number(values.accounts);
const dataDir = temporaryFolder();
const sandbox = await startSandbox(env);
await writeWebhooks(await mint());
const startedAt = performance.now();
const postern = await start('postern.js', ['serve'], {
  ...env,
  DATA_DIR: dataDir,
  PORT: '0',
  PLATFORM_URL: sandbox.url,
  PLATFORM_KIND: 'sandbox',
  LOG_LEVEL: 'warn',
  ALLOW_LOCALHOST_WEBHOOKS: 'true',
});
while ((await figures()).pollers < count) await sleep(500);
const claimedAfter = (performance.now() - startedAt) / 1_000;
await sleep(warmSeconds * 1_000);
const before = await figures();
await sleep(seconds * 1_000);
const after = await figures();
const perSecond = (figure: 'cpuSeconds' | 'requests') =>
  ((after[figure] - before[figure]) / (after.at - before.at)) * 1_000;
process.stdout.write(
  `${count} accounts: CPU ${(perSecond('cpuSeconds') * 100).toFixed(1)} % of a core, ${(after.bytes / 1e6).toFixed(0)} MB resident, ` +
    `${perSecond('requests').toFixed(1)} requests/s to the platform; all run ${claimedAfter.toFixed(0)} s after the start\n`,
);
await stopAll();

async function mint(): Promise<{ authToken: string }[]> {
  const response = await fetch(`${sandbox.url}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ count, chatKeys: false }),
  });
  return ((await response.json()) as { accounts: { authToken: string }[] }).accounts;
}

/** Writes webhooks in the form that the service stores. Registering them with a handshake each would take minutes. */
async function writeWebhooks(accounts: { authToken: string }[]): Promise<void> {
  const keys = [new Secret(Buffer.from(env.SECRET_KEY, 'base64'))];
  const vault = new WebhookVault(new Vault(keys, systemRuntime), keys);
  const store = openSqliteStore({ path: join(dataDir, 'postern.sqlite'), runtime: systemRuntime, durable: false });
  const admin = new AccountAdmin(store, systemRuntime);
  const secrets = { secret, proven: true, previous: null, encryptionCode: null };
  const createdAt = Date.now() - hourMs;
  for (let first = 0; first < accounts.length; first += webhooksOfAccount) {
    const account = await admin.createAccount(`Idle ${first}`, 1_000_000);
    const some = accounts.slice(first, first + webhooksOfAccount);
    await Promise.all(
      some.map(({ authToken }, index) => {
        const credentials = { authToken, proxy: null };
        const [poller = ''] = vault.pollerIds(account, credentials);
        const id = `wh_idle${first + index}`;
        const webhook = {
          id,
          account,
          poller,
          createdAt,
          url: vault.sealUrl({ account, id }, `${receiver.url}/hook`),
          events: null,
          hasEncryptionCode: false,
          sealed: vault.seal({ account, id }, secrets),
          valid: true,
          keptSince: createdAt,
          revision: 0,
          lastValidatedAt: createdAt,
          failingSince: null,
          lastDeliveryAt: null,
          undeliveredSince: null,
          undeliveredError: null,
          pausedAt: null,
          lastError: null,
        };
        const sealed = vault.sealPoller(account, poller, credentials);
        return store.webhooks.create(webhook, { id: poller, account, sealed, createdAt }, webhooksOfAccount);
      }),
    );
  }
  await store.close();
}

async function figures() {
  const text = await (await fetch(`${postern.url}/metrics`)).text();
  const read = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const { requests } = (await (await fetch(`${sandbox.url}/control/stats`)).json()) as {
    requests: { activity?: number };
  };
  return {
    at: performance.now(),
    pollers: read('postern_pollers'),
    cpuSeconds: read('process_cpu_seconds_total'),
    bytes: read('process_resident_memory_bytes'),
    requests: requests.activity ?? 0,
  };
}
