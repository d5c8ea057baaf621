import { expect, test } from 'vitest';
import type { Store } from '../../src/store/port.ts';
import { EventReader } from '../../src/webhooks/streams/event-feed.ts';
import { names, running } from '../store/webhook-makers.ts';
import { useStore } from '../support/use-store.ts';

test('EventReader: reads a few events at a time, and large events one by one', async () => {
  const { store } = await useStore();
  let [underWay, most] = [0, 0];
  const after: Store['events']['after'] = async (...given) => {
    underWay += 1;
    most = Math.max(most, underWay);
    return store.events.after(...given).finally(() => {
      underWay -= 1;
    });
  };
  const reader = new EventReader({ ...store, events: { ...store.events, after } });
  const poller = await running(store);
  const sealed = 'x'.repeat(100_000);
  const events = names(30).map((id) => ({ id, type: 'tweet.mention', sealed: id < 'e003' ? 'small' : sealed }));
  await store.events.append({ poller, cursor: '1', events, deliveries: [] });
  const pages = await Promise.all(Array.from({ length: 50 }, (_, place) => reader.after(poller, place % 30)));
  expect(most).toBe(8);
  const ids = pages.map((page) => page.events.map(({ id }) => id));
  expect(ids.slice(0, 4)).toEqual([['e001', 'e002', 'e003'], ['e002', 'e003'], ['e003'], ['e004']]);
  expect(ids.flat()).toHaveLength(56);
});
