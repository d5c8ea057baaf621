import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { start } from './processes.ts';

const slowEvents = 600;
const slowMs = 5_000;
const quickEvents = 100;

/**
 * Measures how long the events of one webhook take from the store to the receiver while the receiver of another webhook of the same actor
 * takes 5 s for each of 600 events. Returns the quantiles in milliseconds. `dataDir` is the folder of the gateway, and `account` pays.
 */
export async function isolation({ api, happen, dataDir, account, secret, env }) {
  const tortoise = await start('bench/webhook-receiver.ts', [secret, String(slowMs)], env);
  const hare = await start('bench/webhook-receiver.ts', [secret], env);
  const register = (receiver, type) =>
    api('POST', '/webhooks', { url: `${receiver.url}/hook`, secret, events: [type] });
  const slow = await register(tortoise, 'user.follow');
  const quick = await register(hare, 'tweet.mention');
  await happen(slowEvents, 'follow');
  await seen(tortoise, 1);
  await happen(quickEvents, 'mention');
  const { arrivedAt } = await seen(hare, quickEvents);
  const { count } = await (await fetch(`${tortoise.url}/seen`)).json();
  if (count > slowEvents / 2) throw new Error('the slow receiver was done before it could hold anything up');
  const ages = (await storedAt(dataDir, account, quick.id)).map(({ event, at }) => arrivedAt[event] - at);
  for (const { id } of [slow, quick]) await api('DELETE', `/webhooks/${id}`);
  ages.sort((a, b) => a - b);
  const at = (quantile) => ages[Math.ceil(quantile * ages.length) - 1];
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** Reads the time from the database file, because only the store knows when it received an event. */
async function storedAt(dataDir, account, webhook) {
  const runtime = { now: () => Date.now(), randomBytes: () => Buffer.alloc(0), after: () => ({ cancel() {} }) };
  const store = openSqliteStore({ path: join(dataDir, 'postern.sqlite'), runtime });
  try {
    const deliveries = await store.deliveries.list(account, webhook, quickEvents);
    if (deliveries.length < quickEvents) throw new Error(`${deliveries.length} of ${quickEvents} events are stored`);
    return deliveries.map(({ event, eventAt }) => ({ event, at: eventAt }));
  } finally {
    await store.close();
  }
}

async function seen(receiver, count) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = await (await fetch(`${receiver.url}/seen`)).json();
    if (found.count >= count) return found;
    if (performance.now() > deadline) throw new Error(`${found.count} of ${count} deliveries came`);
    await sleep(20);
  }
}
