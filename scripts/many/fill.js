// Fills a store with accounts, API keys, webhooks, events and charged calls. All rows are written by the code of the service, through the
// port of the store, so they have exactly the shapes that calls and events leave.
import { createHash } from 'node:crypto';
import { AccountAdmin } from '../../dist/billing/account-admin.js';
import { CallRecorder } from '../../dist/billing/call-recorder.js';
import { Ledger } from '../../dist/billing/ledger.js';
import { eventTypes } from '../../dist/shared/model/event.js';
import { systemRuntime } from '../../dist/shared/runtime/runtime.js';
import { auditEntryOf } from '../../dist/store/port.js';
import { eventBody } from '../../dist/webhooks/shared/event-body.js';

/** The number of API keys and of webhooks of an account. The events of an account belong to one poller. */
export const perAccount = 10;
/** The number of events and of charged calls for each API key. */
export const perKey = 10;
/** The number of events in one append, as after a full page of the platform. */
const eventsAtOnce = 100;
/** The number of events of an account that `fill` returns. */
const keptEvents = 10;
const price = 1_000;
const credit = 1_000_000_000;
/** Types with a body that needs no keys. Each webhook of an account lists one type, and the first webhooks receive all events. */
const types = eventTypes.filter((type) => !type.startsWith('message.'));
const listed = [...types, ...eventTypes.filter((type) => type.startsWith('message.'))];
const reads = ['tweet/advanced_search', 'user/info', 'user/followers', 'tweet/detail'];
const writes = ['tweet/create', 'tweet/favorite'];

/**
 * Adds `count` accounts with their API keys, webhooks, events and charged calls. Their pollers are stopped, as after the platform has refused
 * a token, so that they cost nothing while calls are measured. Returns the new accounts.
 */
export async function fill({ store, atOnce, vault, webhookVault, receiver, random }, count, say) {
  const total = count * perAccount;
  const accounts = await timed(say, `${count} accounts with ${total} keys`, () => addAccounts(store, atOnce, count));
  await timed(say, `${total} webhooks`, () => addWebhooks(store, atOnce, { accounts, webhookVault, receiver }));
  await timed(say, `${total * perKey} events`, () => addEvents(store, atOnce, { accounts, webhookVault }));
  await timed(say, `${total * perKey} charged calls`, () => addCalls(store, atOnce, { accounts, vault, random }));
  return accounts;
}

async function timed(say, what, work) {
  const startedAt = performance.now();
  const result = await work();
  say(`  wrote ${what} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  return result;
}

function addAccounts(store, atOnce, count) {
  const admin = new AccountAdmin(store, systemRuntime);
  return inParallel(Array.from({ length: count }), atOnce, async () => {
    const id = await admin.createAccount('One of many', credit);
    const keys = [];
    for (let number = 1; number <= perAccount; number++) keys.push(await admin.createKey(id, `Key ${number}`));
    return { id, poller: '', keys: keys.map(({ id, key }) => ({ id, key: key.expose() })), webhooks: [], events: [] };
  });
}

async function addWebhooks(store, atOnce, { accounts, webhookVault, receiver }) {
  await inParallel(accounts, atOnce, async (account) => {
    const { id: owner } = account;
    const credentials = { authToken: systemRuntime.randomBytes(20).toString('hex'), proxy: null };
    const [id] = webhookVault.pollerIds(owner, credentials);
    const createdAt = store.now();
    const poller = {
      id,
      account: owner,
      createdAt,
      cursor: 'start',
      sealed: webhookVault.sealPoller(owner, id, credentials),
    };
    account.poller = id;
    for (const type of listed.slice(0, perAccount)) {
      const webhook = webhookOf({ owner, poller: id, createdAt, type }, webhookVault, receiver);
      const audit = auditEntryOf(systemRuntime, {
        account: owner,
        action: 'webhook.created',
        by: { type: 'key', id: account.keys[0].id, name: 'Key 1' },
        subject: { type: 'webhook', id: webhook.id, name: new URL(receiver.url).host },
        details: { events: type },
      });
      if ((await store.webhooks.create(webhook, poller, perAccount, audit)) !== 'created')
        throw new Error('too many webhooks');
      account.webhooks.push(webhook.id);
    }
  });
}

function webhookOf({ owner, poller, createdAt, type }, vault, { url, secret }) {
  const id = `wh_${systemRuntime.randomBytes(12).toString('base64url')}`;
  const secrets = { secret, proven: true, previous: null, encryptionCode: null };
  return {
    id,
    account: owner,
    poller,
    createdAt,
    url: vault.sealUrl({ account: owner, id }, `${url}/hook`),
    events: [type],
    hasEncryptionCode: false,
    sealed: vault.seal({ account: owner, id }, secrets),
    valid: true,
    keptSince: createdAt,
    revision: 0,
    lastValidatedAt: systemRuntime.now(),
    failingSince: null,
    lastDeliveryAt: null,
    undeliveredSince: null,
    undeliveredError: null,
    pausedAt: null,
    lastError: null,
  };
}

/** Appends the events of each poller, stores the delivery of each, and stops the poller. */
async function addEvents(store, atOnce, { accounts, webhookVault }) {
  const process = systemRuntime.randomBytes(12).toString('base64url');
  await store.pollers.beat(process);
  const ofPoller = new Map(accounts.map((account) => [account.poller, account]));
  const claimed = [];
  for (let more; more?.length !== 0; claimed.push(...more)) more = await store.pollers.claim(process, 500);
  const own = claimed.filter(({ id }) => ofPoller.has(id));
  await inParallel(own, atOnce, async (poller) => {
    const account = ofPoller.get(poller.id);
    for (let first = 0; first < perAccount * perKey; first += eventsAtOnce) {
      const made = Array.from({ length: Math.min(eventsAtOnce, perAccount * perKey - first) }, (_, index) =>
        eventOf(account, first + index, webhookVault),
      );
      const deliveries = made.map(({ id, webhook }) => ({ event: id, webhook }));
      const events = made.map(({ id, type, sealed }) => ({ id, type, sealed }));
      await store.events.append({ poller, cursor: poller.cursor, events, deliveries });
      const results = deliveries.map((delivery) => delivered(account.id, delivery, store.now(), webhookVault));
      await store.deliveries.finish(poller, results);
      account.events = made.slice(-keptEvents).map(({ id, webhook }) => ({ id, webhook }));
    }
    await store.pollers.stop(poller, 'The platform refused the token');
  });
  await store.pollers.release(claimed);
  await store.pollers.leave(process);
}

function eventOf(account, number, vault) {
  const type = types[number % types.length];
  const platformId = systemRuntime.randomBytes(8).readBigUInt64LE().toString();
  const id = vault.eventId(account.id, platformId, type);
  const createdAt = new Date().toISOString();
  const actor = { id: '1234567890123456789', userName: `reader_${number}`, name: `Reader ${number}` };
  const tweet = {
    id: platformId,
    text: `@owner a tweet with number ${number} about the night train`,
    inReplyToId: '1',
    quotedTweetId: '2',
  };
  const body = eventBody(id, { id: platformId, type, createdAt, actor, tweet });
  return { id, type, webhook: account.webhooks[number % types.length], sealed: vault.sealBody(account.id, id, body) };
}

function delivered(account, { event, webhook }, at, vault) {
  const signatures = { platform: `sha256=${'a'.repeat(44)}`, standard: `v1,${'b'.repeat(44)}` };
  return {
    event,
    webhook,
    state: 'delivered',
    attempts: 1,
    nextAt: null,
    last: { at, durationMs: 4, responseCode: 200, error: null },
    exchange: vault.sealExchange(account, event, webhook, { signatures, response: '{}' }),
  };
}

/** Charges calls like the service: reads after they ran, writes with a reservation, and half of the writes with an Idempotency-Key. */
async function addCalls(store, atOnce, { accounts, vault, random }) {
  const ledger = new Ledger({ store: store.ledger, runtime: systemRuntime, storeNow: () => store.now() });
  const recorder = new CallRecorder({ store: store.statistics, storeNow: () => store.now() });
  const calls = accounts.length * perAccount * perKey;
  const total = Array.from({ length: calls }, (_, number) => number);
  await inParallel(total, atOnce, async (number) => {
    const { id: account } = accounts[number % accounts.length];
    const isRead = random() < 0.6;
    const action = pick(isRead ? reads : writes, random);
    const charges = [{ action, micros: price }];
    if (isRead) {
      await ledger.covers(account, price);
      await ledger.settle(ledger.deferCharge(account, price) ?? (await ledger.reserve(account, price)), charges);
    } else {
      const key = random() < 0.5 ? `key-${number}` : null;
      const claim = { account, key, owner: systemRuntime.randomBytes(12).toString('base64url') };
      if (key !== null)
        await store.idempotency.claim({
          ...claim,
          fingerprints: [createHash('sha256').update(key).digest('base64url')],
        });
      const answer = key === null ? undefined : { key, answer: vault.seal(response, `idempotency ${account} ${key}`) };
      await ledger.settle(await ledger.reserve(account, price), charges, answer);
    }
    recorder.succeeded(account, action, 2 + random() * 40);
  });
  await recorder.flush();
  await ledger.close();
  const now = store.now();
  const uses = accounts.flatMap(({ keys }) => keys.map(({ id }) => ({ id, at: now })));
  for (let first = 0; first < uses.length; first += 1_000) await store.keys.touch(uses.slice(first, first + 1_000));
}

/** The stored response of a write. */
const response = JSON.stringify({
  status: 200,
  body: `{"status":true,"data":{"id":"1234567890123456789","text":"${'a tweet '.repeat(12)}","createdAt":"","pending_moderation":false},"error":null}`,
});

function pick(items, random) {
  return items[Math.floor(random() * items.length)];
}

async function inParallel(items, atOnce, work) {
  const results = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index], index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
  return results;
}
