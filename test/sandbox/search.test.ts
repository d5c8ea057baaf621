import { describe, expect, test } from 'vitest';
import { allPages, type Json, openSandbox } from './harness.ts';

const NOW = Date.UTC(2026, 4, 20, 12);
const ids = (tweets: Json[]) => tweets.map((tweet) => tweet.id);
const all = (q: string, more: object = {}) => allPages(sandbox, { q, count: 100, ...more });

const sandbox = await openSandbox({ now: () => NOW });
const dataset = await all('-from:nobody_at_all');

const has = (tweet: Json, word: string) => new RegExp(`(?<![\\w'])${word}(?![\\w'])`, 'i').test(tweet.text);
const day = (tweet: Json) => tweet.created_at.slice(0, 10);

describe('search returns', () => {
  test.each<[string, (tweet: Json) => boolean]>([
    ['coffee', (tweet) => has(tweet, 'coffee')],
    ['COFFEE', (tweet) => has(tweet, 'coffee')],
    ['coffee cold', (tweet) => has(tweet, 'coffee') && has(tweet, 'cold')],
    ['"the night train"', (tweet) => has(tweet, 'the night train')],
    ['from:ada', (tweet) => tweet.author.screen_name === 'ada'],
    ['from:ADA coffee', (tweet) => tweet.author.screen_name === 'ada' && has(tweet, 'coffee')],
    ['to:grace', (tweet) => tweet.in_reply_to?.user_id === sandbox.grace.userId],
    ['since:2026-05-01', (tweet) => day(tweet) >= '2026-05-01'],
    ['until:2026-05-01', (tweet) => day(tweet) < '2026-05-01'],
    ['since:2026-05-01 until:2026-05-02', (tweet) => day(tweet) === '2026-05-01'],
    ['filter:media', (tweet) => tweet.media.length > 0],
    ['filter:images', (tweet) => tweet.media.some((media: Json) => media.kind === 'photo')],
    ['filter:videos', (tweet) => tweet.media.some((media: Json) => media.kind === 'video')],
    ['filter:links', (tweet) => tweet.entities.urls.length > 0],
    ['filter:replies', (tweet) => tweet.in_reply_to !== null],
    ['filter:quote', (tweet) => tweet.quoted !== null],
    ['filter:verified', ({ author: { verification } }) => verification.verified || verification.premium],
    ['-filter:replies from:grace', (tweet) => tweet.in_reply_to === null && tweet.author.screen_name === 'grace'],
    ['#coffee', (tweet) => tweet.entities.hashtags.some((tag: Json) => tag.text.toLowerCase() === 'coffee')],
    ['$ACME', (tweet) => tweet.entities.symbols.some((tag: Json) => tag.text === 'ACME')],
    ['@ada', (tweet) => tweet.entities.user_mentions.some((user: Json) => user.screen_name === 'ada')],
    ['coffee -cold', (tweet) => has(tweet, 'coffee') && !has(tweet, 'cold')],
    ['espresso OR tea', (tweet) => has(tweet, 'espresso') || has(tweet, 'tea')],
    ['from:ada OR from:grace', (tweet) => ['ada', 'grace'].includes(tweet.author.screen_name)],
    [
      '(bread OR train) filter:images',
      (tweet) =>
        (has(tweet, 'bread') || has(tweet, 'train')) && tweet.media.some((media: Json) => media.kind === 'photo'),
    ],
    ['☕', (tweet) => tweet.text.includes('☕')],
    ['from:nobody_at_all', () => false],
  ])('%s', async (q, matches) => {
    const found = await all(q);
    expect(ids(found)).toEqual(ids(dataset.filter(matches)));
    expect(found.length > 0).toBe(q !== 'from:nobody_at_all');
    const top = await all(q, { product: 'top', count: 13 });
    expect(ids(top).sort()).toEqual(ids(found).sort());
  });

  test('the newest first, and in `top` those with the most likes, retweets and bookmarks first', async () => {
    expect(ids(dataset)).toEqual([...ids(dataset)].sort((a, b) => Number(BigInt(b) - BigInt(a) > 0n) * 2 - 1));
    const top = await all('coffee', { product: 'top' });
    const score = (tweet: Json) => tweet.counts.likes + 2 * tweet.counts.retweets + tweet.counts.bookmarks;
    expect(top.map(score)).toEqual(top.map(score).sort((a, b) => b - a));
  });

  test('tweets of a protected author only to followers and the author', async () => {
    expect(await all('from:linus')).toEqual([]);
    const own = await sandbox.search({ q: 'from:linus', count: 100 }, sandbox.linus);
    expect(own.body.tweets.length).toBeGreaterThan(10);
    const asked = await sandbox.get(`/api/tweets/${own.body.tweets[0].id}`);
    expect([asked.status, asked.body.problem.code]).toEqual([403, 'protected']);
    expect((await sandbox.get('/api/users/by/linus')).body.user.protected).toBe(true);
  });

  test('no tweets of suspended or deleted users, even if they are quoted', async () => {
    expect(await all('from:quickgains')).toEqual([]);
    expect(await all('from:oldlantern')).toEqual([]);
    for (const [reason, status, code] of [
      ['author_suspended', 403, 'user_suspended'],
      ['author_deleted', 404, 'user_deleted'],
      ['deleted', 404, 'tweet_deleted'],
    ]) {
      const quoting = dataset.find((tweet) => tweet.quoted?.reason === reason);
      const asked = await sandbox.get(`/api/tweets/${quoting.quoted.id}`);
      expect([asked.status, asked.body.problem.code]).toEqual([status, code]);
    }
  });
});

describe('paging', () => {
  test.each(['latest', 'top'])('%s repeats and loses nothing while tweets arrive', async (product) => {
    const before = await all('coffee', { product });
    let number = 0;
    const during = await allPages(sandbox, { q: 'coffee', product, count: 7 }, () =>
      sandbox.tweet(`More coffee, ${product} ${++number}`, sandbox.grace),
    );
    expect(number).toBeGreaterThan(10);
    expect(ids(during)).toEqual(ids(before));
  });

  test('ends with a null cursor exactly when the last page is full', async () => {
    const total = (await all('from:grace -coffee')).length;
    const exact = await sandbox.search({ q: 'from:grace -coffee', count: Math.min(100, total) });
    expect(exact.body.tweets).toHaveLength(Math.min(100, total));
    expect(exact.body.next_cursor === null).toBe(total <= 100);
  });

  test('likes between pages do not change the order in `top`', async () => {
    const before = await all('train', { product: 'top' });
    let turn = 0;
    const during = await allPages(sandbox, { q: 'train', product: 'top', count: 9 }, () =>
      sandbox.call('PUT', `/api/tweets/${before[before.length - ++turn].id}/like`, { as: sandbox.ada }),
    );
    expect(ids(during)).toEqual(ids(before));
  });

  test('accepts a cursor only with its own query, product and actor', async () => {
    const { next_cursor: cursor } = (await sandbox.search({ q: 'coffee', count: 3 })).body;
    const flipped = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    const wrong = [
      () => sandbox.search({ q: 'tea', cursor }),
      () => sandbox.search({ q: 'coffee', product: 'top', cursor }),
      () => sandbox.search({ q: 'coffee', cursor }, sandbox.grace),
      () => sandbox.search({ q: 'coffee', cursor: flipped }),
      () => sandbox.search({ q: 'coffee', cursor: `${cursor}A` }),
      () => sandbox.search({ q: 'coffee', cursor: 'not a cursor' }),
    ];
    for (const attempt of wrong) expect((await attempt()).body.problem?.code).toBe('bad_cursor');
    expect((await sandbox.search({ q: ' coffee ', count: 9, cursor })).status).toBe(200);
  });
});
