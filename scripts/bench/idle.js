// Idle webhooks: many platform accounts without events, each with its own webhook and poller.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountAdmin } from '../../dist/billing/account-admin.js';
import { systemRuntime } from '../../dist/shared/runtime/runtime.js';
import { Secret } from '../../dist/shared/secrets/secret.js';
import { Vault } from '../../dist/shared/secrets/vault.js';
import { openSqliteStore } from '../../dist/store/sqlite/store.js';
import { WebhookVault } from '../../dist/webhooks/shared/secrets.js';
import { start, stop, temporaryFolder } from './processes.js';

const webhooksOfAccount = 100;
const hourMs = 3_600_000;
/** The maximum number of accounts that one request to the sandbox creates. */
const mintedAtOnce = 10_000;

/**
 * Runs a gateway with `count` idle accounts of the platform on the embedded store. Each has a valid webhook and its own poller, and 100 of
 * them belong to one API account. They are written into the store before the gateway starts, with a creation time one hour ago. The
 * measurement lasts `seconds` and begins `warmSeconds` after all pollers run. Returns the share of a core, the resident memory, the requests
 * to the platform per second, and the seconds until all pollers ran.
 */
export async function idle({ count, seconds, warmSeconds, receiver, secret }) {
  const env = { NODE_ENV: 'production', SECRET_KEY: randomBytes(32).toString('base64') };
  const dataDir = temporaryFolder();
  const sandbox = await start('postern.js', ['sandbox'], {
    ...env,
    DATA_DIR: temporaryFolder(),
    SANDBOX_PORT: '0',
    SANDBOX_ACTIVITY: '0',
  });
  await writeWebhooks({ accounts: await mint(sandbox, count), dataDir, secretKey: env.SECRET_KEY, receiver, secret });
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

async function mint(sandbox, count) {
  const minted = [];
  while (minted.length < count) {
    const response = await fetch(`${sandbox.url}/control/accounts`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ count: Math.min(mintedAtOnce, count - minted.length), chatKeys: false }),
    });
    const { accounts } = await response.json();
    minted.push(...accounts);
  }
  return minted;
}

/** Writes webhooks in the form that the service stores. Registering them with a handshake each would take minutes. */
async function writeWebhooks({ accounts, dataDir, secretKey, receiver, secret }) {
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
        const [poller] = vault.pollerIds(account, credentials);
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

async function figures(postern, sandbox) {
  const text = await (await fetch(`${postern.url}/metrics`)).text();
  const read = (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  const { requests } = await (await fetch(`${sandbox.url}/control/stats`)).json();
  return {
    at: performance.now(),
    pollers: read('postern_pollers'),
    cpuSeconds: read('process_cpu_seconds_total'),
    bytes: read('process_resident_memory_bytes'),
    requests: requests.activity ?? 0,
  };
}
