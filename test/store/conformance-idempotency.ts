import { describe, expect, test } from 'vitest';
import {
  type ClaimRequest,
  claimTtlMs,
  idempotencyTtlMs,
  type LedgerCommit,
  type Store,
} from '../../src/store/port.ts';
import { commitUntilKnown } from './commit-until-known.ts';
import { makeCommit, type StoreTest } from './webhook-makers.ts';

/** Returns the response that is stored under a key. If there is none, claims the key and returns `null`. */
export async function answerOf(store: Store, account: string, key: string): Promise<string | null> {
  const outcome = await store.idempotency.claim({ account, key, owner: 'reader', fingerprints: ['', 'f1'] });
  return outcome.status === 'answered' ? outcome.answer : null;
}

/** Tests of the guarantees for Idempotency-Keys. */
export function describeIdempotency({ fixture, store }: StoreTest): void {
  describe('claims of idempotency keys', () => {
    const one = (owner: string, parts: Partial<ClaimRequest> = {}): ClaimRequest => ({
      account: 'a',
      key: 'k',
      owner,
      fingerprints: ['f1'],
      ...parts,
    });
    const claim = (owner: string, parts: Partial<ClaimRequest> = {}) => store.idempotency.claim(one(owner, parts));

    test('belong to one owner at a time', async () => {
      const before = store.now();
      const first = await claim('o1');
      expect(first).toEqual({ status: 'claimed', since: expect.any(Number), fingerprint: 'f1', again: false });
      if (first.status === 'claimed') expect(Math.abs(first.since - before)).toBeLessThan(5_000);
      expect(await claim('o2')).toEqual({ status: 'running' });
      const other = await fixture.open();
      expect(await other.idempotency.claim(one('o3'))).toEqual({ status: 'running' });
    });

    test('at the same time succeed for one owner only', async () => {
      const other = await fixture.open();
      const stores = Array.from({ length: 20 }, (_, i) => (i % 2 ? store : other));
      const outcomes = await Promise.all(stores.map((each, i) => each.idempotency.claim(one(`o${i}`))));
      expect(outcomes.filter(({ status }) => status === 'claimed')).toHaveLength(1);
      expect(outcomes.filter(({ status }) => status === 'running')).toHaveLength(19);
    });

    test('are separate for each account and each key', async () => {
      await claim('o1');
      expect(await claim('o2', { account: 'b' })).toMatchObject({ status: 'claimed' });
      expect(await claim('o2', { key: 'K' })).toMatchObject({ status: 'claimed' });
    });

    test('for another request are refused while the first request runs and afterwards', async () => {
      await claim('o1');
      expect(await claim('o2', { fingerprints: ['f2'] })).toEqual({ status: 'mismatch', answer: null });
      await store.idempotency.end(one('o1'), 'unknown');
      expect(await claim('o2', { fingerprints: ['f2'] })).toEqual({ status: 'mismatch', answer: null });
      await store.idempotency.answer(one('o1'), 'done');
      expect(await claim('o2', { fingerprints: ['f2'] })).toEqual({ status: 'mismatch', answer: 'done' });
    });

    test('match by any fingerprint of the request, and keep the first fingerprint', async () => {
      await claim('o1', { fingerprints: ['old'] });
      expect(await claim('o2', { fingerprints: ['new', 'old'] })).toEqual({ status: 'running' });
      await store.idempotency.end(one('o1'), 'unknown');
      expect(await claim('o2', { fingerprints: ['new', 'old'] })).toMatchObject({
        status: 'claimed',
        fingerprint: 'old',
        again: true,
      });
    });

    test('that ended without a response keep the time of their first attempt', async () => {
      const first = await claim('o1');
      await store.idempotency.end(one('o1'), 'unknown');
      fixture.leap(1_000);
      expect(await claim('o2')).toEqual({ ...first, again: true });
    });

    test('that were deleted free the key, also for another request', async () => {
      await claim('o1');
      await store.idempotency.end(one('o1'), 'forgotten');
      expect(await claim('o2', { fingerprints: ['f2'] })).toMatchObject({ status: 'claimed', again: false });
    });

    test('last 20 s, and longer while they are renewed', async () => {
      const first = await claim('o1');
      fixture.leap(claimTtlMs - 1_000);
      expect(await claim('o2')).toEqual({ status: 'running' });
      expect(await store.idempotency.renew(one('o1'))).toBe(true);
      fixture.leap(claimTtlMs - 1_000);
      expect(await claim('o2')).toEqual({ status: 'running' });
      fixture.leap(1_000);
      expect(await claim('o2')).toEqual({ ...first, again: true });
      expect(await store.idempotency.renew(one('o1'))).toBe(false);
    });

    test('can be ended by their owner only', async () => {
      await claim('o1');
      await store.idempotency.end(one('o2'), 'forgotten');
      await store.idempotency.end(one('o2'), 'unknown');
      expect(await claim('o3')).toEqual({ status: 'running' });
      await store.idempotency.end(one('o1', { key: 'none' }), 'unknown');
    });

    test('keep their first response for a day after their first attempt', async () => {
      await claim('o1');
      await store.idempotency.answer(one('o1'), 'first');
      await store.idempotency.answer(one('o1'), 'second');
      await store.idempotency.end(one('o1'), 'forgotten');
      expect(await claim('o2')).toEqual({ status: 'answered', answer: 'first' });
      fixture.leap(idempotencyTtlMs - 60_000);
      await store.ledger.sweep();
      expect(await claim('o2')).toEqual({ status: 'answered', answer: 'first' });
      fixture.leap(60_000);
      expect(await claim('o3', { fingerprints: ['f2'] })).toMatchObject({ status: 'claimed', again: false });
      await store.ledger.sweep();
      expect(await claim('o4', { fingerprints: ['f2'] })).toEqual({ status: 'running' });
    });

    test('remain when the store is opened again', async () => {
      await claim('o1');
      await store.idempotency.answer(one('o1'), 'kept');
      await claim('o1', { key: 'open' });
      await store.close();
      const reopened = await fixture.open();
      expect(await reopened.idempotency.claim(one('o2'))).toEqual({ status: 'answered', answer: 'kept' });
      expect(await reopened.idempotency.claim(one('o2', { key: 'open' }))).toEqual({ status: 'running' });
    });

    test('count how often their request was repeated, and again from 1 a day later', async () => {
      await claim('o1');
      await store.idempotency.answer(one('o1'), 'read');
      const other = await fixture.open();
      const counts = await Promise.all([store, other, store].map(({ idempotency }) => idempotency.repeat('a', 'k')));
      expect(counts.sort()).toEqual([1, 2, 3]);
      fixture.leap(idempotencyTtlMs);
      await claim('o2');
      await store.idempotency.answer(one('o2'), 'read');
      expect(await store.idempotency.repeat('a', 'k')).toBe(1);
    });
  });

  describe('responses of charged requests', () => {
    let commits = 0;
    const keep = async (store: Store, key: string, bytes: number, parts: Partial<LedgerCommit> = {}) => {
      const usage = [{ hour: 7, action: 'tweet/create', calls: 1, micros: 1 }];
      const answer = { key, answer: 'x'.repeat(bytes), limit: { bytes: 8_000, brief: 'brief' } };
      const late = [{ usage, answer }];
      const made = makeCommit(fixture, `kept-${++commits}`, { begins: true, late, ...parts });
      const outcome = await commitUntilKnown(store, made);
      expect(outcome).toMatchObject({ status: 'applied', late: ['charged'] });
      return answerOf(store, parts.account ?? 'a', key);
    };
    const open = async () => {
      for (const id of ['a', 'b']) {
        await store.accounts.create({ id, name: 'A', createdAt: 1 });
        await store.ledger.topUp({ id: `p ${id}`, account: id, micros: 1_000, description: '', createdAt: 1 });
      }
      return store;
    };
    const part = 1_000;

    test('are kept up to a size for each account, and beyond it as a short text, for a day', async () => {
      const store = await open();
      const other = await fixture.open();
      for (let i = 0; i < 6; i++) expect(await keep(i % 2 ? other : store, `k${i}`, part)).toHaveLength(part);
      // A commit that is sent again is not counted again, and neither are short responses.
      for (let i = 0; i < 2; i++) await keep(store, 'again', part, { id: 'again' });
      const usage = [{ hour: 7, action: 'tweet/create', calls: 1, micros: 1 }];
      const late = [{ usage, answer: { key: 'short', answer: 'short' } }];
      expect(await keep(store, 'short', 0, { late })).toBe('short');
      expect(await keep(store, 'k7', part + 1)).toBe('brief');
      expect(await keep(store, 'k8', part)).toHaveLength(part);
      expect(await keep(store, 'k9', 1)).toBe('brief');
      expect(await keep(store, 'k9', 1, { account: 'b' })).toBe('x');
      fixture.leap(idempotencyTtlMs - 60_000);
      await store.ledger.sweep();
      expect(await keep(other, 'later', 1)).toBe('brief');
      fixture.leap(3_600_000 + 60_000);
      await store.ledger.sweep();
      expect(await keep(other, 'next day', part)).toHaveLength(part);
    });
  });
}
