import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { group, oprf } from '../../../../src/messaging/encryption/recovery/oprf.ts';
import {
  combinePoints,
  combineScalars,
  randomScalar,
  splitScalar,
} from '../../../../src/messaging/encryption/recovery/shamir.ts';

interface VectorSuite {
  identifier: string;
  mode: number;
  skSm: string;
  vectors: {
    Batch: number;
    Blind: string;
    BlindedElement: string;
    EvaluationElement: string;
    Input: string;
    Output: string;
  }[];
}

const read = (url: URL) => JSON.parse(readFileSync(url, 'utf8'));
const kept = read(new URL('../vectors/rfc9497-oprf.json', import.meta.url)).suites as VectorSuite[];
// All vectors of the RFC if they are available next to the project.
const shared = new URL('../../../../../shared/vectors/rfc9497/allVectors.json', import.meta.url);
const all = existsSync(shared) ? (read(shared) as VectorSuite[]) : [];

const bytes = (hex: string) => Buffer.from(hex, 'hex');
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex');

/** Returns the random bytes from which the library computes this blind: it takes a number modulo the order minus one, and adds one. */
function randomFor(blind: string) {
  const number = (BigInt(`0x${bytes(blind).reverse().toString('hex')}`) - 1n).toString(16);
  return (length: number) => bytes(number.padStart(2 * length, '0')).reverse();
}

describe('the vectors of RFC 9497', () => {
  const chosen = [...kept, ...all].filter(({ identifier, mode }) => mode === 0 && identifier === 'ristretto255-SHA512');
  const cases = chosen.flatMap((suite) => suite.vectors.map((vector) => ({ ...vector, ...suite })));
  test.each(cases)('input $Input', ({ skSm, Input, Blind, ...expected }) => {
    const { blind, blinded } = oprf.blind(bytes(Input), randomFor(Blind));
    expect(hex(blind)).toBe(Blind);
    expect(hex(blinded)).toBe(expected.BlindedElement);
    const evaluated = oprf.evaluate(bytes(skSm), blinded);
    expect(hex(evaluated)).toBe(expected.EvaluationElement);
    expect(hex(oprf.finalize(bytes(Input), blind, evaluated))).toBe(expected.Output);

    // Any two of three shares must give the same result as the key.
    const shares = splitScalar(group.Fn.fromBytes(bytes(skSm)), (length) => Buffer.alloc(length, 7));
    const parts = shares.map((share, index) => ({ place: index + 1, value: oprf.evaluate(share, blinded) }));
    for (const one of parts) {
      for (const other of parts.filter(({ place }) => place !== one.place)) {
        expect(hex(combinePoints(one, other))).toBe(expected.EvaluationElement);
      }
    }
  });

  test('were all run', () => {
    expect(cases.length).toBe(all.length > 0 ? 4 : 2);
  });
});

describe('an evaluator', () => {
  const key = group.Fn.toBytes(5n);
  test.each([
    ['the identity', new Uint8Array(32)],
    ['no element', new Uint8Array(32).fill(0xff)],
    ['too short a one', new Uint8Array(31)],
    ['nothing', new Uint8Array()],
  ])('refuses %s', (_name, blinded) => {
    expect(() => oprf.evaluate(key, blinded)).toThrow();
  });
});

test('a shared scalar is the same from any two shares', () => {
  const random = fc.uint8Array({ minLength: 48, maxLength: 48 });
  fc.assert(
    fc.property(
      random,
      random,
      fc.constantFrom([1, 2], [2, 1], [1, 3], [3, 2]),
      (secretBytes, slope, [one = 1, other = 2]) => {
        const secret = randomScalar(() => secretBytes);
        const shares = splitScalar(secret, () => slope);
        const placed = (place: number) => ({ place, value: shares[place - 1] ?? new Uint8Array() });
        expect(group.Fn.fromBytes(combineScalars(placed(one), placed(other)))).toBe(secret);
      },
    ),
  );
});
