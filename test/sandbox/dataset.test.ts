import { describe, expect, test } from 'vitest';
import type { Dataset } from '../../src/sandbox/dataset/dataset.ts';
import { weightedLength } from '../../src/sandbox/dataset/tweet-text.ts';
import type { User } from '../../src/sandbox/dataset/types.ts';
import { buildDataset } from '../../src/sandbox/seed/build-dataset.ts';
import { demoOf } from '../../src/sandbox/seed/demo.ts';

const EPOCH = Date.UTC(2026, 0, 10);
const DAY_MS = 86_400_000;
const dataset = buildDataset('postern', EPOCH);
const named = (name: string): User => {
  const user = dataset.userNamed(name);
  if (user === undefined) throw new Error(name);
  return user;
};
const [ada, grace, linus] = ['ada', 'grace', 'linus'].map(named) as [User, User, User];
const picture = (of: Dataset) => ({
  demo: demoOf(of, 'postern'),
  users: [...of.users.values()].map(({ id, screenName, followers, createdAt }) => [
    id,
    screenName,
    followers.size,
    createdAt,
  ]),
  tweets: of.tweets.map(({ id, text, likers, retweeters, replyTo, quoteOf }) => [
    id,
    text,
    [...likers].map((user) => user.id),
    [...retweeters].map((user) => user.id),
    replyTo?.id,
    quoteOf?.id,
  ]),
});

describe('the dataset of a seed', () => {
  test('is the same every time', () => {
    expect(picture(buildDataset('postern', EPOCH))).toEqual(picture(dataset));
  });

  test('has the documented credentials of the demo accounts', () => {
    // A change of these values breaks every saved demo.json, so change them only on purpose.
    expect(demoOf(dataset, 'postern')).toMatchObject({
      accounts: [
        { userName: 'ada', userId: '1338517318', authToken: 'c707151e381f56701ada9bafbdc1f4939ca32b32', premium: true },
        { userName: 'grace', userId: '1383598695', premium: false },
        { userName: 'linus', userId: '1479221180', premium: false },
      ],
      appToken: expect.stringMatching(/^[0-9a-f]{40}$/),
      listId: '1242326590666663794',
      organization: 'tidewater_labs',
    });
  });

  test('has the same ids, tokens and texts for another epoch', () => {
    const later = buildDataset('postern', EPOCH + 400 * DAY_MS);
    expect(demoOf(later, 'postern')).toEqual(demoOf(dataset, 'postern'));
    expect([...later.users.keys()]).toEqual([...dataset.users.keys()]);
    expect(later.tweets.map((tweet) => tweet.text)).toEqual(dataset.tweets.map((tweet) => tweet.text));
  });

  test('differs for another seed', () => {
    const other = buildDataset('another', EPOCH);
    expect(demoOf(other, 'another').accounts[0]?.authToken).not.toBe(ada.token);
    expect(other.tweets[5]?.text).not.toBe(dataset.tweets[5]?.text);
  });

  test('has the expected size', () => {
    expect(dataset.users.size).toBe(300);
    expect(Math.abs(dataset.tweets.length - 3_000)).toBeLessThan(300);
    expect((dataset.tweets[0]?.createdAt ?? 0) < EPOCH - 88 * DAY_MS).toBe(true);
    expect(dataset.tweets.filter((tweet) => tweet.createdAt > EPOCH - DAY_MS).length).toBeGreaterThan(10);
  });

  test('has many tweets of ada and grace over more than 30 days, and many followers of each', () => {
    for (const user of [ada, grace]) {
      const { tweets } = user;
      expect(tweets.length).toBeGreaterThanOrEqual(60);
      expect((tweets.at(-1)?.createdAt ?? 0) - (tweets[0]?.createdAt ?? 0)).toBeGreaterThan(30 * DAY_MS);
      expect(tweets.every((tweet) => tweet.lang === 'en')).toBe(true);
    }
    expect(ada.followers.size).toBeGreaterThanOrEqual(100);
    expect(grace.followers.size).toBeGreaterThanOrEqual(150);
    expect([ada.premium, grace.premium, linus.protected]).toEqual([true, false, true]);
  });

  test('has the follows that the demo needs', () => {
    expect(ada.following.has(grace) && grace.following.has(ada)).toBe(true);
    expect(ada.following.has(linus) || grace.following.has(linus)).toBe(false);
    expect([...grace.followers].filter((user) => ada.following.has(user)).length).toBeGreaterThan(2);
  });

  test('has a list with members and an organization with affiliates', () => {
    expect(dataset.lists.get(demoOf(dataset, 'postern').listId)?.members.length).toBeGreaterThan(5);
    const organization = named(demoOf(dataset, 'postern').organization);
    expect(organization.verificationKind).toBe('business');
    expect(dataset.affiliates.get(organization)?.length).toBeGreaterThan(2);
  });

  test('is dated in the days before its epoch, in the order of ids', () => {
    const astray = dataset.tweets.filter((tweet, index) => {
      const before = dataset.tweets[index - 1];
      const later =
        before === undefined || (BigInt(tweet.id) > BigInt(before.id) && tweet.createdAt > before.createdAt);
      return tweet.position !== index || tweet.createdAt >= EPOCH || !later;
    });
    expect(astray).toEqual([]);
  });

  test('has complete, unique texts that are not too long', () => {
    const texts = dataset.tweets.map((tweet) => tweet.text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.filter((text) => /[{}]|undefined| {2}/.test(text) || weightedLength(text) > 280)).toEqual([]);
  });

  test('has no reply before its tweet, and no reaction to a protected tweet by users who may not see it', () => {
    for (const tweet of dataset.tweets) {
      const target = tweet.replyTo ?? tweet.quoteOf;
      if (target === null) continue;
      const { author } = target;
      const allowed = !author.protected || author === tweet.author || author.followers.has(tweet.author);
      if (!allowed || target.position >= tweet.position) expect.fail(tweet.text);
    }
  });
});
