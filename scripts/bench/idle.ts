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
import { type Started, start, startSandbox, stop, stopAll, temporaryFolder } from './processes.ts';

const webhooksOfAccount = 100;
const hourMs = 3_600_000;
/** The maximum number of accounts that one request to the sandbox creates. */
const mintedAtOnce = 10_000;

const values = readArguments(
  `npm run bench -- idle [--accounts 1000,10000] [--seconds 60] [--warm 75]

Measures the service with --accounts idle platform accounts on the embedded store. Each account has a valid webhook and its own poller,
and 100 of them belong to one API account. They are written into the store before the service starts, with a creation time one hour ago
and no event since. The measurement lasts --seconds and begins after --warm seconds, in which every poller sends its first requests. Idle
accounts are polled about once a minute, so shorter times show too few requests to the platform.`,
  {
    accounts: { type: 'string', default: '1000,10000' },
    seconds: { type: 'string', default: '60' },
    warm: { type: 'string', default: '75' },
  },
);
const [seconds, warmSeconds] = [Number(values.seconds), Number(values.warm)];
const secret = 'a-secret-for-the-bench';
const receiver = await start('bench/webhook-receiver.ts', [secret], { NODE_ENV: 'production' });

const results = [];
for (const count of values.accounts.split(',').map(Number)) {
  const result = await idle(count);
  results.push(result);
  process.stdout.write(
    `${String(count).padStart(6)} accounts: CPU ${result.cpu.toFixed(1)} % of a core, ${result.megabytes.toFixed(0)} MB resident, ` +
      `${result.requests.toFixed(1)} requests/s to the platform; all run ${result.claimedAfter.toFixed(0)} s after the start\n`,
  );
}
const [least, most] = [results[0], results.at(-1)];
if (least && most && most !== least) {
  const times = (figure: 'cpu' | 'megabytes' | 'requests') => `${(most[figure] / least[figure]).toFixed(1)}-fold`;
  process.stdout.write(
    `${most.count / least.count} times the accounts: CPU ${times('cpu')}, memory ${times('megabytes')}, requests ${times('requests')}\n`,
  );
}
await stopAll();

/** Measures a gateway with `count` idle accounts. `claimedAfter` is the time in seconds until all pollers ran. */
async function idle(count: number) {
  const env = { NODE_ENV: 'production', SECRET_KEY: randomBytes(32).toString('base64') };
  const dataDir = temporaryFolder();
  const sandbox = await startSandbox(env);
  await writeWebhooks({ accounts: await mint(sandbox, count), dataDir, secretKey: env.SECRET_KEY });
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
  while ((await figures(postern, sandbox)).pollers < count) await sleep(500);
  const claimedAfter = (performance.now() - startedAt) / 1_000;
  await sleep(warmSeconds * 1_000);
  const before = await figures(postern, sandbox);
  await sleep(seconds * 1_000);
  const after = await figures(postern, sandbox);
  await stop(postern);
  await stop(sandbox);
  const elapsed = (after.at - before.at) / 1_000;
  return {
    count,
    claimedAfter,
    cpu: ((after.cpuSeconds - before.cpuSeconds) / elapsed) * 100,
    megabytes: after.bytes / 1_000_000,
    requests: (after.requests - before.requests) / elapsed,
  };
}

async function mint(sandbox: Started, count: number): Promise<{ authToken: string }[]> {
  const minted: { authToken: string }[] = [];
  while (minted.length < count) {
    const response = await fetch(`${sandbox.url}/control/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ count: Math.min(mintedAtOnce, count - minted.length), chatKeys: false }),
    });
    const { accounts } = (await response.json()) as { accounts: { authToken: string }[] };
    minted.push(...accounts);
  }
  return minted;
}

/** Writes webhooks in the form that the service stores. Registering them with a handshake each would take minutes. */
async function writeWebhooks(options: {
  accounts: { authToken: string }[];
  dataDir: string;
  secretKey: string;
}): Promise<void> {
  const { accounts, dataDir, secretKey } = options;
  const keys = [new Secret(Buffer.from(secretKey, 'base64'))];
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

async function figures(postern: Started, sandbox: Started) {
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
