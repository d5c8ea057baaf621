import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CursorSealer, cursorScope } from '../../src/actions/paging/cursor.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';

const sealer = (...fills: number[]) => new CursorSealer(fills.map((fill) => new Secret(Buffer.alloc(32, fill))));
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const scope = fc.string({ unit: 'grapheme', maxLength: 100 });

describe('a sealed cursor', () => {
  test('opens to what was sealed, and can travel in a URL as it is', () => {
    fc.assert(
      fc.property(text, scope, (cursor, where) => {
        const sealed = sealer(1).seal(cursor, where);
        expect(sealed).toMatch(/^[\w-]+$/);
        expect(sealer(1).open(sealed, where)).toBe(cursor);
      }),
    );
  });

  test('opens in no other place and under no other key', () => {
    fc.assert(
      fc.property(text, scope, scope, (cursor, where, elsewhere) => {
        fc.pre(where !== elsewhere);
        const sealed = sealer(1).seal(cursor, where);
        expect(sealer(1).open(sealed, elsewhere)).toBeNull();
        expect(sealer(2).open(sealed, where)).toBeNull();
      }),
    );
  });

  test('opens no more with any byte changed, cut or added', () => {
    fc.assert(
      fc.property(text, scope, fc.nat(), fc.integer({ min: 1, max: 255 }), (cursor, where, at, change) => {
        const bytes = Buffer.from(sealer(1).seal(cursor, where), 'base64url');
        const place = at % bytes.length;
        const altered = Buffer.from(bytes);
        altered[place] = (bytes[place] ?? 0) ^ change;
        const open = (changed: Buffer) => sealer(1).open(changed.toString('base64url'), where);
        expect(open(altered)).toBeNull();
        expect(open(bytes.subarray(0, place))).toBeNull();
        expect(open(Buffer.concat([bytes, Buffer.from([change])]))).toBeNull();
      }),
    );
  });

  test('is refused with 502 if the cursor of the platform is too long', () => {
    expect(sealer(1).open(sealer(1).seal('x'.repeat(4_096), 'here'), 'here')).toHaveLength(4_096);
    expect(() => sealer(1).seal('x'.repeat(4_097), 'here')).toThrow(expect.objectContaining({ status: 502 }));
  });

  test('never opens when it was made up', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), scope, (made, where) => {
        expect(sealer(1).open(made, where)).toBeNull();
      }),
    );
  });

  test('opens under an older key, and is sealed with the first', () => {
    const sealed = sealer(1).seal('page 2', 'here');
    expect(sealer(2, 1).open(sealed, 'here')).toBe('page 2');
    expect(sealer(1, 2).seal('page 2', 'here')).toBe(sealed);
    expect(sealer(2, 1).seal('page 2', 'here')).not.toBe(sealed);
  });
});

describe('the scope of a cursor', () => {
  test('is the action, its parameters in any order, and the actor; not count and cursor', () => {
    const one = cursorScope('search', { q: 'tea', product: 'Top', count: 5, cursor: 'x' }, 'ada');
    expect(cursorScope('search', { product: 'Top', q: 'tea', count: 9 }, 'ada')).toBe(one);
    expect(cursorScope('search', { product: 'Top', q: 'tea ' }, 'ada')).not.toBe(one);
    expect(cursorScope('search', { product: 'Top', q: 'tea' }, 'grace')).not.toBe(one);
    expect(cursorScope('other', { product: 'Top', q: 'tea' }, 'ada')).not.toBe(one);
  });

  test('holds no NUL, which parts it from the cursor under the seal', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (q, actor) => {
        expect(cursorScope('search', { q: `${q}\0` }, `\0${actor}`)).not.toContain('\0');
      }),
    );
  });
});
