import { randomBytes } from 'node:crypto';
import { seeded } from '../../scripts/bench/open-loop.ts';

/** The seed of tests that choose their attacks at random. `npm run check -- security --seed` sets it. */
export const seed = Number.parseInt(process.env['SECURITY_SEED'] || randomBytes(4).toString('hex'), 16);

/** Returns the items in an order that depends on the seed only. */
export function shuffled<Item>(items: readonly Item[]): Item[] {
  const random = seeded(seed);
  return items
    .map((item) => [random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
