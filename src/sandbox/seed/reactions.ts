import type { Dataset } from '../dataset/dataset.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { isPublic } from '../dataset/visibility.ts';
import type { Prng } from './prng.ts';

const HOUR_MS = 60 * 60 * 1000;
/** The demo accounts react to nothing newer, so that callers can still like what is at the top of a list. */
const DEMO_REST_MS = 72 * HOUR_MS;

/** The users who react to a tweet. */
export interface Reactions {
  readonly likers: readonly User[];
  readonly retweeters: readonly User[];
  readonly bookmarkers: readonly User[];
  readonly views: number;
  readonly score: number;
}

/**
 * Picks the followers who react to a tweet. Their number depends on the audience and the age of the tweet. Most tweets
 * get few reactions, and a few get very many.
 */
export function pickReactions(random: Prng, author: User, isReply: boolean, agoMs: number): Reactions {
  const audience = author.followers.size;
  const seen = 1 - Math.exp(-agoMs / (6 * HOUR_MS));
  const warmth = Math.min(1, (isReply ? 0.015 : 0.06) * Math.exp(1.2 * normalSample(random))) * seen;
  const { open, others } = audienceOf(author);
  const willing = author.token === null && agoMs > DEMO_REST_MS ? open : others;
  const likers = random.sample(willing, Math.floor(audience * warmth + random.next() * 1.4));
  const some = (share: number) => random.sample(others, Math.floor(likers.length * random.next() * share));
  const retweeters = author.protected ? [] : some(0.35);
  const bookmarkers = some(0.2);
  const reach = 0.35 * Math.exp(0.8 * normalSample(random)) * seen;
  const views = Math.floor(audience * reach) + likers.length * random.int(6, 30) + random.int(1, 9);
  const score = likers.length + 2 * retweeters.length + bookmarkers.length;
  return { likers, retweeters, bookmarkers, views, score };
}

interface Audience {
  readonly open: readonly User[];
  /** Without the demo accounts, whose retweets and bookmarks are left to callers. */
  readonly others: readonly User[];
}

const audiences = new WeakMap<User, Audience>();

/** Returns the followers whose reactions everybody may see. Must not be called before all follows are generated. */
function audienceOf(author: User): Audience {
  let audience = audiences.get(author);
  if (audience === undefined) {
    const open = [...author.followers].filter(isPublic);
    audience = { open, others: open.filter((user) => user.token === null) };
    audiences.set(author, audience);
  }
  return audience;
}

/** Performs the reactions, with retweets in the order of their times. */
export function react(
  dataset: Dataset,
  random: Prng,
  all: readonly (readonly [SandboxTweet, Reactions])[],
  endMs: number,
) {
  const retweets: { user: User; tweet: SandboxTweet; at: number }[] = [];
  for (const [tweet, { likers, retweeters, bookmarkers }] of all) {
    for (const user of likers) dataset.like(user, tweet);
    for (const user of bookmarkers) dataset.bookmark(user, tweet);
    const span = Math.min(24 * HOUR_MS, endMs - tweet.createdAt - 1);
    for (const user of retweeters) retweets.push({ user, tweet, at: tweet.createdAt + random.int(1, span) });
  }
  for (const { user, tweet, at } of retweets.sort((a, b) => a.at - b.at)) dataset.retweet(user, tweet, at);
}

/** Returns a random number with an approximately normal distribution of variance 1. */
function normalSample(random: Prng): number {
  return (random.next() + random.next() + random.next() + random.next() - 2) * Math.sqrt(3);
}
