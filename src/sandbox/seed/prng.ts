import { createHash } from 'node:crypto';

/**
 * A deterministic pseudo-random generator. Generators with different labels are independent, so using one more often
 * does not change the results of the others.
 */
export interface Prng {
  /** Returns a float in [0, 1). */
  next(): number;
  /** Returns an integer in [low, high]. */
  int(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<T>(items: readonly T[]): T;
  /** Returns a random item. Weights need not sum to 1. */
  weighted<T>(items: readonly T[], weightOf: (item: T) => number): T;
  /** Returns `count` different items in random order, or all if there are fewer. */
  sample<T>(items: readonly T[], count: number): T[];
}

/** Creates a generator: xoshiro128** (Blackman and Vigna), with its state from the SHA-256 of the seed and label. */
export function prng(seed: string, label: string): Prng {
  const digest = createHash('sha256').update(`${seed}\u0000${label}`).digest();
  let a = digest.readUInt32LE(0) | 1;
  let b = digest.readUInt32LE(4);
  let c = digest.readUInt32LE(8);
  let d = digest.readUInt32LE(12);

  const next = (): number => {
    const scrambled = Math.imul(rotl(Math.imul(b, 5), 7), 9) >>> 0;
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotl(d, 11);
    return scrambled / 4_294_967_296;
  };
  const int = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));

  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: (items) => at(items, int(0, items.length - 1)),
    weighted(items, weightOf) {
      let total = 0;
      for (const item of items) total += weightOf(item);
      let left = next() * total;
      for (const item of items) {
        left -= weightOf(item);
        if (left < 0) return item;
      }
      return at(items, items.length - 1);
    },
    sample(items, count) {
      if (count === 0) return [];
      const rest = [...items];
      const drawn: typeof rest = [];
      while (drawn.length < count && rest.length > 0) {
        const place = int(0, rest.length - 1);
        drawn.push(at(rest, place));
        const last = rest.pop();
        if (last !== undefined && place < rest.length) rest[place] = last;
      }
      return drawn;
    },
  };
}

function rotl(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function at<T>(items: readonly T[], index: number): T {
  if (index < 0 || index >= items.length) throw new Error('nothing to choose from');
  return items[index] as T;
}
