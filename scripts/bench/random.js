import { createHash } from 'node:crypto';

/** Returns a function that returns numbers in [0, 1), which depend only on the seed, a number in hex (mulberry32). */
export function numbersOf(seed) {
  let state = Number.parseInt(seed, 16) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the function of `numbersOf` for one of several callers with a common seed, which may be any text. */
export function numbersFor(seed, caller) {
  return numbersOf(createHash('sha256').update(`${seed}\0${caller}`).digest('hex').slice(0, 8));
}
