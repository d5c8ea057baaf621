import { describe, expect, test } from 'vitest';
import { type DeliveryPosition, type DeliveryState, eventTtlMs } from '../../src/store/port.ts';
import { append, names, result, running, type StoreTest, waits } from './webhook-makers.ts';

export function describeDeliveries({ fixture, store }: StoreTest): void {
  describe('deliveries', () => {
    test('wait with the poller of their event, and are due at once', async () => {
      const to = await running(store);
      await store.events.append(append(to, ['e1']));
      const [waiting] = await store.deliveries.waiting('a', 'w1', false, 10);
      expect(waiting).toEqual({
        event: 'e1',
        type: 'tweet.like',
        webhook: 'w1',
        state: 'waiting',
        attempts: 0,
        replayed: false,
        last: null,
        nextAt: waiting?.eventAt,
        eventAt: expect.any(Number),
        poller: 'p1',
        place: 1,
      });
      expect(await store.deliveries.waiting('a', 'w1', true, 10)).toEqual([]);
      expect(await store.deliveries.waiting('b', 'w1', false, 10)).toEqual([]);
      expect(await store.deliveries.waiting('a', 'w1', false, 0)).toEqual([]);
    });

    test('are listed by the time of their next attempt, then by place', async () => {
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

    test('end with the stored result', async () => {
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, ['e1', 'e2'], ['w1', 'w2']));
      const given = result('e2', 'given_up', { attempts: 10 });
      given.last = { ...given.last, responseCode: null, error: 'No answer within 10 s' };
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

    test('set the time of the last delivery of a webhook, which never decreases', async () => {
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

    test('stay in a replay if the result before it is stored again', async () => {
      const to = await running(store);
      await store.events.append(append(to, ['e1']));
      const delivered = result('e1', 'delivered');
      await store.deliveries.finish(to, [delivered]);
      await store.deliveries.replay('a', 'w1');
      await store.deliveries.finish(to, [delivered]);
      expect((await store.deliveries.find('a', 'w1', 'e1'))?.delivery).toMatchObject({ state: 'waiting', attempts: 0 });
    });

    test('log their last ten attempts, also those before a replay', async () => {
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, ['e1'], ['w1', 'w2']));
      const attempt = (attempts: number, state: DeliveryState = 'waiting') => {
        const made = result('e1', state, { attempts, nextAt: state === 'waiting' ? 9 : null });
        return { ...made, last: { ...made.last, at: made.last.at + attempts }, exchange: `exchange ${attempts}` };
      };
      const log = async (id = 'w1') => (await store.deliveries.find('a', id, 'e1'))?.attempts;
      expect(await log()).toEqual([]);
      await store.deliveries.finish(to, [attempt(1)]);
      await store.deliveries.finish(to, [attempt(1), attempt(2)]);
      const logged = (attempts: number, state?: DeliveryState) => {
        const { last, exchange } = attempt(attempts, state);
        return { attempt: attempts, ...last, exchange };
      };
      expect(await log()).toEqual([logged(1), logged(2)]);
      expect(await log('w2')).toEqual([]);
      for (let count = 3; count <= 10; count++) await store.deliveries.finish(to, [attempt(count)]);
      await store.deliveries.replay('a', 'w1');
      await store.deliveries.finish(to, [{ ...attempt(1, 'delivered'), exchange: null }]);
      await store.deliveries.finish(to, [attempt(1, 'delivered')]);
      const before = Array.from({ length: 9 }, (_, index) => logged(index + 2));
      expect(await log()).toEqual([...before, { ...logged(1, 'delivered'), exchange: null }]);
      const [listed] = await store.deliveries.list('a', 'w1', 1);
      const { delivery } = (await store.deliveries.find('a', 'w1', 'e1')) ?? {};
      expect({ ...delivery, eventAt: listed?.eventAt }).toEqual(listed);
    });

    test('are found for a day, and only by their own account', async () => {
      await store.events.append(append(await running(store), ['e1']));
      expect(await store.deliveries.find('b', 'w1', 'e1')).toBeNull();
      expect(await store.deliveries.find('a', 'w2', 'e1')).toBeNull();
      expect(await store.deliveries.find('a', 'w1', 'e2')).toBeNull();
      fixture.leap(eventTtlMs - 60_000);
      expect(await store.deliveries.find('a', 'w1', 'e1')).not.toBeNull();
      fixture.leap(60_000);
      expect(await store.deliveries.find('a', 'w1', 'e1')).toBeNull();
      expect(await store.deliveries.queued('a', 'w1', 5)).toEqual({ count: 0, nextAt: null });
      expect(await waits(store)).toEqual([]);
    });

    test('set the time since which a webhook accepts nothing, until it accepts an event or gets another URL', async () => {
      const to = await running(store);
      await store.events.append(append(to, names(4)));
      const failed = (event: string, at: number, error: string) => ({
        ...result(event, 'waiting', { nextAt: 9 }),
        last: { at, durationMs: 1, responseCode: null, error },
      });
      const since = async () => {
        const { undeliveredSince, undeliveredError } = (await store.webhooks.find('a', 'w1')) ?? {};
        return [undeliveredSince, undeliveredError];
      };
      await store.deliveries.finish(to, [failed('e002', 31, 'first'), failed('e001', 30, 'second')]);
      expect(await since()).toEqual([30, 'second']);
      await store.deliveries.finish(to, [failed('e003', 40, 'third')]);
      expect(await since()).toEqual([30, 'third']);
      await store.deliveries.finish(to, [result('e003', 'delivered', { attempts: 2 }), failed('e004', 50, 'fourth')]);
      expect(await since()).toEqual([null, null]);
      await store.deliveries.finish(to, [{ ...failed('e004', 60, 'fifth'), attempts: 2 }]);
      expect(await since()).toEqual([60, 'fifth']);
      const stored = await store.webhooks.find('a', 'w1');
      if (stored) await store.webhooks.update({ ...stored, url: 'https://other.test/' });
      expect(await since()).toEqual([null, null]);
    });

    test('do not count an ignored result as a failure of the webhook', async () => {
      const to = await running(store);
      await store.events.append(append(to, ['e1', 'e2']));
      const since = async () => (await store.webhooks.find('a', 'w1'))?.undeliveredSince;
      await store.deliveries.finish(to, [
        result('e1', 'delivered', { attempts: 2 }),
        result('e2', 'delivered', { attempts: 2 }),
      ]);
      const late = ['e1', 'e2'].map((event) => result(event, 'waiting', { attempts: 3, nextAt: 9 }));
      await store.deliveries.finish(to, late);
      expect(await since()).toBeNull();
      await store.events.append(append(to, ['e3']));
      await store.deliveries.finish(to, [...late, result('e3', 'waiting', { nextAt: 9 })]);
      expect(await since()).toBe(5);
    });

    test('that wait are counted up to a limit, with the time of the first', async () => {
      const to = await running(store);
      expect(await store.deliveries.queued('a', 'w1', 5)).toEqual({ count: 0, nextAt: null });
      await store.events.append(append(to, names(4)));
      await store.deliveries.finish(to, [
        result('e001', 'waiting', { nextAt: 7 }),
        result('e002', 'waiting', { nextAt: 8 }),
        result('e003', 'delivered'),
      ]);
      expect(await store.deliveries.queued('a', 'w1', 5)).toEqual({ count: 3, nextAt: 7 });
      expect(await store.deliveries.queued('a', 'w1', 2)).toEqual({ count: 2, nextAt: 7 });
      await store.events.append(append(to, ['e005', 'e006']));
      await store.deliveries.replay('a', 'w1', { event: 'e003' });
      const earlier = result('e006', 'waiting', { nextAt: 5 });
      await store.deliveries.finish(to, [result('e001', 'waiting', { attempts: 2, nextAt: 9 }), earlier]);
      expect(await store.deliveries.queued('a', 'w1', 10)).toEqual({ count: 6, nextAt: 5 });
      expect(await store.deliveries.queued('a', 'w1', 1)).toEqual({ count: 1, nextAt: 5 });
      await store.deliveries.finish(to, [result('e003', 'waiting', { nextAt: 3 })]);
      expect(await store.deliveries.queued('a', 'w1', 1)).toEqual({ count: 1, nextAt: 3 });
      expect(await store.deliveries.queued('b', 'w1', 5)).toEqual({ count: 0, nextAt: null });
    });

    test('ignore a late result that would undo a newer one', async () => {
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

    test('are listed page by page, newest event first, then by id in descending order', async () => {
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

    test('of all accounts count in the backlog', async () => {
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

    test('of paused and invalid webhooks do not count in the backlog', async () => {
      const to = await running(store, ['w1', 'w2', 'w3']);
      await store.events.append(append(to, ['e1', 'e2'], ['w1', 'w2', 'w3']));
      const change = async (id: string, fields: object) => {
        const stored = await store.webhooks.find('a', id);
        if (stored) await store.webhooks.update({ ...stored, ...fields });
      };
      await change('w1', { pausedAt: 5 });
      await change('w2', { valid: false });
      const oldestDueAt = (await store.deliveries.list('a', 'w3', 1))[0]?.eventAt;
      expect(await store.deliveries.backlog()).toEqual({ waiting: 2, oldestDueAt });
      await change('w1', { pausedAt: null });
      expect((await store.deliveries.backlog()).waiting).toBe(4);
      await change('w1', { valid: false });
      await change('w3', { pausedAt: 6 });
      expect(await store.deliveries.backlog()).toEqual({ waiting: 0, oldestDueAt: null });
    });
  });
}
