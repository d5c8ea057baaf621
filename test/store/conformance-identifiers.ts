import { describe, expect, test } from 'vitest';
import type { StoreTest } from './webhook-makers.ts';

const ttlMs = 60_000;
const maxCount = 1_000;

/** Tests of the identifiers that a platform adapter stores. */
export function describeIdentifiers({ fixture, store }: StoreTest): void {
  const saved = (...names: string[]) => names.map((name) => ({ hash: name, identifier: `at://${name}` }));

  describe('an identifier of the platform', () => {
    test('is found by its hash through every handle, also if several processes store it at once', async () => {
      const [one, two] = [store, await fixture.open()];
      expect(await one.identifiers.find('a')).toBeNull();
      await Promise.all([one, two, one].map((store) => store.identifiers.save(saved('a', 'b'), ttlMs, maxCount)));
      expect(await one.identifiers.find('b')).toBe('at://b');
      expect(await two.identifiers.find('a')).toBe('at://a');
      expect(await two.identifiers.find('c')).toBeNull();
    });

    test('expires after its time, and storing it again renews it', async () => {
      await store.identifiers.save(saved('a', 'b'), ttlMs, maxCount);
      fixture.leap(ttlMs - 1_000);
      await store.identifiers.save(saved('a'), ttlMs, maxCount);
      await store.identifiers.save(saved('a'), 10, maxCount);
      fixture.leap(2_000);
      expect(await store.identifiers.find('a')).toBe('at://a');
      expect(await store.identifiers.find('b')).toBeNull();
    });

    test('is deleted if there are too many and it expires first', async () => {
      for (const name of ['a', 'b', 'c', 'd']) {
        await store.identifiers.save(saved(name), ttlMs, 3);
        fixture.leap(1_000);
      }
      const found = await Promise.all(['a', 'b', 'c', 'd'].map((name) => store.identifiers.find(name)));
      expect(found).toEqual([null, 'at://b', 'at://c', 'at://d']);
    });
  });
}
