import { randomBytes } from 'node:crypto';

/** The seed of tests that choose their attacks at random. `npm run check -- security --seed` sets it. */
export const seed = Number.parseInt(process.env['SECURITY_SEED'] || randomBytes(4).toString('hex'), 16);

/** Returns the items in an order that depends on the seed only. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const random = numbers();
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}

/** Returns numbers in [0, 1) that depend on the seed only (mulberry32). */
function numbers(): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
