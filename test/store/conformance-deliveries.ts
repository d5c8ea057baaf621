import { describe, expect, it } from 'vitest';
import type { DeliveryPosition } from '../../src/store/port.ts';
import { append, type Get, names, result, running, waits } from './webhook-makers.ts';

export function describeDeliveries(get: Get): void {
  describe('deliveries', () => {
    it('wait with what is to be sent, due at once', async () => {
      const { store } = get();
      const to = await running(store);
      await store.events.append(append(to, ['e1']));
      const [waiting] = await store.deliveries.waiting('a', 'w1', false, 10);
      expect(waiting).toEqual({
        ...{
          event: 'e1',
          type: 'tweet.like',
          webhook: 'w1',
          state: 'waiting',
          attempts: 0,
          replayed: false,
          last: null,
        },
        ...{ nextAt: waiting?.eventAt, eventAt: expect.any(Number), sealed: 'bytes of e1', place: 1 },
      });
      expect(await store.deliveries.waiting('a', 'w1', true, 10)).toEqual([]);
      expect(await store.deliveries.waiting('b', 'w1', false, 10)).toEqual([]);
      expect(await store.deliveries.waiting('a', 'w1', false, 0)).toEqual([]);
    });

    it('wait in the order of their next attempts, ties by place', async () => {
      const { store } = get();
      const to = await running(store);
      await store.events.append(append(to, ['e3', 'e1', 'e2', 'e0']));
      expect(await waits(store)).toEqual(['e3', 'e1', 'e2', 'e0']);
      const at = store.now() + 30_000;
      await store.deliveries.finish(to, [
        result('e3', 'waiting', { nextAt: at }),
        result('e2', 'waiting', { nextAt: at }),
        result('e1', 'waiting', { nextAt: at - 5_000 }),
      ]);
      expect(await waits(store)).toEqual(['e0', 'e1', 'e3', 'e2']);
      const [, second] = await store.deliveries.waiting('a', 'w1', false, 2);
      expect(second).toMatchObject({ event: 'e1', attempts: 1, nextAt: at - 5_000 });
      expect(second?.last).toEqual(result('e1', 'waiting').last);
    });

    it('end as they were finished', async () => {
      const { store } = get();
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, ['e1', 'e2'], ['w1', 'w2']));
      const given = result('e2', 'given_up', { attempts: 10 });
      given.last = { ...given.last, responseCode: null, error: 'No answer within 10 s', excerpt: null };
      expect(await store.deliveries.finish(to, [result('e1', 'delivered'), given])).toBe('noted');
      expect(await store.deliveries.finish(to, [])).toBe('noted');
      expect(await store.deliveries.finish(to, [result('e9', 'delivered', { webhook: 'nobody' })])).toBe('noted');
      expect(await waits(store, 'w1')).toEqual([]);
      expect(await waits(store, 'w2')).toEqual(['e1', 'e2']);
      const common = { type: 'tweet.like', webhook: 'w1', nextAt: null, replayed: false, eventAt: expect.any(Number) };
      expect(await store.deliveries.list('a', 'w1', 10)).toEqual([
        { ...common, event: 'e2', state: 'given_up', attempts: 10, last: given.last },
        { ...common, event: 'e1', state: 'delivered', attempts: 1, last: result('e1', 'delivered').last },
      ]);
    });

    it('note when a webhook was last delivered to, never backwards', async () => {
      const { store } = get();
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, ['e1', 'e2', 'e3'], ['w1', 'w2']));
      const at = (event: string, ms: number) => ({
        ...result(event, 'delivered'),
        last: { ...result(event, 'delivered').last, at: ms },
      });
      await store.deliveries.finish(to, [
        at('e1', 70),
        at('e2', 60),
        result('e1', 'waiting', { webhook: 'w2', nextAt: 9 }),
      ]);
      expect((await store.webhooks.find('a', 'w1'))?.lastDeliveryAt).toBe(70);
      expect((await store.webhooks.find('a', 'w2'))?.lastDeliveryAt).toBeNull();
      await store.deliveries.finish(to, [at('e3', 50)]);
      const webhook = await store.webhooks.find('a', 'w1');
      expect(webhook).toMatchObject({ lastDeliveryAt: 70, revision: 1 });
      if (webhook) await store.webhooks.update({ ...webhook, lastDeliveryAt: null });
      expect((await store.webhooks.find('a', 'w1'))?.lastDeliveryAt).toBe(70);
    });

    it('take nothing back for whoever is late', async () => {
      const { store } = get();
      const to = await running(store);
      await store.events.append(append(to, ['e1', 'e2', 'e3']));
      await store.deliveries.finish(to, [
        result('e1', 'delivered', { attempts: 2 }),
        result('e2', 'waiting', { attempts: 2, nextAt: 900 }),
        result('e3', 'given_up', { attempts: 9 }),
      ]);
      await store.deliveries.finish(to, [
        result('e1', 'waiting', { attempts: 3, nextAt: 1 }),
        result('e2', 'waiting', { attempts: 2, nextAt: 1 }),
        result('e3', 'waiting', { attempts: 10, nextAt: 1 }),
      ]);
      expect(await store.deliveries.list('a', 'w1', 10)).toMatchObject([
        { event: 'e3', state: 'given_up', attempts: 9, nextAt: null },
        { event: 'e2', state: 'waiting', attempts: 2, nextAt: 900 },
        { event: 'e1', state: 'delivered', attempts: 2, nextAt: null },
      ]);
      await store.deliveries.finish(to, [result('e3', 'delivered')]);
      expect((await store.deliveries.list('a', 'w1', 1))[0]).toMatchObject({ event: 'e3', state: 'delivered' });
    });

    it('are listed newest event first, ties by id descending, page by page', async () => {
      const { fixture, store } = get();
      const to = await running(store);
      for (const batch of [['e2', 'e9', 'e1'], ['e5'], ['e7', 'e3']]) {
        await store.events.append(append(to, batch));
        fixture.leap(1_000);
      }
      const order = ['e7', 'e3', 'e5', 'e9', 'e2', 'e1'];
      const read: string[] = [];
      let after: DeliveryPosition | undefined;
      for (;;) {
        const page = await store.deliveries.list('a', 'w1', 2, after);
        read.push(...page.map(({ event }) => event));
        const last = page.at(-1);
        if (!last) break;
        after = { at: last.eventAt, event: last.event };
      }
      expect(read).toEqual(order);
      expect(await store.deliveries.list('a', 'w1', 0)).toEqual([]);
      expect(await store.deliveries.list('b', 'w1', 10)).toEqual([]);
    });

    it('of all accounts make the backlog', async () => {
      const { fixture, store } = get();
      expect(await store.deliveries.backlog()).toEqual({ waiting: 0, oldestDueAt: null });
      const one = await running(store);
      const two = await running(store, ['w2'], { id: 'p2', account: 'b' });
      await store.events.append(append(one, ['e1', 'e2']));
      const first = (await store.deliveries.list('a', 'w1', 1))[0]?.eventAt;
      fixture.leap(10_000);
      await store.events.append(append(two, ['f1'], ['w2']));
      const second = (await store.deliveries.list('b', 'w2', 1))[0]?.eventAt;
      expect(await store.deliveries.backlog()).toEqual({ waiting: 3, oldestDueAt: first });
      const later = store.now() + 60_000;
      await store.deliveries.finish(one, [result('e1', 'delivered'), result('e2', 'waiting', { nextAt: later })]);
      expect(await store.deliveries.backlog()).toEqual({ waiting: 2, oldestDueAt: second });
      await store.deliveries.finish(two, [result('f1', 'delivered', { webhook: 'w2' })]);
      expect(await store.deliveries.backlog()).toEqual({ waiting: 1, oldestDueAt: null });
    });

    it('of a webhook that is gone for good end with the reason', async () => {
      const { store } = get();
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, names(4), ['w1', 'w2']));
      const tried = result('e002', 'waiting', { nextAt: 9 });
      await store.deliveries.finish(to, [result('e001', 'delivered'), tried]);
      await store.deliveries.giveUp('b', 'w1', 'not yours');
      expect(await waits(store)).toHaveLength(3);
      await store.deliveries.giveUp('a', 'w1', 'It answered 410');
      expect(await waits(store)).toEqual([]);
      expect(await waits(store, 'w2')).toEqual(names(4));
      const list = await store.deliveries.list('a', 'w1', 10);
      expect(list.map(({ state }) => state)).toEqual(['given_up', 'given_up', 'given_up', 'delivered']);
      expect(list[0]).toMatchObject({ attempts: 0, nextAt: null });
      expect(list[0]?.last).toEqual({
        ...{ at: expect.any(Number), durationMs: 0, responseCode: null, error: 'It answered 410', excerpt: null },
      });
      expect(list[2]?.last).toEqual({ ...tried.last, error: 'It answered 410' });
      expect(list[3]?.last?.error).toBeNull();
    });
  });
}
