import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { eventTtlMs, pollerTtlMs } from '../../src/store/port.ts';
import { append, ids, names, poller, result, running, type StoreTest, waits, webhook } from './webhook-makers.ts';

export function describeEvents({ fixture, store }: StoreTest): void {
  describe('events', () => {
    test('are appended in order, together with the cursor and their deliveries', async () => {
      const to = await running(store, ['w1', 'w2']);
      const before = fixture.now();
      expect(await store.events.append(append(to, ['e1', 'e2'], ['w1'], 'c2'))).toBe('appended');
      expect(await store.events.append(append(to, ['e0'], ['w1', 'w2', 'nobody'], 'c3'))).toBe('appended');
      const events = await store.events.after('a', 'p1', 0, 10);
      expect(events).toEqual(
        ['e1', 'e2', 'e0'].map((id, index) => ({
          id,
          type: 'tweet.like',
          at: expect.any(Number),
          sealed: `bytes of ${id}`,
          place: index + 1,
        })),
      );
      for (const { at } of events) expect(Math.abs(at - before)).toBeLessThan(5_000);
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ cursor: 'c3', fence: to.fence });
      expect(await waits(store, 'w1')).toEqual(['e1', 'e2', 'e0']);
      expect(await waits(store, 'w2')).toEqual(['e0']);
      expect(await waits(store, 'nobody')).toEqual([]);
      expect((await store.deliveries.backlog()).waiting).toBe(4);
    });

    test('record the time of a gap, unless all events of the append are already stored', async () => {
      const to = await running(store);
      const gapAt = async () => (await store.pollers.find('a', 'p1'))?.gapAt;
      await store.events.append(append(to, ['e1']));
      await store.events.append({ ...append(to, ['e1']), gap: true });
      expect(to.gapAt).toBeNull();
      expect(await gapAt()).toBeNull();
      await store.events.append({ ...append(to, ['e2']), gap: true });
      const [, event] = await store.events.after('a', 'p1', 0, 2);
      expect(await gapAt()).toBe(event?.at);
      await store.events.append(append(to, ['e3']));
      expect(await gapAt()).toBe(event?.at);
    });

    test('are deleted with their account, in batches, and no others', async () => {
      const own = await running(store, ['w1']);
      const second = await running(store, ['w2'], { id: 'p2' });
      const other = await running(store, ['w3'], { id: 'p3', account: 'b' });
      await store.events.append(append(own, names(120)));
      await store.events.append(append(second, ['x1', 'e001'], ['w2']));
      await store.events.append(append(other, ['e001'], ['w3']));
      while ((await store.accounts.erase('a')) > 0);
      expect(await store.events.lastPlace('a', 'p1')).toBe(0);
      expect(await store.events.after('a', 'p1', 0, 10)).toEqual([]);
      expect(await store.pollers.count()).toBe(1);
      expect((await store.deliveries.backlog()).waiting).toBe(1);
      expect(ids(await store.events.after('b', 'p3', 0, 10))).toEqual(['e001']);
    });

    test('are read after a place, and only by their own account and poller', async () => {
      const to = await running(store);
      expect(await store.events.lastPlace('a', 'p1')).toBe(0);
      expect(await store.events.lastPlace('a', 'p9')).toBe(0);
      await store.events.append(append(to, names(5)));
      expect(ids(await store.events.after('a', 'p1', 2, 2))).toEqual(['e003', 'e004']);
      expect(await store.events.after('a', 'p1', 5, 2)).toEqual([]);
      expect(await store.events.after('a', 'p1', 0, 0)).toEqual([]);
      const chars = 'bytes of e001'.length;
      expect(ids(await store.events.after('a', 'p1', 0, 10, chars))).toEqual(['e001']);
      expect(ids(await store.events.after('a', 'p1', 1, 10, chars + 1))).toEqual(['e002', 'e003']);
      expect(ids(await store.events.after('a', 'p1', 1, 3, 100 * chars))).toEqual(['e002', 'e003', 'e004']);
      expect(await store.events.place('a', 'p1', 'e004')).toMatchObject({ place: 4, at: expect.any(Number) });
      expect(await store.events.lastPlace('a', 'p1')).toBe(5);
      for (const [account, id] of [
        ['b', 'p1'],
        ['a', 'p2'],
      ] as const) {
        expect(await store.events.after(account, id, 0, 10)).toEqual([]);
        expect(await store.events.place(account, id, 'e004')).toBeNull();
        expect(await store.events.sealed(account, id, 'e004')).toBeNull();
      }
      expect(await store.events.sealed('a', 'p1', 'e004')).toBe('bytes of e004');
      expect(await store.events.place('a', 'p1', 'e009')).toBeNull();
    });

    test('are stored once for each poller, even if another poller has the same event', async () => {
      const first = await running(store, ['w1']);
      const second = await running(store, ['w2'], { id: 'p2' });
      await store.events.append(append(first, ['e1', 'e1', 'e2'], ['w1']));
      await store.events.append(append(second, ['e2'], ['w2']));
      expect(ids(await store.events.after('a', 'p1', 0, 10))).toEqual(['e1', 'e2']);
      expect(ids(await store.events.after('a', 'p2', 0, 10))).toEqual(['e2']);
      expect(await waits(store, 'w1')).toEqual(['e1', 'e2']);
      expect(await waits(store, 'w2')).toEqual(['e2']);
    });

    test('that already exist are skipped, together with their deliveries', async () => {
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, ['e1', 'e2'], ['w1']));
      await store.deliveries.finish(to, [result('e1', 'delivered')]);
      const again = append(to, ['e1', 'e2', 'e3'], ['w1', 'w2']);
      const others = again.events.map((event) => ({ ...event, sealed: `other ${event.sealed}` }));
      expect(await store.events.append({ ...again, events: others })).toBe('appended');
      expect(await store.events.append(again)).toBe('appended');
      expect(await store.events.after('a', 'p1', 0, 10)).toMatchObject([
        { id: 'e1', place: 1, sealed: 'bytes of e1' },
        { id: 'e2', place: 2, sealed: 'bytes of e2' },
        { id: 'e3', place: 3, sealed: 'other bytes of e3' },
      ]);
      expect(await waits(store, 'w1')).toEqual(['e2', 'e3']);
      expect(await waits(store, 'w2')).toEqual(['e3']);
      expect(await store.events.lastPlace('a', 'p1')).toBe(3);
    });

    test('are queued late for webhooks that did not receive them, with the bytes that are stored then', async () => {
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, ['e1', 'e2', 'e3'], ['w1']));
      await store.deliveries.finish(to, [result('e1', 'delivered')]);
      const late = {
        poller: to,
        events: [
          { id: 'e2', sealed: 'more of e2' },
          { id: 'e9', sealed: 'never there' },
        ],
        deliveries: ['e1', 'e2', 'e9'].flatMap((event) =>
          ['w1', 'w2', 'nobody'].map((webhook) => ({ event, webhook })),
        ),
      };
      const before = fixture.now();
      expect(await store.events.queueLate(late)).toBe('queued');
      expect(await store.events.queueLate(late)).toBe('queued');
      expect(await store.events.queueLate({ poller: to, events: [], deliveries: [] })).toBe('queued');
      expect(await waits(store, 'w1')).toEqual(['e2', 'e3']);
      expect(await waits(store, 'nobody')).toEqual([]);
      const queued = await store.deliveries.waiting('a', 'w2', false, 10);
      expect(queued).toMatchObject([
        { event: 'e1', type: 'tweet.like', place: 1, attempts: 0, replayed: false },
        { event: 'e2', type: 'tweet.like', place: 2, attempts: 0, replayed: false },
      ]);
      expect(await store.events.sealed('a', 'p1', 'e1')).toBe('bytes of e1');
      expect(await store.events.sealed('a', 'p1', 'e2')).toBe('more of e2');
      const [first] = await store.events.after('a', 'p1', 0, 10);
      for (const { nextAt, eventAt } of queued) {
        expect(Math.abs((nextAt ?? 0) - before)).toBeLessThan(5_000);
        expect(eventAt).toBe(first?.at);
      }
      expect(await store.events.lastPlace('a', 'p1')).toBe(3);
      const { account, id, fence } = to;
      expect(await store.events.queueLate({ ...late, poller: { account, id, fence: fence - 1 } })).toBe('superseded');
      expect(await store.events.queueLate({ ...late, poller: { account: 'b', id, fence } })).toBe('superseded');
    });

    test('are optional in an append, which then sets only the cursor', async () => {
      const to = await running(store);
      expect(await store.events.append(append(to, [], [], 'further'))).toBe('appended');
      expect((await store.pollers.find('a', 'p1'))?.cursor).toBe('further');
      expect(await store.events.lastPlace('a', 'p1')).toBe(0);
    });

    test('have places without gaps, even if several handles append at the same time and repeatedly', async () => {
      const to = await running(store);
      const other = await fixture.open();
      const batches = [names(6, 1), names(6, 4), names(6, 7), names(6, 10)];
      await Promise.all(batches.map((batch, index) => (index % 2 ? store : other).events.append(append(to, batch))));
      fixture.leap(pollerTtlMs);
      const own = await running(other, [], { process: 'two' });
      const late = await Promise.all([
        store.events.append(append(to, names(6, 20))),
        other.events.append(append(own, names(6, 12))),
      ]);
      expect(late).toEqual(['superseded', 'appended']);
      const events = await store.events.after('a', 'p1', 0, 100);
      expect(ids(events).sort()).toEqual(names(17));
      expect(events.map(({ place }) => place)).toEqual(events.map((_, index) => index + 1));
      expect((await waits(store)).sort()).toEqual(names(17));
      expect(await store.events.lastPlace('a', 'p1')).toBe(17);
    });

    test('never appear before the place of a reader', async () => {
      const to = await running(store);
      const reader = await fixture.open();
      let writing = true;
      const write = (async () => {
        for (let from = 1; from <= 40; from += 8) await store.events.append(append(to, names(8, from)));
        writing = false;
      })();
      const read: string[] = [];
      let place = 0;
      for (let last = false; !last; ) {
        last = !writing;
        await nextTurn();
        for (const event of await reader.events.after('a', 'p1', place, 5)) {
          expect(event.place).toBe(place + 1);
          place = event.place;
          read.push(event.id);
          last = false;
        }
      }
      await write;
      expect(read).toEqual(names(40));
    });

    test('are deleted after a day, together with their deliveries', async () => {
      const to = await running(store);
      await store.events.append(append(to, names(3)));
      await store.deliveries.finish(to, [result('e001', 'delivered')]);
      fixture.leap(eventTtlMs - 60_000);
      await store.events.append(append(to, ['young']));
      expect(await store.events.sweep()).toBe(0);
      expect(await store.events.after('a', 'p1', 0, 10)).toHaveLength(4);
      fixture.leap(60_000);
      for (let swept = false; ; swept = true) {
        expect(ids(await store.events.after('a', 'p1', 0, 10))).toEqual(['young']);
        expect(await store.events.place('a', 'p1', 'e003')).toBeNull();
        expect(await store.events.place('a', 'p1', 'young')).toMatchObject({ place: 4 });
        expect(await waits(store)).toEqual(['young']);
        expect(await store.deliveries.list('a', 'w1', 10)).toMatchObject([{ event: 'young' }]);
        if (swept) break;
        expect(await store.events.sweep()).toBe(3);
      }
      expect(await store.events.sweep()).toBe(0);
      expect((await store.deliveries.backlog()).waiting).toBe(1);
      expect(await store.events.lastPlace('a', 'p1')).toBe(4);
      expect((await store.pollers.find('a', 'p1'))?.cursor).toBe('behind young');
    });

    test('of a removed poller are kept until they expire; a new poller then begins without a cursor and with a higher fence', async () => {
      const to = await running(store);
      await store.events.append(append(to, ['e1']));
      await store.webhooks.remove('a', 'w1');
      await store.events.sweep();
      expect(await store.events.after('a', 'p1', 0, 10)).toHaveLength(1);
      fixture.leap(eventTtlMs);
      expect(await store.events.sweep()).toBe(1);
      expect(await store.events.lastPlace('a', 'p1')).toBe(0);
      await store.webhooks.create(webhook('w1'), poller(), 10);
      const [again] = await store.pollers.claim('two', 10);
      expect(again).toMatchObject({ cursor: null });
      expect(again?.fence).toBeGreaterThan(to.fence);
      expect(await store.events.append(append(to, ['e2']))).toBe('superseded');
    });
  });
}
