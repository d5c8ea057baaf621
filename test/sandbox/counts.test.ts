import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tweetCounts, userCounts } from '../../src/sandbox/dataset/counts.ts';
import type { Dataset } from '../../src/sandbox/dataset/dataset.ts';
import { applyEntry, type Entry } from '../../src/sandbox/dataset/entries.ts';
import { nextSnowflake } from '../../src/sandbox/dataset/snowflake.ts';
import { timelineOf } from '../../src/sandbox/dataset/timelines.ts';
import type { SandboxTweet, User } from '../../src/sandbox/dataset/types.ts';
import { hiddenFrom, isBlocked, isShownTo, type Viewer } from '../../src/sandbox/dataset/visibility.ts';
import { buildDataset } from '../../src/sandbox/seed/build-dataset.ts';
import { repetitions } from '../support/repetitions.ts';

const EPOCH = Date.UTC(2026, 0, 10);

/** Counts how often each key appears. */
function tally<T>(keys: Iterable<T>): (key: T) => number {
  const counts = new Map<T, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (key) => counts.get(key) ?? 0;
}

/** Returns the counts that differ from the lists that this viewer sees. */
function wrongCounts(dataset: Dataset, viewer: Viewer): string[] {
  const users = [...dataset.users.values()];
  const isSeen = (tweet: SandboxTweet) => hiddenFrom(viewer, tweet) === undefined;
  // Reposts count for everybody, even for readers who block the author of the reposted tweet.
  const isCounted = (tweet: SandboxTweet) => isSeen(tweet) || (!tweet.deleted && isBlocked(viewer, tweet.author));
  const seenTweets = dataset.tweets.filter(isSeen);
  const seenUsers = users.filter((user) => isShownTo(viewer, user));
  const followers = tally(users.flatMap((user) => [...user.following]));
  const following = tally(users.flatMap((user) => [...user.followers]));
  const listed = tally([...dataset.lists.values()].flatMap(({ members }) => members));
  const likes = tally(seenUsers.flatMap((user) => [...user.liked]));
  const retweets = tally(seenUsers.flatMap((user) => [...user.retweeted.keys()]));
  const bookmarks = tally(users.flatMap((user) => [...user.bookmarked]));
  const replies = tally(seenTweets.map(({ replyTo }) => replyTo));
  const quotes = tally(seenTweets.map(({ quoteOf }) => quoteOf));
  const wrong: string[] = [];
  const compare = (what: string, counts: object, lists: object) => {
    if (JSON.stringify(counts) !== JSON.stringify(lists)) wrong.push(`${what} ${JSON.stringify([counts, lists])}`);
  };
  for (const user of users) {
    const timeline = [...timelineOf(user, undefined)].map(([post]) => ('of' in post ? post.of : post));
    const own = user.tweets.filter((tweet) => !tweet.deleted);
    compare(`@${user.screenName}`, userCounts(user, viewer), {
      followers: followers(user),
      following: following(user),
      favourites: [...user.liked].filter(isSeen).length,
      // Only followers may read the timeline of a protected user.
      tweets: isShownTo(viewer, user) && user.state === 'active' ? timeline.filter(isCounted).length : user.tweetCount,
      media: own.filter(({ media }) => media.length > 0).length,
      listed: listed(user),
    });
  }
  for (const tweet of seenTweets) {
    compare(tweet.text, tweetCounts(tweet, viewer), {
      likes: likes(tweet),
      retweets: retweets(tweet),
      replies: replies(tweet),
      quotes: quotes(tweet),
      bookmarks: bookmarks(tweet),
      views: tweet.views,
    });
  }
  return wrong;
}

describe('every count equals the length of its list', () => {
  test.each([null, 'ada', 'linus'])('in the dataset of the seed, for the viewer %s', (name) => {
    const dataset = buildDataset('postern', EPOCH);
    const viewer = name === null ? null : (dataset.userNamed(name) ?? null);
    expect(wrongCounts(dataset, viewer)).toEqual([]);
    expect(dataset.tweets.some((tweet) => tweet.retweeters.size > 20 && tweet.likers.size > 100)).toBe(true);
  });

  test('after any writes', () => {
    const kinds = ['like', 'unlike', 'retweet', 'unretweet', 'bookmark', 'unbookmark'] as const;
    const write = fc.record({
      kind: fc.constantFrom(
        ...kinds,
        'follow',
        'unfollow',
        'block',
        'unblock',
        'followers',
        'reply',
        'quote',
        'delete',
      ),
      user: fc.nat(),
      target: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(write, { minLength: 50, maxLength: 300 }), (writes) => {
        const dataset = buildDataset('postern', EPOCH);
        // Few users and tweets, so that writes concern the same ones. Half of the users are protected.
        const all = [...dataset.users.values()].filter(({ state }) => state === 'active');
        const users = [...all.filter((user) => user.protected).slice(0, 6), ...all.slice(0, 6)];
        const tweets = users.flatMap((user) => user.tweets.filter(({ deleted }) => !deleted).slice(0, 3));
        for (const { kind, user, target } of writes) {
          const actor = users[user % users.length] as User;
          const tweet = tweets[target % tweets.length] as SandboxTweet;
          if (hiddenFrom(actor, tweet) !== undefined) continue;
          if (kind === 'retweet' && tweet.author.protected && tweet.author !== actor) continue;
          const made = applyEntry(dataset, entryOf(dataset, kind, actor, tweet, users[target % users.length] as User));
          expect(made).toBe(true);
          if (kind === 'reply' || kind === 'quote') tweets.push(dataset.tweets.at(-1) as SandboxTweet);
        }
        for (const viewer of [null, ...users.slice(0, 8)]) expect(wrongCounts(dataset, viewer)).toEqual([]);
      }),
      { numRuns: repetitions(3, 8) },
    );
  });
});

function entryOf(dataset: Dataset, kind: string, actor: User, tweet: SandboxTweet, other: User): Entry {
  const at = EPOCH + 1_000;
  const user = actor.id;
  switch (kind) {
    case 'follow':
    case 'unfollow':
    case 'block':
    case 'unblock':
      return { kind: actor === other ? 'unfollow' : kind, user, target: other.id, at };
    case 'followers':
      return { kind, user, count: 3, at };
    case 'reply':
    case 'quote': {
      const id = nextSnowflake(at, dataset.lastTweetId);
      const about = kind === 'reply' ? { replyTo: tweet.id } : { quoteOf: tweet.id };
      return { kind: 'tweet', id, author: user, text: `${kind} ${id}`, at, ...about };
    }
    case 'delete':
      return { kind, user: tweet.author.id, tweet: tweet.id, at };
    default:
      return { kind: kind as 'like', user, tweet: tweet.id, at };
  }
}
