import { describe, expect, test } from 'vitest';
import type { SandboxTweet } from '../../src/sandbox/dataset/types.ts';
import { buildDataset } from '../../src/sandbox/seed/build-dataset.ts';

const dataset = buildDataset('postern', Date.UTC(2026, 0, 10));
const { tweets } = dataset;
const users = [...dataset.users.values()];
const share = (matches: (tweet: SandboxTweet) => boolean) => tweets.filter(matches).length / tweets.length;
const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

describe('the dataset has realistic properties:', () => {
  test('the numbers of followers have a power-law distribution', () => {
    const ranked = users.map((user) => user.followers.size).sort((a, b) => b - a);
    expect(ranked[0]).toBeGreaterThan(10 * median([...ranked]));
    // Fits the logarithm of the size over the logarithm of the rank with least squares, for the head and the middle of the distribution.
    const points = ranked.slice(8, 200).map((size, index) => [Math.log(index + 9), Math.log(size)] as const);
    const mean = (axis: 0 | 1) => points.reduce((sum, point) => sum + point[axis], 0) / points.length;
    const [x, y] = [mean(0), mean(1)];
    const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
    const spreadX = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
    const spreadY = points.reduce((sum, point) => sum + (point[1] - y) ** 2, 0);
    expect(over / spreadX).toBeLessThan(-0.4);
    expect(over ** 2 / (spreadX * spreadY)).toBeGreaterThan(0.95);
  });

  test('it is in English, with some tweets in other scripts', () => {
    expect(share((tweet) => tweet.lang === 'en')).toBeGreaterThan(0.99);
    const scripts = {
      ja: /\p{Script=Hiragana}/u,
      zh: /^[^\p{L}]*\p{Script=Han}/u,
      ar: /\p{Script=Arabic}/u,
      hi: /\p{Script=Devanagari}/u,
    };
    for (const [lang, script] of Object.entries(scripts)) {
      const own = tweets.filter((tweet) => tweet.lang === lang);
      expect([lang, own.length, own.every(({ text }) => script.test(text))]).toEqual([lang, 3, true]);
    }
    expect(tweets.filter(({ text }) => !/[\p{L}\p{N}]/u.test(text)).length).toBeGreaterThan(2);
  });

  test('it has threads, quotes, hashtags, mentions, links, photos, videos and articles', () => {
    const isThread = ({ replyTo, author }: SandboxTweet) => replyTo?.author === author;
    expect(share(isThread)).toBeGreaterThan(0.02);
    expect(share((tweet) => tweet.quoteOf !== null)).toBeGreaterThan(0.03);
    expect(share((tweet) => tweet.entities.hashtags.length > 0)).toBeGreaterThan(0.05);
    expect(share((tweet) => tweet.entities.symbols.length > 0)).toBeGreaterThan(0.01);
    expect(share((tweet) => tweet.replyTo === null && tweet.entities.mentions.length > 0)).toBeGreaterThan(0.02);
    expect(share((tweet) => tweet.entities.urls.length > 0)).toBeGreaterThan(0.03);
    expect(share((tweet) => tweet.media.some((media) => media.kind === 'photo'))).toBeGreaterThan(0.05);
    const videos = tweets.flatMap((tweet) => tweet.media.filter((media) => media.kind === 'video'));
    expect(videos.length).toBeGreaterThan(30);
    for (const { videoPath, durationMs, width, height } of videos) {
      expect(videoPath).toMatch(/\.mp4$/);
      for (const fact of [durationMs, width, height]) expect(fact ?? 1).toBeGreaterThan(0);
    }
    const articles = tweets.flatMap((tweet) => tweet.article ?? []);
    expect(articles.length).toBeGreaterThan(3);
    expect(new Set(articles.map((article) => article.id)).size).toBe(articles.length);
  });

  test('likes are uneven and increase with the followers of the author', () => {
    const likes = tweets.map((tweet) => tweet.likers.size);
    expect(Math.max(...likes)).toBeGreaterThan(50 * Math.max(1, median(likes)));
    const often = (of: SandboxTweet[]) => of.reduce((sum, tweet) => sum + tweet.likers.size, 0) / of.length;
    const loud = tweets.filter((tweet) => tweet.author.followers.size > 200);
    const quiet = tweets.filter((tweet) => tweet.author.followers.size < 40);
    expect(often(loud)).toBeGreaterThan(4 * often(quiet));
    expect(tweets.some((tweet) => tweet.retweeters.size > 10)).toBe(true);
  });

  test('it has accounts of every kind', () => {
    const count = (matches: (user: (typeof users)[number]) => boolean) => users.filter(matches).length;
    expect(count((user) => user.state === 'suspended')).toBeGreaterThan(2);
    expect(count((user) => user.state === 'deleted')).toBeGreaterThan(2);
    expect(count((user) => user.protected)).toBeGreaterThan(10);
    expect(count((user) => user.premium)).toBeGreaterThan(40);
    expect(dataset.affiliates.size).toBeGreaterThanOrEqual(2);
    for (const [organization, members] of dataset.affiliates) {
      expect([organization.verificationKind, members.length > 2]).toEqual(['business', true]);
    }
    expect(dataset.lists.size).toBeGreaterThan(4);
    for (const list of dataset.lists.values()) expect(list.members.length).toBeGreaterThan(3);
  });
});
