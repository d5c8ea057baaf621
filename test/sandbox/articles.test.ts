import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { nextSnowflake } from '../../src/sandbox/dataset/snowflake.ts';
import type { buildDataset as build } from '../../src/sandbox/seed/build-dataset.ts';
import type { Json, OpenSandbox } from './harness.ts';
import { openSandbox } from './harness.ts';

const TITLES = ['On looms', 'On "numbers"', 'On coffee'];

/** The seed's dataset, and some articles by grace and linus. */
vi.mock('../../src/sandbox/seed/build-dataset.ts', async (original) => {
  const { buildDataset } = await original<{ buildDataset: typeof build }>();
  return {
    buildDataset(seed: string, epochMs: number) {
      const dataset = buildDataset(seed, epochMs);
      for (const [index, title] of [...TITLES, ...TITLES].entries()) {
        const author = dataset.userNamed(index < 3 ? 'grace' : 'linus');
        if (author === undefined) throw new Error('the author is missing');
        dataset.addTweet({
          id: nextSnowflake(epochMs, dataset.lastTweetId),
          author,
          text: `Something longer: ${title}`,
          createdAt: epochMs,
          lang: 'en',
          source: 'Web App',
          replyTo: undefined,
          quoteOf: undefined,
          media: [],
          score: 0,
          createdByCall: false,
          article: { id: String(7_000 + index), title },
        });
      }
      return dataset;
    },
  };
});

let sandbox: OpenSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

it('the tweets that wrap articles are listed, newest first, with what they wrap', async () => {
  const { body } = await sandbox.get('/api/users/by/Grace/articles');
  expect(body.user).toEqual({ id: sandbox.grace.userId, screen_name: 'grace' });
  const ours = body.tweets.slice(0, 3);
  expect(ours.map((tweet: Json) => tweet.article.title)).toEqual(TITLES.toReversed());
  expect(body.tweets.every((tweet: Json) => tweet.article !== null)).toBe(true);
  const first = await sandbox.get(`/api/users/${sandbox.grace.userId}/articles?count=1`);
  const second = await sandbox.get(`/api/users/by/grace/articles?count=1&cursor=${first.body.next_cursor}`);
  expect([first, second].map((page) => page.body.tweets[0].id)).toEqual(ours.slice(0, 2).map(({ id }: Json) => id));
});

it('they leave with the tweet, and are for followers where the author is protected', async () => {
  const { tweets } = (await sandbox.get('/api/users/by/grace/articles')).body;
  await sandbox.call('DELETE', `/api/tweets/${tweets[0].id}`, { as: sandbox.grace });
  const rest = (await sandbox.get('/api/users/by/grace/articles')).body.tweets;
  expect(rest.map(({ id }: Json) => id)).toEqual(tweets.slice(1).map(({ id }: Json) => id));
  expect((await sandbox.get('/api/users/by/linus/articles')).body.problem.code).toBe('protected');
  const own = (await sandbox.get('/api/users/by/linus/articles', sandbox.linus)).body.tweets;
  expect(own.length).toBeGreaterThanOrEqual(3);
});

it('other tweets have none', async () => {
  expect((await sandbox.tweet('Short and plain')).body.tweet.article).toBeNull();
});
