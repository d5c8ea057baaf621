import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Relation } from '../../src/sandbox/dataset/relation.ts';
import { takePage } from '../../src/sandbox/x/paging.ts';

const item = fc.integer({ min: 0, max: 30 });
const change = fc.record({ item, enters: fc.boolean() });

test('a relation is a set in insertion order', () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const relation = new Relation<number>();
      const model = new Set<number>();
      for (const { item, enters } of changes) {
        const changed = enters ? relation.add(item) : relation.delete(item);
        expect(changed).toBe(enters ? !model.has(item) : model.has(item));
        if (enters) model.add(item);
        else model.delete(item);
      }
      expect([...relation]).toEqual([...model]);
      expect(relation.size).toBe(model.size);
      expect([...relation.newestFirst(undefined)].map(([one]) => one)).toEqual([...model].reverse());
      for (let one = 0; one <= 30; one++) expect(relation.has(one)).toBe(model.has(one));
    }),
  );
});

test('pages show each remaining member once, even if others are added and removed between pages', () => {
  const start = fc.uniqueArray(item, { minLength: 1 });
  const between = fc.array(fc.array(change, { maxLength: 4 }));
  fc.assert(
    fc.property(start, between, fc.integer({ min: 1, max: 8 }), (members, changes, count) => {
      const relation = new Relation<number>();
      for (const member of members) relation.add(member);
      const staying = new Set(members);
      const shown: number[] = [];
      let before: number | undefined;
      for (let page = 0; ; page++) {
        const { items, next } = takePage(relation.newestFirst(before), count, () => true);
        shown.push(...items);
        if (next === undefined) break;
        expect(items).toHaveLength(count);
        before = Number(next);
        for (const { item, enters } of changes[page] ?? []) {
          if (enters) relation.add(item);
          else if (relation.delete(item)) staying.delete(item);
        }
      }
      expect(new Set(shown).size).toBe(shown.length);
      const expected = members.toReversed().filter((member) => staying.has(member));
      expect(shown.filter((one) => staying.has(one))).toEqual(expected);
    }),
  );
});

test('the number of shown items leaves out restricted items only', () => {
  fc.assert(
    fc.property(fc.array(change), fc.func(fc.boolean()), (changes, isShown) => {
      const isRestricted = (one: number) => one % 3 === 0;
      const relation = new Relation<number>(isRestricted);
      for (const { item, enters } of changes) {
        if (enters) relation.add(item);
        else relation.delete(item);
      }
      const shown = [...relation].filter((one) => !isRestricted(one) || isShown(one));
      expect(relation.countShown(isShown)).toBe(shown.length);
    }),
  );
});
