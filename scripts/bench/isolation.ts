import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { type Settings, type Started, start } from './processes.ts';

/** The data of a created webhook. */
export interface Registered {
  id: string;
  valid: boolean;
}

interface Isolation {
  api: (method: string, path: string, body?: object) => Promise<Registered>;
  happen: (count: number, type: string) => Promise<void>;
  dataDir: string;
  account: string;
  secret: string;
  env: Settings;
}

const slowEvents = 600;
const slowMs = 5_000;
const quickEvents = 100;

/**
 * Measures how long the events of one webhook take from the store to the receiver while the receiver of another webhook of the same actor
 * takes 5 s for each of 600 events. Returns the quantiles in milliseconds. `dataDir` is the folder of the gateway, and `account` pays.
 */
export async function isolation({ api, happen, dataDir, account, secret, env }: Isolation) {
  const tortoise = await start('bench/webhook-receiver.ts', [secret, String(slowMs)], env);
  const hare = await start('bench/webhook-receiver.ts', [secret], env);
  const register = (receiver: Started, type: string) =>
    api('POST', '/webhooks', { url: `${receiver.url}/hook`, secret, events: [type] });
  const slow = await register(tortoise, 'user.follow');
  const quick = await register(hare, 'tweet.mention');
  await happen(slowEvents, 'follow');
  await seen(tortoise, 1);
  await happen(quickEvents, 'mention');
  const { arrivedAt } = await seen(hare, quickEvents);
  const { count } = await seen(tortoise, 1);
  if (count > slowEvents / 2) throw new Error('the slow receiver was done before it could hold anything up');
  const ages = (await storedAt(dataDir, account, quick.id)).map(
    ({ event, at }) => (arrivedAt[event] ?? Number.NaN) - at,
  );
  for (const { id } of [slow, quick]) await api('DELETE', `/webhooks/${id}`);
  ages.sort((a, b) => a - b);
  const at = (quantile: number) => ages[Math.ceil(quantile * ages.length) - 1] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), longest: at(1) };
}

/** Reads the time from the database file, because only the store knows when it received an event. */
async function storedAt(dataDir: string, account: string, webhook: string) {
  const store = openSqliteStore({ path: join(dataDir, 'postern.sqlite'), runtime: systemRuntime });
  try {
    const deliveries = await store.deliveries.list(account, webhook, quickEvents);
    if (deliveries.length < quickEvents) throw new Error(`${deliveries.length} of ${quickEvents} events are stored`);
    return deliveries.map(({ event, eventAt }) => ({ event, at: eventAt }));
  } finally {
    await store.close();
  }
}

async function seen(receiver: Started, count: number) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = (await (await fetch(`${receiver.url}/seen`)).json()) as {
      count: number;
      arrivedAt: Record<string, number>;
    };
    if (found.count >= count) return found;
    if (performance.now() > deadline) throw new Error(`${found.count} of ${count} deliveries came`);
    await sleep(20);
  }
}
