import { describe, expect, test } from 'vitest';
import { eventTtlMs } from '../../src/store/port.ts';
import { append, names, result, running, type StoreTest, waits } from './webhook-makers.ts';

export function describeReplays({ fixture, store }: StoreTest): void {
  describe('replays', () => {
    test('queue the earlier events of a webhook in order, separately from new events', async () => {
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, ['e3', 'e1'], ['w1', 'w2']));
      await store.events.append(append(to, ['not its own'], ['w2']));
      fixture.leap(1_000);
      await store.events.append(append(to, ['e2', 'e0'], ['w1']));
      await store.deliveries.finish(to, [
        result('e1', 'delivered', { attempts: 3 }),
        result('e3', 'given_up', { attempts: 10 }),
        result('e2', 'waiting', { attempts: 4, nextAt: store.now() + 3_600_000 }),
      ]);
      fixture.leap(1_000);
      expect(await store.deliveries.replay('a', 'w1')).toBe(4);
      const replayed = await store.deliveries.waiting('a', 'w1', true, 10);
      expect(replayed.map(({ event }) => event)).toEqual(['e3', 'e1', 'e2']);
      for (const one of replayed) {
        expect(one).toMatchObject({ state: 'waiting', attempts: 0, replayed: true });
        expect(one.nextAt).toBe(replayed[0]?.nextAt);
        expect(one.last).not.toBeNull();
      }
      expect(replayed[0]?.nextAt).toBeLessThanOrEqual(store.now());
      expect(await waits(store)).toEqual(['e0']);
      await store.events.append(append(to, ['new']));
      expect(await waits(store)).toEqual(['e0', 'new']);
      expect(await waits(store, 'w2', true)).toEqual([]);
    });

    test('may be limited to failed deliveries, to later events, and to one event', async () => {
      const to = await running(store);
      await store.events.append(append(to, ['e1', 'e2', 'e3', 'e4']));
      fixture.leap(1_000);
      const later = store.now();
      await store.events.append(append(to, ['e5', 'e6']));
      await store.deliveries.finish(to, [
        result('e1', 'delivered'),
        result('e2', 'given_up', { attempts: 10 }),
        result('e3', 'waiting', { nextAt: store.now() + 3_600_000 }),
        result('e5', 'given_up', { attempts: 10 }),
        result('e6', 'delivered'),
      ]);
      expect(await store.deliveries.replay('a', 'w1', { event: 'e9' })).toBe(0);
      expect(await store.deliveries.replay('b', 'w1', { event: 'e1' })).toBe(0);
      expect(await waits(store, 'w1', true)).toEqual([]);
      expect(await store.deliveries.replay('a', 'w1', { event: 'e6' })).toBe(1);
      expect(await waits(store, 'w1', true)).toEqual(['e6']);
      expect(await store.deliveries.replay('a', 'w1', { failed: true, since: later })).toBe(1);
      expect((await waits(store, 'w1', true)).sort()).toEqual(['e5', 'e6']);
      expect(await store.deliveries.replay('a', 'w1', { failed: true })).toBe(2);
      expect((await waits(store, 'w1', true)).sort()).toEqual(['e2', 'e3', 'e5', 'e6']);
      expect(await waits(store)).toEqual(['e4']);
      expect(await store.deliveries.replay('a', 'w1', { since: later })).toBe(2);
    });

    test('that are requested again do not change the queued deliveries', async () => {
      const to = await running(store);
      await store.events.append(append(to, names(3)));
      await store.deliveries.finish(to, [result('e001', 'delivered'), result('e002', 'delivered')]);
      expect(await store.deliveries.replay('a', 'w1')).toBe(3);
      const before = await store.deliveries.waiting('a', 'w1', true, 10);
      fixture.leap(1_000);
      expect(await store.deliveries.replay('a', 'w1')).toBe(3);
      expect(await store.deliveries.waiting('a', 'w1', true, 10)).toEqual(before);
    });

    test('end like any delivery, and are retried until then', async () => {
      const to = await running(store);
      await store.events.append(append(to, ['e1', 'e2']));
      await store.deliveries.finish(to, [
        result('e1', 'delivered', { attempts: 2 }),
        result('e2', 'delivered', { attempts: 2 }),
      ]);
      await store.deliveries.replay('a', 'w1');
      const at = store.now() + 5_000;
      await store.deliveries.finish(to, [result('e1', 'waiting', { nextAt: at }), result('e2', 'delivered')]);
      expect(await store.deliveries.waiting('a', 'w1', true, 10)).toMatchObject([
        { event: 'e1', attempts: 1, nextAt: at, replayed: true },
      ]);
      expect((await store.deliveries.list('a', 'w1', 1))[0]).toMatchObject({ event: 'e2', replayed: false });
      await store.deliveries.finish(to, [result('e1', 'given_up', { attempts: 2 })]);
      expect(await waits(store, 'w1', true)).toEqual([]);
    });

    test('include the events of one day, and none of another account', async () => {
      const to = await running(store);
      await store.events.append(append(to, ['old']));
      fixture.leap(eventTtlMs - 60_000);
      await store.events.append(append(to, ['young']));
      fixture.leap(60_000);
      expect(await store.deliveries.replay('b', 'w1')).toBe(0);
      expect(await store.deliveries.replay('a', 'nobody')).toBe(0);
      expect(await store.deliveries.replay('a', 'w1')).toBe(1);
    });

    test('include all of 522 events, also if only the last ones failed', async () => {
      const to = await running(store);
      const all = names(520);
      for (let from = 0; from < all.length; from += 52) {
        const batch = all.slice(from, from + 52);
        await store.events.append(append(to, batch));
        await store.deliveries.finish(
          to,
          batch.map((event) => result(event, 'delivered')),
        );
      }
      await store.events.append(append(to, names(2, 521)));
      const given = names(2, 521).map((event) => result(event, 'given_up', { attempts: 10 }));
      await store.deliveries.finish(to, given);
      expect(await store.deliveries.replay('a', 'w1', { failed: true })).toBe(2);
      expect(await waits(store, 'w1', true)).toEqual(names(2, 521));
      expect(await store.deliveries.replay('a', 'w1')).toBe(522);
      expect((await store.deliveries.backlog()).waiting).toBe(522);
      await store.webhooks.remove('a', 'w1');
      expect((await store.deliveries.backlog()).waiting).toBe(0);
      expect(await store.deliveries.list('a', 'w1', 10)).toEqual([]);
    });
  });
}
