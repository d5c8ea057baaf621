import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { KeyRestrictions } from '../../src/shared/model/key-restrictions.ts';
import {
  type CommitOutcome,
  commitLifeMs,
  commitTtlMs,
  holdTtlMs,
  type KeyRecord,
  type LedgerCommit,
  type Settlement,
  type Store,
  StoreUnavailableError,
  type TopUp,
} from '../../src/store/port.ts';
import { commitUntilKnown } from './commit-until-known.ts';
import { describeAccountEvents } from './conformance-account-events.ts';
import { describeAudit } from './conformance-audit.ts';
import { describeBudgets } from './conformance-budgets.ts';
import { describeClock } from './conformance-clock.ts';
import { describeConnections } from './conformance-connections.ts';
import { answerOf, describeIdempotency } from './conformance-idempotency.ts';
import { describeIdentifiers } from './conformance-identifiers.ts';
import { describePlatformState } from './conformance-platform-state.ts';
import { describeProcesses } from './conformance-processes.ts';
import { describeSecretCheck } from './conformance-secret-check.ts';
import { describeStatistics } from './conformance-statistics.ts';
import { describeWebhooks } from './conformance-webhooks.ts';
import { apiKey, makeCommit } from './webhook-makers.ts';

/** An empty store with its own clock. */
export interface StoreFixture {
  /** Opens the store like a process. Each call returns another handle on the same data. */
  open(): Promise<Store>;
  /** Returns the time of the store's clock. */
  now(): number;
  /** Sets the store's clock, forwards or backwards. */
  leap(ms: number): void;
  /** Closes open handles and deletes the data. */
  end(): Promise<void>;
}

/** Passes each access on to the object of the running test, so that tests can be declared before it exists. */
function current<Part extends object>(part: () => Part): Part {
  return new Proxy({} as Part, {
    get(_target, name) {
      const value: unknown = Reflect.get(part(), name);
      return typeof value === 'function' ? value.bind(part()) : value;
    },
  });
}

/** Tests of all guarantees of the store port, at least one for each sentence of it. `sweptHolds` is more than two batches of a sweep. */
export function describeStore(name: string, start: () => Promise<StoreFixture>, sweptHolds = 2_500): void {
  describe(name, () => {
    let started: StoreFixture;
    let opened: Store;
    const fixture = current(() => started);
    const store = current(() => opened);

    beforeEach(async () => {
      started = await start();
      opened = await started.open();
    });
    afterEach(() => fixture.end());

    let commits = 0;
    /** Returns a commit of writer `w1`, generation 1, of account `a`, with the current time and a unique id. */
    const commit = (parts: Partial<LedgerCommit>) =>
      makeCommit(fixture, `commit-${++commits}`, { writer: 'w1', ...parts });

    const send = (parts: Partial<LedgerCommit>) => store.ledger.commit(commit(parts));

    const account = async (id: string, micros = 0, createdAt = 1) => {
      await store.accounts.create({ id, name: `name of ${id}`, createdAt });
      if (micros > 0) await store.ledger.topUp(payment(`first-${id}`, id, micros));
    };

    const usageTotal = async (id: string) => {
      const lines = await store.ledger.usage(id, 0, 1_000_000);
      return lines.reduce((total, line) => total + line.micros, 0);
    };

    const expectSound = async (id: string) => {
      const balance = await store.ledger.balance(id);
      const payments = await store.ledger.payments(id, 1_000);
      expect(balance).not.toBeNull();
      if (!balance) return;
      expect(balance.paid).toBe(balance.avail + balance.held + balance.charged);
      expect(balance.paid).toBe(payments.reduce((total, { micros }) => total + micros, 0));
      expect(balance.charged).toBe(await usageTotal(id));
      expect(balance.avail).toBeGreaterThanOrEqual(0);
    };

    describeIdempotency({ fixture, store });
    describeAudit({ fixture, store });
    describeBudgets({ fixture, store });
    describeClock({ fixture, store });
    describeProcesses({ fixture, store });
    describeConnections({ fixture, store });
    describeSecretCheck({ fixture, store });
    describePlatformState({ fixture, store });
    describeIdentifiers({ fixture, store });
    describeAccountEvents({ fixture, store });
    describeStatistics({ fixture, store });
    describeWebhooks({ fixture, store });

    describe('accounts', () => {
      test('returns a created account, otherwise null', async () => {
        expect(await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 5 })).toBe(true);
        expect(await store.accounts.find('a')).toEqual({ id: 'a', name: 'Ada', createdAt: 5, ...plain });
        expect(await store.accounts.find('b')).toBeNull();
        expect(await store.ledger.balance('a')).toEqual({ paid: 0, charged: 0, avail: 0, held: 0 });
      });

      test('does not change an existing account', async () => {
        await account('a', 1_000);
        expect(await store.accounts.create({ id: 'a', name: 'another', createdAt: 9 })).toBe(false);
        expect(await store.accounts.find('a')).toEqual({ id: 'a', name: 'name of a', createdAt: 1, ...plain });
        expect((await store.ledger.balance('a'))?.paid).toBe(1_000);
      });

      test('renames an account', async () => {
        await account('a');
        expect(await store.accounts.rename('a', 'another name')).toBe(true);
        expect((await store.accounts.find('a'))?.name).toBe('another name');
        expect((await store.accounts.list())[0]?.name).toBe('another name');
        expect(await store.accounts.rename('nobody', 'a name')).toBe(false);
      });

      test('stores the rate limit of an account', async () => {
        await account('a');
        expect(await store.accounts.setRateLimit('a', 600)).toBe(true);
        expect((await store.accounts.find('a'))?.rateLimit).toBe(600);
        expect((await store.accounts.list())[0]?.rateLimit).toBe(600);
        await store.accounts.setRateLimit('a', null);
        expect((await store.accounts.find('a'))?.rateLimit).toBeNull();
        expect(await store.accounts.setRateLimit('nobody', 1)).toBe(false);
      });

      test('are deleted with their data, except the amounts of money', async () => {
        await account('a', 500);
        await store.accounts.setRateLimit('a', 5);
        await store.keys.create(apiKey('k'));
        await store.idempotency.claim({ account: 'a', key: 'one', owner: 'o', fingerprints: ['f'] });
        await account('b', 500);
        await store.keys.create(apiKey('other', { account: 'b' }));
        const at = fixture.now();
        expect(await store.accounts.markDeleted('a', at)).toBe(at);
        expect(await store.accounts.markDeleted('a', at + 1)).toBe(at);
        expect(await store.accounts.markDeleted('nobody', at)).toBeNull();
        expect(await store.accounts.erase('a')).toBeGreaterThan(1);
        expect(await store.accounts.erase('a')).toBe(0);
        expect(await store.accounts.find('a')).toMatchObject({ name: '', rateLimit: null, deletedAt: at });
        expect(await store.keys.list('a')).toEqual([]);
        expect(await store.keys.find('k')).toBeNull();
        const claim = { account: 'a', key: 'one', owner: 'p', fingerprints: ['g'] };
        expect(await store.idempotency.claim(claim)).toMatchObject({ status: 'claimed' });
        expect(await store.ledger.payments('a', 10)).toMatchObject([{ micros: 500, description: '' }]);
        expect(await store.ledger.balance('a')).toMatchObject({ paid: 500, avail: 500 });
        expect(await store.keys.list('b')).toHaveLength(1);
        expect((await store.ledger.payments('b', 10))[0]?.description).not.toBe('');
      });

      test('lists the oldest first, then by id, with balances', async () => {
        await account('c', 0, 1);
        await account('b', 0, 2);
        await account('a', 500, 2);
        await send({ account: 'a', begins: true, reserve: [200] });
        const list = await store.accounts.list();
        expect(list.map(({ id }) => id)).toEqual(['c', 'a', 'b']);
        expect(list[1]).toEqual({
          id: 'a',
          name: 'name of a',
          createdAt: 2,
          ...plain,
          paid: 500,
          charged: 0,
          avail: 300,
          held: 200,
        });
      });
    });

    describe('keys', () => {
      test('finds a key by its hash, revoked or not', async () => {
        expect(await store.keys.create(apiKey('k1'))).toBe(true);
        await store.keys.create(apiKey('k2', { revokedAt: 7, lastUsedAt: 6 }));
        expect(await store.keys.findByHash('hash-k1')).toEqual(apiKey('k1'));
        expect(await store.keys.findByHash('hash-k2')).toEqual(apiKey('k2', { revokedAt: 7, lastUsedAt: 6 }));
        expect(await store.keys.findByHash('hash-k3')).toBeNull();
      });

      test('stores the restrictions of a key', async () => {
        const restrictions: KeyRestrictions = {
          readOnly: true,
          groups: ['tweet', 'dm'],
          ipRanges: ['203.0.113.0/24', '2001:db8::1'],
          callsPerMinute: 60,
          microsPerDay: 500_000,
          expiresAt: 4_000_000_000_000,
        };
        await account('a');
        await store.keys.create(apiKey('k1', { restrictions }));
        await store.keys.createWithin(apiKey('k2', { restrictions }), 2);
        expect((await store.keys.findByHash('hash-k1'))?.restrictions).toEqual(restrictions);
        expect(await store.keys.list('a')).toEqual(['k1', 'k2'].map((id) => apiKey(id, { restrictions })));
      });

      test('creates keys within a limit of keys that are not revoked', async () => {
        const within = (id: string, parts: Partial<KeyRecord> = {}) => store.keys.createWithin(apiKey(id, parts), 2);
        await store.accounts.create({ id: 'a', name: 'A', createdAt: 1 });
        await store.keys.create(apiKey('of b', { account: 'b' }));
        expect(await within('k1')).toBe('created');
        expect(await within('k1', { hash: 'other' })).toBe('exists');
        expect(await within('k9', { hash: 'hash-k1' })).toBe('exists');
        const atOnce = await Promise.all(['k2', 'k3', 'k4'].map((id) => within(id)));
        expect(atOnce.sort()).toEqual(['created', 'too_many', 'too_many']);
        expect(await store.keys.list('a')).toHaveLength(2);
        await store.keys.revoke('k1', 10);
        expect(await within('k5')).toBe('created');
        expect(await store.keys.findByHash('hash-k5')).toEqual(apiKey('k5'));
      });

      test('keeps the revoked keys that were revoked last when it creates a key within a limit', async () => {
        await store.accounts.create({ id: 'a', name: 'A', createdAt: 1 });
        await store.keys.create(apiKey('of b', { account: 'b', revokedAt: 1 }));
        for (const [id, revokedAt] of [
          ['k1', 30],
          ['k2', 10],
          ['k3', 20],
          ['k4', 40],
        ] as const) {
          await store.keys.create(apiKey(id, { revokedAt }));
        }
        expect(await store.keys.createWithin(apiKey('k5'), 2)).toBe('created');
        expect((await store.keys.list('a')).map(({ id }) => id)).toEqual(['k1', 'k4', 'k5']);
        expect(await store.keys.list('b')).toHaveLength(1);
        // The id and the hash of a deleted key are free again.
        expect(await store.keys.create(apiKey('k2'))).toBe(true);
      });

      test('does not change a key with an existing id or hash', async () => {
        await store.keys.create(apiKey('k1'));
        expect(await store.keys.create(apiKey('k1', { hash: 'other', name: 'other' }))).toBe(false);
        expect(await store.keys.create(apiKey('k2', { hash: 'hash-k1' }))).toBe(false);
        expect(await store.keys.list()).toEqual([apiKey('k1')]);
      });

      test('lists the oldest first, then by id, of one account or of all', async () => {
        await store.keys.create(apiKey('k3', { createdAt: 1 }));
        await store.keys.create(apiKey('k2', { createdAt: 2, account: 'b' }));
        await store.keys.create(apiKey('k1', { createdAt: 2 }));
        expect((await store.keys.list()).map(({ id }) => id)).toEqual(['k3', 'k1', 'k2']);
        expect((await store.keys.list('a')).map(({ id }) => id)).toEqual(['k3', 'k1']);
        expect(await store.keys.list('nobody')).toEqual([]);
      });

      test('revokes once and keeps the time of the first revocation', async () => {
        await store.keys.create(apiKey('k1'));
        expect(await store.keys.revoke('k1', 50)).toEqual(apiKey('k1', { revokedAt: 50 }));
        expect(await store.keys.revoke('k1', 60)).toEqual(apiKey('k1', { revokedAt: 50 }));
        expect(await store.keys.revoke('k9', 60)).toBeNull();
        expect(await store.keys.find('k1')).toEqual(apiKey('k1', { revokedAt: 50 }));
        expect(await store.keys.find('k9')).toBeNull();
      });

      test('stores the time of the last use, which never decreases, and ignores ids that do not exist', async () => {
        await store.keys.create(apiKey('k1'));
        await store.keys.create(apiKey('k2'));
        await store.keys.touch([]);
        await store.keys.touch([
          { id: 'k1', at: 30 },
          { id: 'nobody', at: 40 },
          { id: 'k2', at: 20 },
        ]);
        await store.keys.touch([{ id: 'k1', at: 10 }]);
        expect((await store.keys.findByHash('hash-k1'))?.lastUsedAt).toBe(30);
        expect((await store.keys.findByHash('hash-k2'))?.lastUsedAt).toBe(20);
      });
    });

    describe('ledger commits', () => {
      beforeEach(() => account('a', 1_000));

      test('reserves, settles and releases', async () => {
        expect(await send({ begins: true, reserve: [300, 200] })).toEqual(
          applied({ granted: [true, true], left: 1_000 }),
        );
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 0, avail: 500, held: 500 });
        expect(await send({ settle: [settlement(120)], release: 180 })).toEqual(
          applied({ settled: ['charged'], left: 880 }),
        );
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 120, avail: 680, held: 200 });
        await expectSound('a');
      });

      test('grants, in order of arrival, each reservation that fits into the remaining credit', async () => {
        const outcome = await send({ begins: true, reserve: [600, 500, 400, 1] });
        expect(outcome).toEqual(applied({ granted: [true, false, true, false], left: 1_000 }));
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 0, avail: 0, held: 1_000 });
      });

      test('applies release, then settle, then late, then reserve', async () => {
        await send({ begins: true, reserve: [1_000] });
        const outcome = await send({
          release: 500,
          settle: [settlement(400)],
          late: [settlement(300), settlement(300)],
          reserve: [150, 100, 100],
        });
        expect(outcome).toEqual(
          applied({ granted: [true, false, false], settled: ['charged'], late: ['charged', 'short'], left: 300 }),
        );
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 700, avail: 50, held: 250 });
        await expectSound('a');
      });

      test('charges a late settlement without a hold, and creates no hold', async () => {
        const late = [settlement(400), settlement(700), settlement(600)];
        expect(await send({ begins: true, late })).toEqual(applied({ late: ['charged', 'short', 'charged'], left: 0 }));
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 1_000, avail: 0, held: 0 });
        await expectSound('a');
      });

      test('returns the first outcome for a repeated id and changes nothing', async () => {
        const first = commit({ begins: true, reserve: [900, 200], late: [settlement(50)] });
        const outcome = await store.ledger.commit(first);
        expect(outcome).toEqual(applied({ granted: [true, false], late: ['charged'], left: 950 }));
        const second = commit({ settle: [settlement(300)], release: 600 });
        const ended = await store.ledger.commit(second);
        await store.ledger.topUp(payment('p2', 'a', 5_000));
        const before = await store.ledger.balance('a');
        expect(await store.ledger.commit(first)).toEqual(outcome);
        expect(await store.ledger.commit(second)).toEqual(ended);
        const [again, once] = await Promise.all([store.ledger.commit(first), store.ledger.commit(first)]);
        expect(again).toEqual(outcome);
        expect(once).toEqual(outcome);
        expect(await store.ledger.balance('a')).toEqual(before);
        await expectSound('a');
      });

      test('applies a commit once if it is sent twice at the same time', async () => {
        const other = await fixture.open();
        const one = commit({ begins: true, reserve: [100] });
        const outcomes = await Promise.all([
          store.ledger.commit(one),
          store.ledger.commit(one),
          other.ledger.commit(one),
        ]);
        for (const outcome of outcomes) expect(outcome).toEqual(applied({ granted: [true], left: 1_000 }));
        expect((await store.ledger.balance('a'))?.held).toBe(100);
      });

      test('never applies a commit again whose outcome was deleted, nor any other commit of that age', async () => {
        const one = commit({ begins: true, reserve: [100], late: [settlement(10)] });
        await store.ledger.commit(one);
        const never = commit({ writer: 'w2', begins: true, reserve: [100] });
        fixture.leap(commitLifeMs);
        expect(await store.ledger.commit({ ...never, id: 'just' })).toMatchObject({ status: 'applied' });
        fixture.leap(1);
        expect(await store.ledger.commit(never)).toEqual({ status: 'expired' });
        expect(await store.ledger.commit(one)).toMatchObject({ status: 'applied', late: ['charged'] });
        fixture.leap(commitTtlMs);
        await store.ledger.sweep();
        expect(await store.ledger.commit(one)).toEqual({ status: 'expired' });
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 10, avail: 990, held: 0 });
      });

      test('recognizes a repeated id for an hour', async () => {
        const one = commit({ begins: true, reserve: [100] });
        await store.ledger.commit(one);
        await send({ release: 100 });
        fixture.leap(commitTtlMs - 1);
        await store.ledger.sweep();
        expect(await store.ledger.commit(one)).toEqual(applied({ granted: [true], left: 1_000 }));
        expect((await store.ledger.balance('a'))?.held).toBe(0);
      });

      test('changes nothing if the hold does not exist, or if the commit begins an existing hold', async () => {
        expect(await send({ reserve: [10], late: [settlement(10)] })).toEqual(swept);
        await send({ begins: true, reserve: [100] });
        expect(await send({ begins: true, reserve: [10] })).toEqual(swept);
        expect(await send({ generation: 2, release: 10 })).toEqual(swept);
        expect(await send({ writer: 'w2', release: 10 })).toEqual(swept);
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 0, avail: 900, held: 100 });
      });

      test('keeps the holds of writers and generations separate', async () => {
        await send({ begins: true, reserve: [100] });
        await send({ begins: true, reserve: [200], writer: 'w2' });
        await send({ begins: true, reserve: [300], generation: 2 });
        await send({ release: 200, writer: 'w2' });
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 0, avail: 600, held: 400 });
      });

      test('ends a hold when no reservation is open', async () => {
        await send({ begins: true, reserve: [100] });
        await send({ settle: [settlement(60)], release: 40 });
        expect(await send({ reserve: [10] })).toEqual(swept);
        fixture.leap(holdTtlMs);
        expect(await store.ledger.sweep()).toBe(0);
      });

      test('creates no hold if nothing was granted', async () => {
        expect(await send({ begins: true, reserve: [1_001] })).toEqual(applied({ granted: [false], left: 1_000 }));
        expect(await send({ release: 0 })).toEqual(swept);
      });

      test('reports that the account does not exist', async () => {
        expect(await send({ account: 'nobody', begins: true, reserve: [1] })).toEqual({ status: 'no_account' });
        expect(await store.ledger.balance('nobody')).toBeNull();
      });

      test('throws and changes nothing if a commit exceeds its hold or has a fractional amount', async () => {
        await send({ begins: true, reserve: [100] });
        const wrong = [
          commit({ release: 101 }),
          commit({ release: 60, settle: [settlement(60)] }),
          commit({ reserve: [0.5] }),
          commit({ reserve: [-1] }),
          commit({ release: -1 }),
          commit({ late: [settlement(Number.NaN)] }),
        ];
        const sound = commit({ id: 'sound', settle: [settlement(10)] });
        const results = await Promise.allSettled([...wrong, sound].map((one) => store.ledger.commit(one)));
        expect(results.map(({ status }) => status)).toEqual([...wrong.map(() => 'rejected'), 'fulfilled']);
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 10, avail: 900, held: 90 });
        await expectSound('a');
      });

      test('applies a commit completely or not at all during concurrent writes', async () => {
        await account('b', 1_000);
        const results = await Promise.allSettled([
          send({ id: 'a1', begins: true, reserve: [400] }),
          send({ account: 'b', begins: true, late: [settlement(10)], reserve: [Number.NaN] }),
          send({ id: 'a2', settle: [settlement(400, 'x', 'key')] }),
          store.ledger.topUp(payment('bad', 'b', 0.5)),
          store.ledger.topUp(payment('good', 'b', 5)),
        ]);
        const rejected = results.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
        expect(rejected).toEqual([1, 3]);
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 400, avail: 600, held: 0 });
        expect(await store.ledger.balance('b')).toEqual({ paid: 1_005, charged: 0, avail: 1_005, held: 0 });
        await expectSound('a');
        await expectSound('b');
      });

      test('grants concurrent writers exactly as many reservations as the credit covers', async () => {
        await account('b', 25);
        const other = await fixture.open();
        const outcomes = await Promise.all(
          Array.from({ length: 40 }, (_, index) =>
            commitUntilKnown(
              index % 2 ? store : other,
              commit({ id: `c${index}`, account: 'b', writer: `w${index}`, begins: true, reserve: [1] }),
            ),
          ),
        );
        const granted = outcomes.filter((outcome) => outcome.status === 'applied' && outcome.granted[0]);
        expect(granted).toHaveLength(25);
        expect(await store.ledger.balance('b')).toEqual({ paid: 25, charged: 0, avail: 0, held: 25 });
      });

      test('stores the responses of charged calls only', async () => {
        await send({ begins: true, reserve: [100] });
        await send({
          settle: [settlement(100, 'x', 'settled')],
          late: [settlement(5_000, 'x', 'gone'), settlement(10, 'x', 'late')],
        });
        expect(await answerOf(store, 'a', 'settled')).toBe('answer of settled');
        expect(await answerOf(store, 'a', 'late')).toBe('answer of late');
        expect(await answerOf(store, 'a', 'gone')).toBeNull();
        expect(await answerOf(store, 'b', 'settled')).toBeNull();
      });

      test('charges an Idempotency-Key once, and releases the hold of the second call', async () => {
        await send({ begins: true, reserve: [300, 300] });
        const twice = [settlement(100, 'x', 'k'), settlement(200, 'x', 'k')];
        expect(await send({ settle: twice })).toEqual(applied({ settled: ['charged', 'answered'], left: 900 }));
        const again = commit({ settle: [settlement(100, 'x', 'k'), settlement(50)], late: [settlement(10, 'x', 'k')] });
        const outcome = applied({ settled: ['answered', 'charged'], late: ['answered'], left: 850 });
        expect(await store.ledger.commit(again)).toEqual(outcome);
        expect(await store.ledger.commit(again)).toEqual(outcome);
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 150, avail: 700, held: 150 });
        expect(await answerOf(store, 'a', 'k')).toBe('answer of k');
        await expectSound('a');
      });
    });

    describe('sweeping', () => {
      beforeEach(() => account('a', 1_000));

      test('releases an expired hold exactly once', async () => {
        await send({ begins: true, reserve: [300] });
        fixture.leap(holdTtlMs - 1);
        expect(await store.ledger.sweep()).toBe(0);
        expect((await store.ledger.balance('a'))?.held).toBe(300);
        fixture.leap(1);
        const other = await fixture.open();
        const ended = await Promise.all([store.ledger.sweep(), other.ledger.sweep(), store.ledger.sweep()]);
        expect(ended.reduce((total, holds) => total + holds, 0)).toBe(1);
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 0, avail: 1_000, held: 0 });
      });

      test('every commit, also an empty one, renews its hold for 20 s', async () => {
        await send({ begins: true, reserve: [300] });
        fixture.leap(holdTtlMs - 1);
        expect(await send({ id: 'renewal' })).toEqual(applied({ left: 1_000 }));
        fixture.leap(holdTtlMs - 1);
        expect(await store.ledger.sweep()).toBe(0);
        fixture.leap(1);
        expect(await store.ledger.sweep()).toBe(1);
      });

      test('a commit after the sweep, and its repetition, return `swept` and change nothing', async () => {
        const first = commit({ begins: true, reserve: [300] });
        await store.ledger.commit(first);
        fixture.leap(holdTtlMs);
        await store.ledger.sweep();
        const settle = commit({ settle: [settlement(300)] });
        expect(await store.ledger.commit(settle)).toEqual(swept);
        expect(await store.ledger.commit(first)).toEqual(applied({ granted: [true], left: 1_000 }));
        await send({ begins: true, generation: 2, reserve: [300] });
        expect(await store.ledger.commit(settle)).toEqual(swept);
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 0, avail: 700, held: 300 });
      });

      test('ends many holds in one sweep, and deletes expired outcomes', async () => {
        await account('b', 10_000);
        await Promise.all(
          Array.from({ length: sweptHolds }, (_, index) =>
            commitUntilKnown(
              store,
              commit({ id: `c${index}`, account: 'b', writer: `w${index}`, begins: true, reserve: [1] }),
            ),
          ),
        );
        fixture.leap(commitTtlMs);
        await store.ledger.sweep();
        expect(await store.ledger.balance('b')).toEqual({ paid: 10_000, charged: 0, avail: 10_000, held: 0 });
        // The outcome was deleted, so another commit may have the same id.
        await send({ id: 'c7', account: 'b', writer: 'w7', begins: true, reserve: [1] });
        expect((await store.ledger.balance('b'))?.held).toBe(1);
      });
    });

    describe('payments and usage', () => {
      test('adds a payment once for each id', async () => {
        await account('a');
        expect(await store.ledger.topUp(payment('p', 'a', 10))).toBe('applied');
        expect(await store.ledger.topUp(payment('p', 'a', 99))).toBe('already_applied');
        const both = await Promise.all([
          store.ledger.topUp(payment('q', 'a', 1)),
          store.ledger.topUp(payment('q', 'a', 1)),
        ]);
        expect(both.sort()).toEqual(['already_applied', 'applied']);
        expect(await store.ledger.topUp(payment('r', 'nobody', 10))).toBe('no_account');
        expect(await store.ledger.balance('a')).toEqual({ paid: 11, charged: 0, avail: 11, held: 0 });
        expect(await store.ledger.payments('nobody', 10)).toEqual([]);
      });

      test('pages payments, newest first, then by id in descending order', async () => {
        await account('a');
        await account('b');
        const made = [
          ...['p1', 'p2', 'p3'].map((id) => payment(id, 'a', 1, 100)),
          payment('p0', 'a', 1, 200),
          payment('p9', 'a', 1, 50),
        ];
        for (const one of made) await store.ledger.topUp(one);
        await store.ledger.topUp(payment('other', 'b', 1, 100));
        const ids: string[] = [];
        let page = await store.ledger.payments('a', 2);
        expect(page[0]).toEqual(payment('p0', 'a', 1, 200));
        while (page.length > 0) {
          expect(page.length).toBeLessThanOrEqual(2);
          ids.push(...page.map(({ id }) => id));
          const last = page.at(-1);
          page = last ? await store.ledger.payments('a', 2, { createdAt: last.createdAt, id: last.id }) : [];
        }
        expect(ids).toEqual(['p0', 'p3', 'p2', 'p1', 'p9']);
      });

      test('sums usage by hour and action', async () => {
        await account('a', 10_000);
        await account('b', 10_000);
        await send({
          begins: true,
          late: [
            {
              usage: [usage(5, 'tweet/create', 1, 10, 9), usage(5, 'tweet/create', 1, 10), usage(5, 'a', 2, 30, 5_000)],
            },
            { usage: [usage(4, 'tweet/create', 1, 10), usage(6, 'z', 1, 7)] },
          ],
        });
        await send({ id: 'c2', begins: true, late: [{ usage: [usage(5, 'a', 1, 15, 7)] }] });
        await send({ id: 'c3', account: 'b', begins: true, late: [{ usage: [usage(5, 'a', 1, 15)] }] });
        expect(await store.ledger.usage('a', 4, 6)).toEqual([
          usage(4, 'tweet/create', 1, 10),
          usage(5, 'a', 3, 45, 5_007),
          usage(5, 'tweet/create', 2, 20, 9),
        ]);
        expect(await store.ledger.usage('a', 6, 6)).toEqual([]);
        expect(await store.ledger.usage('a', 6, 7)).toEqual([usage(6, 'z', 1, 7)]);
        await expectSound('a');
      });

      test('keeps amounts exact up to a billion dollars', async () => {
        await account('a', 999_999_999_999_999);
        await send({ begins: true, reserve: [999_999_999_999_998] });
        expect(await store.ledger.balance('a')).toEqual({
          paid: 999_999_999_999_999,
          charged: 0,
          avail: 1,
          held: 999_999_999_999_998,
        });
      });
    });

    describe('handles', () => {
      test('sees at once the acknowledged writes of another handle', async () => {
        const other = await fixture.open();
        await account('a', 1_000);
        expect((await other.ledger.balance('a'))?.paid).toBe(1_000);
        await other.ledger.commit(commit({ begins: true, reserve: [400] }));
        expect((await store.ledger.balance('a'))?.held).toBe(400);
        await send({ settle: [settlement(400)] });
        expect((await other.accounts.list())[0]?.charged).toBe(400);
        await other.keys.create(apiKey('k1'));
        await store.keys.revoke('k1', 9);
        expect((await other.keys.findByHash('hash-k1'))?.revokedAt).toBe(9);
      });

      test('keeps everything when it is closed and opened again', async () => {
        await account('a', 1_000);
        await store.keys.create(apiKey('k1'));
        const first = commit({ begins: true, reserve: [400] });
        await store.ledger.commit(first);
        await send({ settle: [settlement(100, 'x', 'key')] });
        await store.close();
        opened = await fixture.open();
        expect(await store.accounts.find('a')).not.toBeNull();
        expect(await store.keys.list()).toEqual([apiKey('k1')]);
        expect(await store.ledger.balance('a')).toEqual({ paid: 1_000, charged: 100, avail: 600, held: 300 });
        expect(await store.ledger.commit(first)).toEqual(applied({ granted: [true], left: 1_000 }));
        expect(await answerOf(store, 'a', 'key')).toBe('answer of key');
        await expectSound('a');
      });

      test('finishes waiting writes before it closes, and refuses calls afterwards', async () => {
        await account('a', 1_000);
        const waiting = send({ begins: true, reserve: [400] });
        await store.close();
        expect(await waiting).toEqual(applied({ granted: [true], left: 1_000 }));
        await store.close();
        await expect(send({ release: 1 })).rejects.toThrow(StoreUnavailableError);
        await expect(store.ledger.balance('a')).rejects.toThrow(StoreUnavailableError);
        await expect(store.accounts.find('a')).rejects.toThrow(StoreUnavailableError);
        await expect(store.keys.touch([{ id: 'k', at: 1 }])).rejects.toThrow(StoreUnavailableError);
        await expect(store.processes.beat('p')).rejects.toThrow(StoreUnavailableError);
        await expect(store.ready()).rejects.toThrow(StoreUnavailableError);
        opened = await fixture.open();
        expect((await store.ledger.balance('a'))?.held).toBe(400);
      });

      test('is ready while it can read and write', async () => {
        await expect(store.ready()).resolves.toBeUndefined();
      });

      test('describes itself and finds no problems in its data', async () => {
        const { facts, problems: faults } = await store.inspect();
        expect(facts.map(([name]) => name)).toContain('version');
        expect(faults).toEqual([]);
      });

      test('has a clock that is close to the clock of the database', async () => {
        expect(Math.abs(store.now() - fixture.now())).toBeLessThan(5_000);
      });
    });
  });
}

/** The fields of a new account without settings. */
const plain = { rateLimit: null, lowCreditThreshold: null, deletedAt: null };

const swept: CommitOutcome = { status: 'swept' };

type Applied = Extract<CommitOutcome, { status: 'applied' }>;

function applied(parts: Partial<Applied> & Pick<Applied, 'left'>): CommitOutcome {
  return { status: 'applied', granted: [], settled: [], late: [], ...parts };
}

function settlement(micros: number, action = 'tweet/create', answerKey?: string): Settlement {
  const line = usage(7, action, 1, micros);
  if (answerKey === undefined) return { usage: [line] };
  return { usage: [line], answer: { key: answerKey, answer: `answer of ${answerKey}` } };
}

function usage(hour: number, action: string, calls: number, micros: number, platformMicros = 0) {
  return { hour, action, calls, micros, platformMicros };
}

function payment(id: string, account: string, micros: number, createdAt = 10): TopUp {
  return { id, account, micros, description: `payment ${id}`, createdAt };
}
