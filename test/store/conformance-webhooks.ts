import { describe, expect, test } from 'vitest';
import { type ComparedWebhook, type HandshakeLease, handshakeLeaseMs } from '../../src/store/port.ts';
import { describeDeliveries } from './conformance-deliveries.ts';
import { describeEvents } from './conformance-events.ts';
import { describePollers } from './conformance-pollers.ts';
import { describeReplays } from './conformance-replays.ts';
import { append, ids, names, poller, running, type StoreTest, waits, webhook } from './webhook-makers.ts';

/** Tests of the guarantees for webhooks and their deliveries. */
export function describeWebhooks({ fixture, store }: StoreTest): void {
  describe('webhooks', () => {
    const create = (id: string, parts = {}) => store.webhooks.create(webhook(id, parts), poller(), 1_000);

    test('are found unchanged, and only by their own account', async () => {
      const full = webhook('w1', {
        events: ['tweet.like', 'message.received'],
        hasEncryptionCode: true,
        valid: false,
        keptSince: null,
        lastValidatedAt: null,
        failingSince: 7,
        lastDeliveryAt: 8,
        undeliveredSince: 9,
        undeliveredError: 'status 500',
        pausedAt: 10,
        lastError: 'It answered 500',
        revision: 4,
      });
      expect(await store.webhooks.create(full, poller(), 5)).toBe('created');
      expect(await store.webhooks.find('a', 'w1')).toEqual(full);
      expect(await store.webhooks.find('b', 'w1')).toBeNull();
      expect(await store.webhooks.find('a', 'w2')).toBeNull();
    });

    test('are created once, even if the request is repeated', async () => {
      await create('w1');
      expect(await create('w1', { url: 'https://other.test/' })).toBe('created');
      expect(await store.webhooks.list('a', 10)).toEqual([webhook('w1')]);
    });

    test('never exceed their limit, even if many are created at the same time', async () => {
      const other = await fixture.open();
      const outcomes = await Promise.all(
        names(12).map((id, index) => (index % 2 ? store : other).webhooks.create(webhook(id), poller(), 5)),
      );
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(5);
      expect(await store.webhooks.list('a', 100)).toHaveLength(5);
      expect(await store.webhooks.create(webhook('late'), poller(), 5)).toBe('too_many');
      const made = (await store.webhooks.list('a', 1))[0]?.id ?? '';
      expect(await store.webhooks.create(webhook(made), poller(), 5)).toBe('created');
      expect(
        await store.webhooks.create(webhook('b1', { account: 'b', poller: 'p2' }), poller('p2', { account: 'b' }), 5),
      ).toBe('created');
    });

    test('are stored only if all others of the account were compared', async () => {
      const other = await fixture.open();
      await create('w1', { url: 'one' });
      const w1 = { id: 'w1', poller: 'p1', url: 'one' };
      const at = (index: number) => (index % 2 ? store : other);
      const outcomes = await Promise.all(
        names(6).map((id, index) => at(index).webhooks.create(webhook(id), poller(), 9, undefined, [w1])),
      );
      expect(outcomes.sort()).toEqual(['changed', 'changed', 'changed', 'changed', 'changed', 'created']);
      const [made = webhook('none')] = (await store.webhooks.list('a', 10)).filter(({ id }) => id !== 'w1');
      const update = (compared: readonly ComparedWebhook[]) =>
        store.webhooks.update(made, undefined, undefined, compared);
      for (const changed of [[], [{ ...w1, url: 'two' }], [{ ...w1, poller: 'p2' }]]) {
        expect(await update(changed)).toBe(false);
      }
      expect(await update([w1])).toBe(true);
      expect(await store.webhooks.create(made, poller(), 9, undefined, [])).toBe('created');
    });

    test('are listed page by page, newest first, then by id in descending order', async () => {
      await create('w1', { createdAt: 5 });
      await create('w3', { createdAt: 5 });
      await create('w2', { createdAt: 5 });
      await create('w0', { createdAt: 9 });
      await create('w9', { createdAt: 2 });
      expect(ids(await store.webhooks.list('a', 10))).toEqual(['w0', 'w3', 'w2', 'w1', 'w9']);
      expect(ids(await store.webhooks.list('a', 2))).toEqual(['w0', 'w3']);
      expect(ids(await store.webhooks.list('a', 2, { createdAt: 5, id: 'w3' }))).toEqual(['w2', 'w1']);
      expect(ids(await store.webhooks.list('a', 2, { createdAt: 5, id: 'w1' }))).toEqual(['w9']);
      expect(await store.webhooks.list('a', 0)).toEqual([]);
      expect(await store.webhooks.list('b', 10)).toEqual([]);
      expect(ids(await store.webhooks.ofPoller('a', 'p1'))).toEqual(['w9', 'w1', 'w2', 'w3', 'w0']);
      expect(await store.webhooks.ofPoller('b', 'p1')).toEqual([]);
    });

    test('of all accounts are found if their URL is stored in plain text', async () => {
      await create('w1');
      await create('w2', { url: 'v1.key.sealed' });
      await store.webhooks.create(webhook('w3', { account: 'b', poller: 'p2' }), poller('p2', { account: 'b' }), 5);
      expect(ids(await store.webhooks.withPlainUrl(10)).sort()).toEqual(['w1', 'w3']);
      expect(await store.webhooks.withPlainUrl(1)).toHaveLength(1);
      await store.webhooks.update(webhook('w1', { url: 'v1.key.sealed too' }));
      expect(ids(await store.webhooks.withPlainUrl(10))).toEqual(['w3']);
    });

    test('and pollers are listed over all accounts, and get another encryption unless they were changed', async () => {
      await create('w1');
      await store.webhooks.create(webhook('w2', { account: 'b', poller: 'p2' }), poller('p2', { account: 'b' }), 5);
      expect(ids(await store.webhooks.listAll(1))).toEqual(['w1']);
      expect(ids(await store.webhooks.listAll(10, 'w1'))).toEqual(['w2']);
      const resealed = { account: 'b', id: 'w2', revision: 1, url: 'new url', sealed: 'new' };
      expect(await store.webhooks.reseal({ ...resealed, revision: 2 })).toBe(false);
      expect(await store.webhooks.reseal(resealed)).toBe(true);
      expect(await store.webhooks.find('b', 'w2')).toMatchObject({ url: 'new url', sealed: 'new', revision: 2 });

      expect(ids(await store.pollers.listAll(1))).toEqual(['p1']);
      expect(ids(await store.pollers.listAll(10, 'p1'))).toEqual(['p2']);
      await store.pollers.claim('one', 10);
      await store.pollers.woken('one');
      const other = { account: 'b', id: 'p2', sealed: 'new', unreachable: null };
      expect(await store.pollers.reseal(other, 'changed meanwhile')).toBe(false);
      expect(await store.pollers.reseal(other, 'sealed of p2')).toBe(true);
      expect((await store.pollers.find('b', 'p2'))?.sealed).toBe('new');
      expect(await store.pollers.woken('one')).toEqual(['p2']);
    });

    test('are changed only by an update with the current revision', async () => {
      await create('w1');
      const changed = webhook('w1', {
        url: 'https://new.test/',
        sealed: 'new',
        events: ['tweet.quote'],
        hasEncryptionCode: true,
        valid: false,
        keptSince: 2,
        lastValidatedAt: 3,
        failingSince: 4,
        pausedAt: 5,
        lastError: 'wrong',
      });
      const kept = { createdAt: 99, lastDeliveryAt: 99, undeliveredSince: 99, undeliveredError: 'not its own' };
      expect(await store.webhooks.update({ ...changed, ...kept })).toBe(true);
      expect(await store.webhooks.find('a', 'w1')).toEqual({ ...changed, revision: 2 });
      expect(await store.webhooks.update(changed)).toBe(false);
      expect(await store.webhooks.update({ ...changed, revision: 2, account: 'b' })).toBe(false);
      expect(await store.webhooks.update(webhook('w2'))).toBe(false);
      expect(await store.webhooks.find('a', 'w1')).toEqual({ ...changed, revision: 2 });
    });

    test('accept one of several concurrent updates', async () => {
      const other = await fixture.open();
      await create('w1');
      const outcomes = await Promise.all(
        names(6).map((name, index) => (index % 2 ? store : other).webhooks.update(webhook('w1', { lastError: name }))),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      expect((await store.webhooks.find('a', 'w1'))?.revision).toBe(2);
    });

    test('keep a poller, which is removed with the last of them', async () => {
      await create('w1');
      await create('w2');
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ ...poller(), cursor: null, stopped: null });
      expect(await store.pollers.find('b', 'p1')).toBeNull();
      expect(await store.webhooks.remove('a', 'w1')).toBe(true);
      expect(await store.pollers.count()).toBe(1);
      expect(await store.webhooks.remove('a', 'w1')).toBe(false);
      expect(await store.webhooks.remove('b', 'w2')).toBe(false);
      expect(await store.webhooks.remove('a', 'w2')).toBe(true);
      expect(await store.pollers.find('a', 'p1')).toBeNull();
      expect(await store.pollers.count()).toBe(0);
      expect(await store.pollers.claim('one', 10)).toEqual([]);
    });

    test('that are added keep the state of the poller and replace its sealed credentials', async () => {
      const first = await running(store);
      await store.events.append(append(first, ['e1']));
      await store.webhooks.create(webhook('w2'), poller('p1', { sealed: 'again', createdAt: 9 }), 10);
      const { cursor, createdAt, fence } = { ...first, cursor: 'behind e1' };
      expect(await store.pollers.find('a', 'p1')).toMatchObject({ cursor, createdAt, fence, sealed: 'again' });
    });

    test('that are created after the last one was removed get a new poller', async () => {
      const first = await running(store);
      await store.events.append(append(first, ['e1']));
      await store.pollers.stop(first, 'refused');
      await store.pollers.setUnreachable(first, 'sealed reason');
      await store.webhooks.remove('a', 'w1');
      await store.webhooks.create(webhook('w2'), poller('p1', { createdAt: 50 }), 10);
      const anew = { cursor: null, stopped: null, unreachable: null, streamedUntil: null, createdAt: 50 };
      expect(await store.pollers.find('a', 'p1')).toMatchObject(anew);
      expect(await store.events.append(append(first, ['e2']))).toBe('superseded');
      const [second] = await store.pollers.claim('two', 10);
      if (!second) throw new Error('nobody runs it, so it can be claimed');
      await store.events.append(append(second, ['e3'], ['w2']));
      expect(await store.events.after('a', 'p1', 0, 10)).toMatchObject([
        { id: 'e1', place: 1 },
        { id: 'e3', place: 2 },
      ]);
    });

    test('move to another poller with their waiting deliveries', async () => {
      const first = await running(store);
      await store.events.append(append(first, ['e1']));
      expect(await store.webhooks.update(webhook('w1', { poller: 'p2' }), poller('p2'))).toBe(true);
      expect(await store.pollers.find('a', 'p1')).toBeNull();
      expect(ids(await store.webhooks.ofPoller('a', 'p2'))).toEqual(['w1']);
      const second = await running(store, [], { id: 'p2' });
      await store.events.append(append(second, ['e1', 'e2']));
      expect(await store.deliveries.waiting('a', 'w1', false, 10)).toMatchObject([
        { event: 'e1', poller: 'p1' },
        { event: 'e2', poller: 'p2' },
      ]);
      expect(await store.webhooks.update(webhook('w1', { poller: 'p1', revision: 2 }), poller())).toBe(true);
      await expect(store.webhooks.update(webhook('w1', { poller: 'p9', revision: 3 }))).rejects.toThrow(
        /does not exist/,
      );
      expect(await store.webhooks.find('a', 'w1')).toMatchObject({ poller: 'p1', revision: 3 });
    });

    test('that are removed lose their deliveries and get no new ones', async () => {
      const to = await running(store, ['w1', 'w2']);
      await store.events.append(append(to, names(30), ['w1', 'w2']));
      await store.webhooks.remove('a', 'w1');
      await store.events.append(append(to, ['late'], ['w1', 'w2']));
      expect(await waits(store, 'w1')).toEqual([]);
      expect(await store.deliveries.list('a', 'w1', 10)).toEqual([]);
      expect(await waits(store, 'w2')).toEqual([...names(30), 'late']);
      expect((await store.deliveries.backlog()).waiting).toBe(31);
    });
  });

  describe('the handshake of a webhook', () => {
    const lease = (holder: string, target = 'url and secret'): HandshakeLease => ({
      account: 'a',
      webhook: 'w1',
      holder,
      target,
    });
    const begin = (holder: string, joined: number | null = null, target?: string) =>
      store.webhooks.beginHandshake(lease(holder, target), joined);

    test('is run by one holder at a time, even if several begin at the same time', async () => {
      const other = await fixture.open();
      await store.webhooks.create(webhook('w1'), poller(), 5);
      const states = await Promise.all(
        names(8).map((holder, index) => (index % 2 ? store : other).webhooks.beginHandshake(lease(holder), null)),
      );
      const holder = states[0]?.holder ?? '';
      expect(names(8)).toContain(holder);
      for (const state of states) expect(state).toEqual({ number: 1, holder, last: null });
      expect(await begin(holder)).toMatchObject({ number: 2, holder });
    });

    test('returns its outcome to the callers that wait for it, and not to later ones', async () => {
      await store.webhooks.create(webhook('w1'), poller(), 5);
      await begin('one');
      expect(await begin('two')).toMatchObject({ number: 1, holder: 'one' });
      await store.webhooks.endHandshake(lease('one'), 1, 'passed');
      const last = { number: 1, target: 'url and secret', outcome: 'passed' };
      expect(await begin('two', 1)).toEqual({ number: 1, holder: null, last });
      expect(await begin('two', 1, 'another secret')).toEqual({ number: 2, holder: 'two', last });
      expect(await begin('three', 1)).toEqual({ number: 2, holder: 'two', last });
      await store.webhooks.endHandshake(lease('two'), 2, null);
      expect(await begin('three')).toEqual({ number: 3, holder: 'three', last });
    });

    test('can be taken over when the lease of its holder has expired', async () => {
      await store.webhooks.create(webhook('w1'), poller(), 5);
      await begin('one');
      fixture.leap(handshakeLeaseMs - 1);
      expect(await begin('two')).toMatchObject({ number: 1, holder: 'one' });
      fixture.leap(1);
      expect(await begin('two', 1)).toEqual({ number: 2, holder: 'two', last: null });
      await store.webhooks.endHandshake(lease('one'), 1, 'late');
      expect(await begin('one')).toEqual({ number: 2, holder: 'two', last: null });
    });

    test('does not change the webhook, and ends when the webhook is removed', async () => {
      await store.webhooks.create(webhook('w1'), poller(), 5);
      await begin('one');
      expect(await store.webhooks.find('a', 'w1')).toEqual(webhook('w1'));
      expect(await store.webhooks.update(webhook('w1', { lastError: 'changed' }))).toBe(true);
      expect(await begin('two')).toMatchObject({ holder: 'one' });
      const ofOthers = { ...lease('two'), account: 'b' };
      expect(await store.webhooks.beginHandshake(ofOthers, null)).toBeNull();
      await store.webhooks.remove('a', 'w1');
      expect(await begin('one')).toBeNull();
      await store.webhooks.endHandshake(lease('one'), 1, 'passed');
      expect(await store.webhooks.find('a', 'w1')).toBeNull();
    });
  });

  describePollers({ fixture, store });
  describeEvents({ fixture, store });
  describeDeliveries({ fixture, store });
  describeReplays({ fixture, store });
}
