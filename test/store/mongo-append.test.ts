import { randomBytes } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openMongoStore } from '../../src/store/mongo/store.ts';
import type { PollerDocument, WebhookDocument } from '../../src/store/mongo/webhook-documents.ts';
import type { Append, PollerRecord, Store } from '../../src/store/port.ts';
import { useMongo } from '../support/use-mongo.ts';
import { append, ids, names, poller, running, waits } from './webhook-makers.ts';

const server = await useMongo();

describe.skipIf(server.isMissing)('a write to MongoDB that was cut short', () => {
  let raw: MongoClient;
  let store: Store;
  let to: PollerRecord;

  beforeEach(async () => {
    const url = server.url(`postern-${randomBytes(8).toString('hex')}`);
    raw = new MongoClient(url);
    store = await openMongoStore({ url });
    to = await running(store);
    await store.events.append(append(to, ['first']));
  });
  afterEach(async () => {
    await store.close();
    await raw.db().dropDatabase();
    await raw.close();
  });

  /**
   * Creates the state after a process died during an append: the append is stored as pending, and `written` of its events were inserted.
   */
  async function cutShort(events: readonly string[], written: number): Promise<void> {
    const pending = { cursor: 'behind it', at: new Date(), events: pendingEvents(append(to, events)) };
    const pollers = raw.db().collection<PollerDocument>('pollers');
    await pollers.updateOne({ _id: 'p1' }, { $set: { pending } });
    if (written === 0) return;
    await store.events.append(append(to, []));
    await pollers.updateOne({ _id: 'p1' }, { $set: { pending, lastPlace: 1, cursor: 'behind first' } });
    const places = { place: { $gt: 1 + written } };
    await raw.db().collection('events').deleteMany(places);
    await raw
      .db()
      .collection('deliveries')
      .deleteMany({ place: { $gt: 1 } });
  }

  const pendingEvents = ({ events }: Append) => events.map((event) => ({ ...event, webhooks: ['w1'] }));

  test.each([0, 1, 3])(
    'an append is unseen, with %i events written, and completed by whoever claims the poller',
    async (written) => {
      await cutShort(names(3), written);
      expect(ids(await store.events.after('a', 'p1', 0, 10))).toEqual(['first']);
      expect(await store.events.lastPlace('a', 'p1')).toBe(1);
      await store.pollers.release([to]);
      expect(await store.pollers.claim('two', 10)).toMatchObject([{ cursor: 'behind it' }]);
      expect(ids(await store.events.after('a', 'p1', 0, 10))).toEqual(['first', ...names(3)]);
      expect(await waits(store)).toEqual(['first', ...names(3)]);
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ cursor: 'behind it' });
    },
  );

  test.each([0, 2])(
    'an append is completed, with %i events written, by the same append and by any other',
    async (written) => {
      await cutShort(names(3), written);
      await store.events.append(append(to, [...names(2), 'other']));
      const events = await store.events.after('a', 'p1', 0, 10);
      expect(events.map(({ id, place }) => [place, id])).toEqual([
        [1, 'first'],
        [2, 'e001'],
        [3, 'e002'],
        [4, 'e003'],
        [5, 'other'],
      ]);
      expect(await waits(store)).toHaveLength(5);
      await store.events.append(append(to, names(3)));
      expect(await store.events.lastPlace('a', 'p1')).toBe(5);
    },
  );

  test('a repeated removal of a webhook leaves no deliveries', async () => {
    // An earlier removal has deleted the webhook and then failed, so the deliveries are still stored.
    await raw.db().collection<WebhookDocument>('webhooks').deleteOne({ _id: 'w1' });
    const deliveries = raw.db().collection('deliveries');
    expect(await deliveries.countDocuments()).toBe(1);
    expect(await store.webhooks.remove('a', 'w1')).toBe(false);
    expect(await deliveries.countDocuments()).toBe(0);
  });

  test('an append keeps its places even if its poller is created again', async () => {
    await store.webhooks.remove('a', 'w1');
    await cutShort(names(3), 0);
    await store.pollers.keepForStream(poller('p1', { createdAt: 9 }), store.now() + 60_000);
    const [own] = await store.pollers.claim('two', 10);
    expect(own).toMatchObject({ cursor: null, createdAt: 9 });
    if (own) await store.events.append(append(own, ['next'], []));
    expect(ids(await store.events.after('a', 'p1', 0, 10))).toEqual(['first', ...names(3), 'next']);
  });
});
