import { beforeEach, describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/port.ts';
import { DeliveryReader } from '../../src/webhooks/delivery/delivery-reader.ts';
import { names, running } from '../store/webhook-makers.ts';
import { useStore } from '../support/use-store.ts';
import { vault } from './poller-parts.ts';

/** 200 bodies exceed the memory for them. */
const bodyOf = (id: string) => JSON.stringify({ id, text: 'x'.repeat(100_000) });
const events = names(200);
const [first = ''] = events;
const last = events.at(-1) ?? '';

let store: Store;
let poller: Awaited<ReturnType<typeof running>>;
let reader: DeliveryReader;
let reads: string[];
let most: number;

beforeEach(async () => {
  store = (await useStore()).store;
  [reads, most] = [[], 0];
  let underWay = 0;
  const sealed: Store['events']['sealed'] = async (account, id, event) => {
    reads.push(event);
    underWay += 1;
    most = Math.max(most, underWay);
    return store.events.sealed(account, id, event).finally(() => {
      underWay -= 1;
    });
  };
  const counted = { ...store, events: { ...store.events, sealed } };
  reader = new DeliveryReader({ store: counted, vault });
  poller = await running(store);
  await store.events.append({
    poller,
    cursor: '1',
    events: events.map((id) => ({ id, type: 'tweet.mention', sealed: vault.sealBody('a', id, bodyOf(id)) })),
    deliveries: [],
  });
});

describe('DeliveryReader', () => {
  test('reads each body once for simultaneous deliveries, a few at a time', async () => {
    const asked = events.slice(0, 50).flatMap((event) => [event, event]);
    expect(await Promise.all(asked.map((event) => reader.body('a', 'p1', event)))).toEqual(asked.map(bodyOf));
    expect(reads).toEqual(events.slice(0, 50));
    expect(most).toBe(4);
  });

  test('keeps the latest bodies in limited memory', async () => {
    for (const event of events) reader.cacheBody('p1', event, bodyOf(event));
    expect(await reader.body('a', 'p1', last)).toBe(bodyOf(last));
    expect(reads).toEqual([]);
    expect(await reader.body('a', 'p1', first)).toBe(bodyOf(first));
    expect(reads).toEqual([first]);
  });

  test('returns null for a body that is not stored or cannot be decrypted', async () => {
    const sealed = vault.sealBody('a', last, bodyOf(last));
    const unreadable = { id: 'unreadable', type: 'tweet.mention', sealed };
    await store.events.append({ poller, cursor: '2', events: [unreadable], deliveries: [] });
    expect(await reader.body('a', 'p1', 'unreadable')).toBeNull();
    expect(await reader.body('a', 'p1', 'unknown')).toBeNull();
    expect(await reader.body('b', 'p1', first)).toBeNull();
  });
});
