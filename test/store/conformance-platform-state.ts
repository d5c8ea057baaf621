import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/port.ts';
import type { StoreTest } from './webhook-makers.ts';

const ttlMs = 60_000;

/** Tests of the records that a platform adapter stores. */
export function describePlatformState({ fixture, store }: StoreTest): void {
  const open = async (): Promise<[Store, Store]> => [store, await fixture.open()];

  describe('a record of the platform adapter', () => {
    test('is the same for every handle, and the first of several writers wins', async () => {
      const [one, two] = await open();
      expect(await one.platformState.read('a')).toBeNull();
      const written = await Promise.all([
        one.platformState.write('a', 'first', null, ttlMs),
        two.platformState.write('a', 'second', null, ttlMs),
        one.platformState.write('a', 'third', null, ttlMs),
      ]);
      expect(new Set(written).size).toBe(1);
      expect(await two.platformState.read('a')).toBe(written[0]);
      expect(await two.platformState.read('b')).toBeNull();
    });

    test('is replaced only if it is still the one that was read', async () => {
      const [one, two] = await open();
      await one.platformState.write('a', 'old', null, ttlMs);
      expect(await two.platformState.write('a', 'new', 'old', ttlMs)).toBe('new');
      expect(await one.platformState.write('a', 'other', 'old', ttlMs)).toBe('new');
      expect(await one.platformState.write('a', 'other', null, ttlMs)).toBe('new');
      expect(await one.platformState.read('a')).toBe('new');
    });

    test('expires after its time, and a write renews it', async () => {
      const [one, two] = await open();
      await one.platformState.write('a', 'old', null, ttlMs);
      fixture.leap(ttlMs - 1_000);
      await one.platformState.write('a', 'new', 'old', ttlMs);
      fixture.leap(ttlMs - 1_000);
      expect(await two.platformState.read('a')).toBe('new');
      fixture.leap(2_000);
      expect(await two.platformState.read('a')).toBeNull();
      expect(await two.platformState.write('a', 'late', 'new', ttlMs)).toBe('');
      expect(await two.platformState.write('a', 'next', null, ttlMs)).toBe('next');
      expect(await one.platformState.read('a')).toBe('next');
    });

    test('is one of the encrypted records: sampled, and deleted with them', async () => {
      await store.platformState.write('a', 'sealed session', null, ttlMs);
      expect(await store.secretCheck.samples()).toEqual(['sealed session']);
      await store.secretCheck.discardSealed();
      expect(await store.platformState.read('a')).toBeNull();
    });
  });
}
