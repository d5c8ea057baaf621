import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Dataset } from '../../src/sandbox/dataset/dataset.ts';
import { tweetJson, userJson } from '../../src/sandbox/dataset/render.ts';
import { loadSnapshot, readSnapshot, writeSnapshot } from '../../src/sandbox/dataset/snapshot.ts';
import { matcherOf } from '../../src/sandbox/search/match.ts';
import { parseQuery } from '../../src/sandbox/search/parse.ts';
import { search } from '../../src/sandbox/search/search.ts';
import { buildDataset } from '../../src/sandbox/seed/build-dataset.ts';
import { defaultSeed, snapshotOf } from '../../src/sandbox/seed/load-dataset.ts';

const epochMs = Date.UTC(2027, 2, 3, 4, 5);
const stored = writeSnapshot(buildDataset('postern', Date.UTC(2026, 0, 1)), 'postern', Date.UTC(2026, 0, 1));

function load(bytes = stored): Dataset {
  const snapshot = readSnapshot(bytes, 'postern');
  if (snapshot === undefined) throw new Error('the snapshot is not readable');
  return loadSnapshot(snapshot, epochMs);
}

const built = buildDataset('postern', epochMs);
const loaded = load();

const viewerOf = (dataset: Dataset) => {
  const viewer = dataset.userNamed('ada');
  if (viewer === undefined) throw new Error('ada is missing');
  return viewer;
};

test('a snapshot that is loaded for another epoch equals the generated dataset of that epoch', () => {
  const users = (dataset: Dataset) =>
    [...dataset.users.values()].map((user) => ({
      ...user,
      followers: [...user.followers].map(({ id }) => id),
      following: [...user.following.newestFirst(40)].map(([{ id }, number]) => [id, number]),
      json: userJson(dataset, user, viewerOf(dataset)),
      head: undefined,
    }));
  expect(users(loaded)).toEqual(users(built));
  const tweets = (dataset: Dataset) =>
    dataset.tweets.map((tweet) => {
      const {
        id,
        position,
        score,
        terms,
        deleted,
        replyPositions: answers,
        quotePositions: quotedBy,
        createdByCall,
        article,
        retweeters,
      } = tweet;
      const shy = [tweet.restrictedReplies, tweet.restrictedQuotes].map((some) => some?.map((one) => one.id));
      const content = article?.content?.();
      const json = tweetJson(dataset, tweet, viewerOf(dataset));
      return { id, position, score, terms, deleted, answers, quotedBy, createdByCall, content, retweeters, shy, json };
    });
  expect(tweets(loaded)).toEqual(tweets(built));
  const rest = (dataset: Dataset) => ({
    lists: [...dataset.lists.values()].map((list) => [
      list.id,
      list.name,
      list.owner.id,
      list.members.map(({ id }) => id),
    ]),
    affiliates: [...dataset.affiliates].map(([user, members]) => [user.id, members.map(({ id }) => id)]),
    articles: [...dataset.users.values()].flatMap((user) =>
      dataset.articles.byAuthor(user).map(({ id, title, createdAt, tweet }) => [id, title, createdAt, tweet?.id]),
    ),
  });
  expect(rest(loaded)).toEqual(rest(built));
});

test('the stored index finds what the matcher finds', () => {
  for (const text of [
    'coffee',
    '"the night train"',
    '#coffee OR $ACME',
    'to:ada',
    '@grace',
    '☕',
    'filter:videos',
    'zyzzyva',
  ]) {
    const query = parseQuery(text);
    if (query === undefined) throw new Error(text);
    const matches = matcherOf(query, loaded.userNamed);
    const candidates = loaded.index.candidates(query, loaded.userNamed) ?? loaded.tweets.keys();
    const found = [...candidates].filter((position) => {
      const tweet = loaded.tweets[position];
      return tweet !== undefined && matches(tweet);
    });
    expect(found).toEqual(loaded.tweets.filter(matches).map(({ position }) => position));
    const page = (dataset: Dataset) => search(dataset, query, 'top', viewerOf(dataset), 20, undefined);
    expect(page(loaded).tweets.map(({ id }) => id)).toEqual(page(built).tweets.map(({ id }) => id));
  }
});

test('datasets of one snapshot change independently, and search returns new and stored tweets', () => {
  const snapshot = readSnapshot(stored, 'postern');
  if (snapshot === undefined) throw new Error('the snapshot is not readable');
  const [one, other] = [loadSnapshot(snapshot, epochMs), loadSnapshot(snapshot, epochMs)];
  const [ada, grace] = ['ada', 'grace'].map((name) => one.userNamed(name));
  const tweet = one.tweets[100];
  if (!(ada && grace && tweet)) throw new Error('the dataset is incomplete');
  one.unfollow(ada, grace);
  one.like(ada, tweet);
  one.addTweet({
    ...{
      id: '9999999999999999999',
      author: ada,
      text: 'coffee for @grace',
      createdAt: epochMs,
      lang: 'en',
      source: null,
    },
    replyTo: tweet,
    quoteOf: undefined,
    media: [],
    score: 0,
    createdByCall: true,
  });
  const coffee = (dataset: Dataset) => dataset.index.candidates({ kind: 'text', text: 'coffee' }, dataset.userNamed);
  expect(coffee(one)).toEqual([...(coffee(other) ?? []), one.tweets.length - 1]);
  expect(one.userNamed('grace')?.followerCount).toBe((other.userNamed('grace')?.followerCount ?? 0) - 1);
  expect([ada.following.has(grace), viewerOf(other).following.has(other.userNamed('grace') ?? ada)]).toEqual([
    false,
    true,
  ]);
  expect([tweet.likes, tweet.replies]).toEqual([
    (other.tweets[100]?.likes ?? 0) + 1,
    (other.tweets[100]?.replies ?? 0) + 1,
  ]);
});

test('a name that is minted later is not a mention in an older tweet', () => {
  const dataset = load();
  const count = () => dataset.tweets.reduce((sum, tweet) => sum + tweet.entities.mentions.length, 0);
  const names = new Set(
    built.tweets.flatMap(({ text }) => [...text.matchAll(/@(\w{1,15})/g)].map(([, name = '']) => name)),
  );
  const before = built.tweets.reduce((sum, tweet) => sum + tweet.entities.mentions.length, 0);
  const [user] = built.users.values();
  if (user === undefined) throw new Error('nobody');
  for (const name of names) {
    if (dataset.userNamed(name) === undefined)
      dataset.addUser({ ...user, id: `minted ${name}`, screenName: name, token: null });
  }
  expect(count()).toBe(before);
});

test('a snapshot of another seed is not used', () => {
  expect(readSnapshot(stored, 'another')).toBeUndefined();
});

const wrongByte = Buffer.from(stored);
wrongByte.writeUInt8(wrongByte.readUInt8(2_000_000) ^ 1, 2_000_000);

test.each([
  ['is empty', Buffer.alloc(0)],
  ['ends in its first bytes', stored.subarray(0, 6)],
  ['ends in its header', stored.subarray(0, 200)],
  ['ends in its columns', stored.subarray(0, -1000)],
  ['has a wrong byte', wrongByte],
])('a snapshot that %s is not used', (_, damaged) => {
  expect(readSnapshot(damaged, 'postern')).toBeUndefined();
});

test('if the snapshot of the build is damaged, the dataset is generated and a warning names the remedy', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postern-snapshot-'));
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  onTestFinished(() => {
    warned.mockRestore();
    rmSync(folder, { recursive: true });
  });
  const damaged = join(folder, 'postern.bin');
  writeFileSync(damaged, stored.subarray(0, -1000));
  const snapshot = await snapshotOf(defaultSeed, pathToFileURL(damaged));
  expect(loadSnapshot(snapshot, epochMs).tweets.length).toBe(built.tweets.length);
  expect(warned).toHaveBeenCalledExactlyOnceWith(
    expect.stringMatching(/postern\.bin is damaged.*Run `npm run build -- --clean`/),
  );
});

const file = new URL('../../dist/dataset/postern.bin', import.meta.url);

test('the snapshot of the build equals that of the generator; if not, run `npm run build`', () => {
  expect(defaultSeed).toBe('postern');
  expect(readFileSync(file).equals(stored)).toBe(true);
});
