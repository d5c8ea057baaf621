import { describe, expect, test } from 'vitest';
import { pollerTtlMs, type Store } from '../../src/store/port.ts';
import { append, ids, names, poller, result, running, type StoreTest, webhook } from './webhook-makers.ts';

export function describePollers({ fixture, store }: StoreTest): void {
  describe('pollers', () => {
    const make = async (store: Store, pollers: readonly string[]) => {
      for (const id of pollers) await store.webhooks.create(webhook(`of ${id}`, { poller: id }), poller(id), 1_000);
    };

    test('are claimed by one process each, even if several processes claim at the same time', async () => {
      const stores = [store, await fixture.open(), await fixture.open()];
      await make(store, names(24));
      const claimed = await Promise.all(stores.map((each, index) => each.pollers.claim(`process ${index}`, 10)));
      expect(claimed.flatMap(ids).sort()).toEqual(names(24));
      for (const own of claimed) expect(own.length).toBeLessThanOrEqual(10);
      expect(await store.pollers.claim('late', 10)).toEqual([]);
      expect(await store.pollers.count()).toBe(24);
    });

    test('are claimed with their stored state and with a higher fence each time', async () => {
      await make(store, ['p1']);
      const before = await store.pollers.find('a', 'p1');
      const [first] = await store.pollers.claim('one', 1);
      if (!before || !first) throw new Error('it is there');
      expect(first).toEqual({ ...before, fence: first.fence });
      expect(first.fence).toBeGreaterThan(before.fence);
      expect(await store.pollers.find('a', 'p1')).toEqual(first);
      await store.events.append(append(first, ['e1'], []));
      await store.pollers.release([first]);
      const [second] = await store.pollers.claim('two', 1);
      expect(second).toMatchObject({ cursor: 'behind e1', sealed: 'sealed of p1' });
      expect(first.appendedAt).toBe(0);
      expect(second?.appendedAt).toBeGreaterThan(store.now() - 60_000);
      expect(second?.fence).toBeGreaterThan(first.fence);
    });

    test('belong to a process while it sends heartbeats, and can then be claimed by another one', async () => {
      await make(store, ['p1', 'p2']);
      await store.pollers.claim('one', 10);
      fixture.leap(pollerTtlMs - 1_000);
      expect(await store.pollers.beat('one')).toBe(1);
      expect(await store.pollers.beat('two')).toBe(2);
      fixture.leap(pollerTtlMs - 1_000);
      expect(await store.pollers.claim('two', 10)).toEqual([]);
      expect(await store.pollers.claim('one', 10)).toEqual([]);
      fixture.leap(1_000);
      expect(ids(await store.pollers.claim('two', 10)).sort()).toEqual(['p1', 'p2']);
      expect(await store.pollers.beat('two')).toBe(1);
    });

    test('stay with a process that missed its heartbeats if no other process has claimed them', async () => {
      const own = await running(store);
      fixture.leap(pollerTtlMs * 10);
      expect(await store.pollers.claim('one', 10)).toEqual([]);
      await store.pollers.beat('one');
      expect(await store.pollers.claim('two', 10)).toEqual([]);
      expect(await store.pollers.confirm('one', [own])).toEqual(['p1']);
      expect(await store.events.append(append(own, ['e1']))).toBe('appended');
    });

    test('can be claimed at once when their process leaves', async () => {
      await running(store);
      await store.pollers.beat('two');
      await store.pollers.leave('one');
      await store.pollers.leave('nobody');
      expect(await store.pollers.beat('two')).toBe(1);
      expect(ids(await store.pollers.claim('two', 10))).toEqual(['p1']);
    });

    test('accept no write with an old fence', async () => {
      const old = await running(store);
      await store.events.append(append(old, ['e1']));
      fixture.leap(pollerTtlMs);
      const own = await running(store, [], { process: 'two' });
      expect(await store.events.append(append(old, ['e2']))).toBe('superseded');
      expect(await store.events.append(append(old, []))).toBe('superseded');
      expect(await store.deliveries.finish(old, [result('e1', 'delivered')])).toBe('superseded');
      expect(await store.pollers.stop(old, 'refused')).toBe(false);
      await store.pollers.release([old]);
      expect(await store.pollers.claim('three', 10)).toEqual([]);
      expect(await store.pollers.confirm('one', [old])).toEqual([]);
      expect(await store.pollers.find('a', 'p1')).toEqual(own);
      expect(await store.events.lastPlace('a', 'p1')).toBe(1);
      expect(await store.deliveries.list('a', 'w1', 10)).toMatchObject([{ state: 'waiting', attempts: 0 }]);
      expect((await store.webhooks.find('a', 'w1'))?.lastDeliveryAt).toBeNull();
    });

    test('can be released, and are confirmed until then', async () => {
      await make(store, ['p1', 'p2', 'p3']);
      const all = await store.pollers.claim('one', 10);
      const [given] = all.filter(({ id }) => id === 'p2');
      if (!given) throw new Error('it was claimed');
      await store.pollers.release([given]);
      await store.pollers.release([]);
      expect((await store.pollers.confirm('one', all)).sort()).toEqual(['p1', 'p3']);
      expect(ids(await store.pollers.claim('two', 10))).toEqual(['p2']);
      expect(await store.pollers.confirm('nobody', all)).toEqual([]);
    });

    test('that a process does not list when it confirms are released', async () => {
      await make(store, ['p1', 'p2']);
      const heard = await store.pollers.claim('one', 1);
      await store.pollers.claim('one', 1);
      expect(await store.pollers.confirm('one', heard)).toEqual(ids(heard));
      expect(await store.pollers.claim('two', 10)).toHaveLength(1);
    });

    test('report each wake-up once, to the process that runs them', async () => {
      const own = await running(store);
      expect(await store.pollers.woken('one')).toEqual([]);
      const wakes: (() => Promise<unknown>)[] = [
        () => store.webhooks.create(webhook('w2'), poller(), 10),
        () => store.webhooks.update(webhook('w2')),
        () => store.webhooks.remove('a', 'w2'),
        () => store.deliveries.replay('a', 'w1'),
        () => store.pollers.renew(poller()),
        () => store.pollers.keepForStream(poller(), store.now() + 60_000),
      ];
      for (const wake of wakes) {
        await wake();
        expect(await store.pollers.woken('two')).toEqual([]);
        expect(await store.pollers.woken('one')).toEqual(['p1']);
        expect(await store.pollers.woken('one')).toEqual([]);
      }
      await store.pollers.keepForStream(poller(), store.now() + 90_000);
      await store.events.append(append(own, ['e1']));
      expect(await store.pollers.woken('one')).toEqual([]);
    });

    test('are not woken by changes from before they were claimed', async () => {
      await running(store);
      await store.webhooks.update(webhook('w1'));
      await store.pollers.leave('one');
      await store.pollers.claim('two', 10);
      expect(await store.pollers.woken('two')).toEqual([]);
    });

    test('stop with a reason, which is deleted when they continue', async () => {
      const own = await running(store);
      expect(await store.pollers.stop(own, 'The token was refused')).toBe(true);
      expect((await store.pollers.find('a', 'p1'))?.stopped).toBe('The token was refused');
      expect(await store.pollers.stop(own, null)).toBe(true);
      expect((await store.pollers.find('a', 'p1'))?.stopped).toBeNull();
      await store.pollers.stop(own, 'The token was refused');
      await store.pollers.renew({ account: 'a', id: 'p1', sealed: 'new' });
      expect(await store.pollers.find('a', 'p1')).toEqual({ ...own, sealed: 'new' });
      expect(await store.pollers.stop(own, 'The old token was refused')).toBe(false);
      expect(await store.pollers.stop({ ...own, sealed: 'new' }, 'refused')).toBe(true);
      await store.pollers.renew({ account: 'a', id: 'p1' });
      expect(await store.pollers.find('a', 'p1')).toEqual({ ...own, sealed: 'new' });
    });

    test('keep the reason why the platform is unreachable until it is reachable, or until they stop or are renewed', async () => {
      const own = await running(store);
      expect(own.unreachable).toBeNull();
      const unreachable = async () => (await store.pollers.find('a', 'p1'))?.unreachable;
      expect(await store.pollers.setUnreachable(own, 'sealed reason')).toBe(true);
      expect(await store.pollers.find('a', 'p1')).toEqual({ ...own, unreachable: 'sealed reason' });
      expect(await store.pollers.woken('one')).toEqual([]);
      expect(await store.pollers.setUnreachable({ ...own, sealed: 'other' }, null)).toBe(false);
      expect(await store.pollers.setUnreachable({ ...own, account: 'b' }, null)).toBe(false);
      expect(await unreachable()).toBe('sealed reason');
      expect(await store.pollers.setUnreachable(own, null)).toBe(true);
      expect(await unreachable()).toBeNull();
      await store.pollers.setUnreachable(own, 'sealed reason');
      await store.pollers.stop(own, 'The token was refused');
      expect(await unreachable()).toBeNull();
      await store.pollers.setUnreachable(own, 'sealed reason');
      await store.pollers.renew({ account: 'a', id: 'p1', sealed: own.sealed });
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ stopped: null, unreachable: null });
      await store.pollers.setUnreachable(own, 'sealed reason');
      fixture.leap(pollerTtlMs);
      const [next] = await store.pollers.claim('two', 10);
      expect(next).toMatchObject({ id: 'p1', unreachable: 'sealed reason' });
      expect(await store.pollers.setUnreachable(own, null)).toBe(false);
    });

    test('are kept for a stream until the given time', async () => {
      const until = store.now() + 60_000;
      await store.pollers.keepForStream(poller(), until);
      await store.pollers.keepForStream(poller(), until - 30_000);
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ ...poller(), streamedUntil: until });
      const [own] = await store.pollers.claim('one', 10);
      if (!own) throw new Error('it can be claimed');
      await store.events.append(append(own, ['e1'], []));
      fixture.leap(59_000);
      expect(await store.pollers.count()).toBe(1);
      fixture.leap(1_000);
      expect(await store.pollers.count()).toBe(0);
      expect(await store.pollers.find('a', 'p1')).toBeNull();
      expect(await store.pollers.claim('two', 10)).toEqual([]);
      await store.pollers.keepForStream(poller('p1', { createdAt: 70_000 }), until + 60_000);
      expect(await store.pollers.claim('two', 10)).toMatchObject([{ cursor: null, createdAt: 70_000 }]);
      expect(await store.events.append(append(own, ['e2'], []))).toBe('superseded');
    });

    test('are kept without webhooks while they are streamed, and without a stream while they have webhooks', async () => {
      const own = await running(store);
      await store.events.append(append(own, ['e1']));
      await store.pollers.keepForStream(poller(), store.now() + 60_000);
      await store.webhooks.remove('a', 'w1');
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ cursor: 'behind e1', fence: own.fence });
      await store.webhooks.create(webhook('w2'), poller(), 10);
      fixture.leap(120_000);
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ cursor: 'behind e1', fence: own.fence });
    });
  });
}
