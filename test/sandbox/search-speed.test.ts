import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../src/sandbox/search/parse.ts';
import { type Position, type Product, search } from '../../src/sandbox/search/search.ts';
import { buildWorld } from '../../src/sandbox/seed/world.ts';
import { homeFeed } from '../../src/sandbox/world/home.ts';
import { nextSnowflake } from '../../src/sandbox/world/snowflake.ts';
import type { World } from '../../src/sandbox/world/world.ts';

const TWEETS = 20_000;
const EPOCH = Date.UTC(2026, 0, 10);
const world = grown(buildWorld('postern', EPOCH));
const ada = world.userNamed('ada');

/** The seed's world, said again until it has tweets enough. */
function grown(small: World): World {
  const first = [...small.tweets];
  for (let number = 0; small.tweets.length < TWEETS; number++) {
    const again = first[(number * 7) % first.length];
    if (again === undefined) break;
    const { article, replyTo, quoteOf, views, ...rest } = again;
    small.addTweet({
      ...rest,
      ...(article === null ? {} : { article }),
      views: views ?? 0,
      id: nextSnowflake(EPOCH + number * 1000, small.lastTweetId),
      createdAt: EPOCH + number * 1000,
      replyTo: replyTo === null ? undefined : small.tweet(replyTo.tweetId),
      quoteOf: quoteOf === null ? undefined : small.tweet(quoteOf),
    });
  }
  return small;
}

/** The best of some, since other tests run beside this one. */
function fastest(work: () => unknown): number {
  const times = Array.from({ length: 40 }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  });
  return Math.min(...times);
}

const queries = [
  'coffee',
  'the',
  'the a to of',
  '"the night train"',
  '"of the"',
  '-the -a -to -of -i -is',
  'the -to',
  'filter:videos',
  'filter:videos filter:replies',
  'filter:quote filter:links',
  'filter:media -filter:images',
  'filter:verified filter:videos the',
  '(the OR a) -filter:replies filter:links',
  'coffee OR tea OR the',
  '"to the" OR "in the" OR 🦖',
  '🦖',
  '-☕ -🚂 🚀',
  '!!',
  'since:2025-12-01 until:2025-12-02',
  'until:2025-10-15',
  'from:ada OR filter:videos',
  '@ada -from:ada',
  '-(a OR the OR to OR i OR and OR is OR it OR of OR in OR my OR you OR on)',
];

describe.each<Product>(['latest', 'top'])('over 20,000 tweets, %s', (product) => {
  it.each(queries)('%s takes less than 2 ms, at either end', (q) => {
    const query = parseQuery(q);
    if (ada === undefined || query === undefined) throw new Error('nothing to search');
    const page = (after?: Position) => search(world, query, product, ada, 100, after);
    const { next } = page();
    expect(fastest(() => page())).toBeLessThan(2);
    expect(fastest(() => page(next))).toBeLessThan(2);
  });
});

it('a home feed is made in less than 5 ms', () => {
  if (ada === undefined) throw new Error('nobody is at home');
  expect(fastest(() => homeFeed(world, ada, world.lastTweetId ?? '0'))).toBeLessThan(5);
});
