import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/port.ts';
import { append, poller, running, type StoreTest, webhook } from './webhook-makers.ts';

/** Tests of the guarantees for the check value of the secret key. */
export function describeSecretCheck({ fixture, store }: StoreTest): void {
  const open = async (): Promise<[Store, Store]> => [store, await fixture.open()];

  describe('the check value of the secret key', () => {
    test('is the same for every handle, and the first of several writers wins', async () => {
      const [one, two] = await open();
      expect(await one.secretCheck.read()).toBeNull();
      const written = await Promise.all([
        one.secretCheck.write('first', null),
        two.secretCheck.write('second', null),
        one.secretCheck.write('third', null),
      ]);
      expect(new Set(written).size).toBe(1);
      expect(await two.secretCheck.read()).toBe(written[0]);
    });

    test('is replaced only if it is still the one that was read', async () => {
      const [one, two] = await open();
      await one.secretCheck.write('old', null);
      expect(await two.secretCheck.write('new', 'old')).toBe('new');
      expect(await one.secretCheck.write('other', 'old')).toBe('new');
      expect(await one.secretCheck.write('other', null)).toBe('new');
      expect(await one.secretCheck.read()).toBe('new');
    });
  });

  describe('sealed texts', () => {
    test('are sampled from every kind of record, at most twelve', async () => {
      expect(await store.secretCheck.samples()).toEqual([]);
      await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
      expect(await store.secretCheck.samples()).toEqual([]);
      const claimed = await running(
        store,
        Array.from({ length: 20 }, (_, i) => `w${i}`),
      );
      expect(await store.secretCheck.samples()).toContain('sealed of p1');
      await store.events.append(append(claimed, ['e1', 'e2', 'e3', 'e4', 'e5']));
      const samples = await store.secretCheck.samples();
      expect(samples.length).toBeLessThanOrEqual(12);
      for (const beginning of ['sealed of w', 'sealed of p1', 'bytes of e']) {
        expect(samples.some((text) => text.startsWith(beginning))).toBe(true);
      }
    });

    test('are deleted with the check value, while accounts, keys and credit remain', async () => {
      await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
      await store.ledger.topUp({
        id: 'pay',
        account: 'a',
        micros: 500,
        description: 'Credit',
        createdAt: fixture.now(),
      });
      await store.webhooks.create(webhook('w1'), poller(), 10);
      await store.secretCheck.write('old', null);
      await store.secretCheck.discardSealed();
      expect(await store.secretCheck.samples()).toEqual([]);
      expect(await store.secretCheck.read()).toBeNull();
      expect(await store.webhooks.list('a', 10)).toEqual([]);
      expect((await store.ledger.balance('a'))?.avail).toBe(500);
      await store.webhooks.create(webhook('w1'), poller(), 10);
      expect(await store.webhooks.list('a', 10)).toHaveLength(1);
    });
  });
}
