import { describe, expect, test } from 'vitest';
import { type AccountEvent, accountEventRow, type LedgerCommit, type Store } from '../../src/store/port.ts';
import { append, ids, makeCommit, poller, result, running, type StoreTest, waits, webhook } from './webhook-makers.ts';

/** Tests of the events about accounts. The threshold of account `a` is 60, and its credit 100. */
export function describeAccountEvents({ fixture, store }: StoreTest): void {
  let commits = 0;
  const commit = (parts: Partial<LedgerCommit>) =>
    makeCommit(store, `low-${++commits}`, { writer: 'w', generation: commits, begins: true, ...parts });
  const costing = (...prices: number[]) =>
    prices.map((micros) => ({ usage: [{ hour: 10, action: 'user/info', calls: 1, micros }] }));
  const pay = (store: Store, micros: number) =>
    store.ledger.topUp({ id: `low-pay-${++commits}`, account: 'a', micros, description: 'x', createdAt: 1 });
  const account = async (threshold: number | null = 60) => {
    await store.accounts.create({ id: 'a', name: 'a', createdAt: 1 });
    await store.accounts.setLowCreditThreshold('a', threshold);
    await pay(store, 100);
    return store;
  };
  const waiting = (store: Store) => store.accountEvents.waiting(10);

  describe('low-credit threshold', () => {
    test('keeps the threshold until it is set again, and returns none for an unknown account', async () => {
      const store = await account(null);
      expect((await store.accounts.find('a'))?.lowCreditThreshold).toBeNull();
      expect(await store.accounts.setLowCreditThreshold('a', 5_000_000_000)).toBe(true);
      expect((await store.accounts.find('a'))?.lowCreditThreshold).toBe(5_000_000_000);
      expect((await store.accounts.list())[0]?.lowCreditThreshold).toBe(5_000_000_000);
      expect(await store.accounts.setLowCreditThreshold('nobody', 1)).toBe(false);
    });
  });

  describe('low-credit event', () => {
    test('records one event per crossing, also for repeated commits and further charges', async () => {
      const store = await account();
      await store.ledger.commit(commit({ late: costing(40) }));
      expect(await waiting(store)).toEqual([]);
      const crossing = commit({ late: costing(1, 2) });
      await store.ledger.commit(crossing);
      await store.ledger.commit(crossing);
      await (await fixture.open()).ledger.commit(commit({ late: costing(10) }));
      expect(await waiting(store)).toEqual([
        {
          ...{ id: `evt_${crossing.id}`, account: 'a', type: 'account.low_credit', at: expect.any(Number) },
          ...{ sealed: null, amounts: { credit: 57, threshold: 60 } },
        },
      ]);
    });

    test('records another event only after a payment has raised the credit to the threshold', async () => {
      const store = await account();
      await store.ledger.commit(commit({ late: costing(50) }));
      await pay(store, 9);
      await store.ledger.commit(commit({ late: costing(1) }));
      expect(await waiting(store)).toHaveLength(1);
      await pay(store, 2);
      fixture.leap(1_000);
      await store.ledger.commit(commit({ late: costing(1) }));
      expect((await waiting(store)).map(({ amounts }) => amounts?.credit)).toEqual([50, 59]);
    });

    test('is recorded by charges of held credit, not by reservations and releases', async () => {
      const store = await account();
      const hold = commit({ reserve: [80] });
      await store.ledger.commit(hold);
      expect(await waiting(store)).toEqual([]);
      const { generation } = hold;
      await store.ledger.commit(commit({ generation, begins: false, release: 35, settle: costing(45) }));
      expect((await waiting(store)).map(({ amounts }) => amounts?.credit)).toEqual([55]);
    });

    test('records nothing without a threshold', async () => {
      const store = await account(null);
      await store.ledger.commit(commit({ late: costing(100) }));
      expect(await waiting(store)).toEqual([]);
    });

    test('is recorded once for concurrent commits', async () => {
      const stores = [await account(), await fixture.open()];
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          stores[at % 2]?.ledger.commit(commit({ writer: `writer ${at}`, late: costing(4) })),
        ),
      );
      expect((await waiting(stores[0] as Store)).map(({ amounts }) => amounts?.credit)).toEqual([56]);
    });
  });

  describe('AccountEventStore', () => {
    const recorded = async (webhooks: readonly string[] = ['w1', 'w2']) => {
      const store = await account();
      const poller = await running(store, webhooks);
      await store.pollers.woken('one');
      await store.ledger.commit(commit({ late: costing(50) }));
      const [event] = await waiting(store);
      return { store, poller, event: event as AccountEvent };
    };

    test('queues an event for its webhooks, due at once, and notifies their poller', async () => {
      const { store, poller, event } = await recorded();
      await store.accountEvents.queue(event, 'sealed body', ['w1']);
      expect(await waiting(store)).toEqual([]);
      const queued = await store.deliveries.waiting('a', 'w1', false, 10);
      expect(queued).toMatchObject([
        { event: event.id, type: 'account.low_credit', eventAt: event.at, nextAt: event.at },
      ]);
      expect(await store.events.sealed('a', queued[0]?.poller ?? '', event.id)).toBe('sealed body');
      expect(await waits(store, 'w2')).toEqual([]);
      expect(await store.pollers.woken('one')).toEqual([poller.id]);
    });

    test('records an event once, also after it was queued, until it expires', async () => {
      const [store, other] = [await account(), await fixture.open()];
      const event = { id: 'evt_1', account: 'a', type: 'connection.expired', sealed: 'sealed body' };
      await Promise.all([store, other, store].map((by) => by.accountEvents.add(event)));
      const [found] = await waiting(other);
      expect(found).toEqual({ ...event, at: expect.any(Number), amounts: null });
      await store.accountEvents.queue(found as AccountEvent, 'sealed body', []);
      await other.accountEvents.add({ ...event, sealed: 'another body' });
      expect(await waiting(store)).toEqual([]);
      fixture.leap(24 * 3_600_000);
      await store.events.sweep();
      await other.accountEvents.add(event);
      expect(ids(await waiting(store))).toEqual(['evt_1']);
    });

    test('adds an event to each poller of the account that a stream has used within 24 h', async () => {
      const { store, poller: streamed, event } = await recorded();
      const second = await running(store, ['w3'], { id: 'p2' });
      await running(store, ['w4'], { id: 'p3', account: 'b' });
      const other = await fixture.open();
      for (const [id, of] of [
        ['p1', 'a'],
        ['p3', 'b'],
      ] as const) {
        await store.pollers.keepForStream(poller(id, { account: of }), fixture.now() + 300_000);
      }
      await store.events.append(append(streamed, ['e1'], []));
      fixture.leap(23 * 3_600_000);
      const queue = (by: Store) => by.accountEvents.queue(event, 'sealed body', []);
      await Promise.all([
        ...[queue(store), queue(other), queue(store)],
        store.events.append(append(streamed, ['e2'], [])),
        other.events.append(append(streamed, ['e3'], [], 'the cursor')),
      ]);
      const read = await other.events.after('a', 'p1', 0, 10);
      expect(read.map(({ place }) => place)).toEqual([1, 2, 3, 4]);
      expect(ids(read).toSorted()).toEqual(['e1', 'e2', 'e3', event.id].toSorted());
      const { place, ...row } = read.find(({ id }) => id === event.id) ?? { place: 0 };
      expect(row).toEqual({ id: event.id, type: accountEventRow, at: expect.any(Number), sealed: 'sealed body' });
      expect(await store.events.place('a', 'p1', event.id)).toMatchObject({ place });
      expect(await store.events.lastPlace('a', 'p1')).toBe(4);
      expect(['behind e2', 'the cursor']).toContain((await store.pollers.find('a', 'p1'))?.cursor);
      for (const [id, of] of [
        ['p2', 'a'],
        ['p3', 'b'],
      ] as const) {
        expect(await store.events.after(of, id, 0, 10)).toEqual([]);
      }
      expect(await store.events.append(append(second, ['e4'], []))).toBe('appended');
      expect(await store.deliveries.waiting('a', 'w1', false, 10)).toEqual([]);
    });

    test('keeps the offsets of a poller without streams', async () => {
      const { store, poller, event } = await recorded();
      await store.accountEvents.queue(event, 'sealed body', ['w1']);
      await store.events.append(append(poller, ['e1']));
      expect(ids(await store.events.after('a', poller.id, 0, 10))).toEqual(['e1']);
      expect(await store.events.place('a', poller.id, event.id)).toBeNull();
      expect((await waits(store)).toSorted()).toEqual(['e1', event.id].toSorted());
      expect(await store.deliveries.replay('a', 'w1')).toBe(2);
    });

    test('queues an event once for concurrent processes, and not again after its delivery', async () => {
      const { store, poller, event } = await recorded();
      const other = await fixture.open();
      const queue = (by: Store) => by.accountEvents.queue(event, 'sealed body', ['w1', 'w2']);
      await Promise.all([queue(store), queue(other), queue(store)]);
      expect([await waits(store, 'w1'), await waits(other, 'w2')]).toEqual([[event.id], [event.id]]);
      expect(await store.deliveries.finish(poller, [result(event.id, 'delivered')])).toBe('noted');
      await queue(other);
      expect([await waits(store, 'w1'), await waits(store, 'w2')]).toEqual([[], [event.id]]);
    });

    test('drops an event without a webhook, and queues nothing for a deleted webhook', async () => {
      const { store, event } = await recorded();
      await store.webhooks.remove('a', 'w1');
      await store.accountEvents.queue(event, 'sealed body', ['w1', 'w2']);
      expect([await waits(store, 'w1'), await waits(store, 'w2')]).toEqual([[], [event.id]]);
      await pay(store, 100);
      await store.ledger.commit(commit({ late: costing(100) }));
      const [second] = await waiting(store);
      await store.accountEvents.queue(second as AccountEvent, 'sealed body', []);
      expect(await waiting(store)).toEqual([]);
      expect(await waits(store, 'w2')).toEqual([event.id]);
    });

    test('moves an event with its webhook to another poller, and expires it like other events', async () => {
      const { store, event } = await recorded(['w1']);
      await store.accountEvents.queue(event, 'sealed body', ['w1']);
      const moved = {
        ...webhook('w1', { poller: 'p2' }),
        revision: (await store.webhooks.find('a', 'w1'))?.revision ?? 0,
      };
      expect(await store.webhooks.update(moved, { id: 'p2', account: 'a', sealed: 'x', createdAt: 1 })).toBe(true);
      expect(await waits(store)).toEqual([event.id]);
      fixture.leap(25 * 3_600_000);
      expect(await store.events.sweep()).toBe(1);
      expect(await store.deliveries.list('a', 'w1', 10)).toEqual([]);
    });
  });
}
