import { describe, expect, it } from 'vitest';
import { pollerTtlMs, type Store } from '../../src/store/port.ts';
import { append, type Get, ids, names, poller, result, running, webhook } from './webhook-makers.ts';

export function describePollers(get: Get): void {
  describe('pollers', () => {
    const make = async (store: Store, pollers: readonly string[]) => {
      for (const id of pollers) await store.webhooks.create(webhook(`of ${id}`, { poller: id }), poller(id), 1_000);
    };

    it('go to one process each, however many claim', async () => {
      const { fixture, store } = get();
      const stores = [store, await fixture.open(), await fixture.open()];
      await make(store, names(24));
      const claimed = await Promise.all(stores.map((each, index) => each.pollers.claim(`process ${index}`, 10)));
      expect(claimed.flatMap(ids).sort()).toEqual(names(24));
      for (const own of claimed) expect(own.length).toBeLessThanOrEqual(10);
      expect(await store.pollers.claim('late', 10)).toEqual([]);
      expect(await store.pollers.count()).toBe(24);
    });

    it('are claimed with what is known of them, under a higher fence each time', async () => {
      const { store } = get();
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

    it('stay with a process that is heard of, and go to others after it', async () => {
      const { fixture, store } = get();
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

    it('stay with a process that slept, as long as nobody claimed them', async () => {
      const { fixture, store } = get();
      const own = await running(store);
      fixture.leap(pollerTtlMs * 10);
      expect(await store.pollers.claim('one', 10)).toEqual([]);
      await store.pollers.beat('one');
      expect(await store.pollers.claim('two', 10)).toEqual([]);
      expect(await store.pollers.confirm('one', [own])).toEqual(['p1']);
      expect(await store.events.append(append(own, ['e1']))).toBe('appended');
    });

    it('are free at once when their process leaves', async () => {
      const { store } = get();
      await running(store);
      await store.pollers.beat('two');
      await store.pollers.leave('one');
      await store.pollers.leave('nobody');
      expect(await store.pollers.beat('two')).toBe(1);
      expect(ids(await store.pollers.claim('two', 10))).toEqual(['p1']);
    });

    it('obey no old fence', async () => {
      const { fixture, store } = get();
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

    it('can be given up, and are confirmed while they are not', async () => {
      const { store } = get();
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

    it('that a process does not know to be its own are given up when it confirms', async () => {
      const { store } = get();
      await make(store, ['p1', 'p2']);
      const heard = await store.pollers.claim('one', 1);
      await store.pollers.claim('one', 1);
      expect(await store.pollers.confirm('one', heard)).toEqual(ids(heard));
      expect(await store.pollers.claim('two', 10)).toHaveLength(1);
    });

    it('tell once that they were woken, to the process that runs them', async () => {
      const { store } = get();
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

    it('are not woken again by what came before they were claimed', async () => {
      const { store } = get();
      await running(store);
      await store.webhooks.update(webhook('w1'));
      await store.pollers.leave('one');
      await store.pollers.claim('two', 10);
      expect(await store.pollers.woken('two')).toEqual([]);
    });

    it('stop for a reason, which goes when they go on', async () => {
      const { store } = get();
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
    });

    it('keep why the platform cannot be reached until it can, or they stop or are renewed', async () => {
      const { fixture, store } = get();
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

    it('are kept by streams, for their time', async () => {
      const { fixture, store } = get();
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

    it('outlast the webhooks while they are streamed, and the stream while they have webhooks', async () => {
      const { fixture, store } = get();
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
