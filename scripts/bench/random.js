import { createHash } from 'node:crypto';
import { seeded } from './open-loop.js';

/** Returns a function that returns numbers in [0, 1), which depend only on the seed, a number in hex. */
export function numbersOf(seed) {
  return seeded(Number.parseInt(seed, 16));
}

/** Returns the function of `numbersOf` for one of several callers with a common seed, which may be any text. */
export function numbersFor(seed, caller) {
  return numbersOf(createHash('sha256').update(`${seed}\0${caller}`).digest('hex').slice(0, 8));
}
