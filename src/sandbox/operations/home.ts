import { type FeedTweet, homeFeed } from '../dataset/home.ts';
import { compareIds } from '../dataset/snowflake.ts';
import type { SandboxTweet } from '../dataset/types.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf } from '../http/paged.ts';
import { viewerHead } from './user-target.ts';
import { tweetsAnswer, visiblePage } from './user-tweets.ts';

/**
 * The ranked home feed. Tweets that arrive after the first page appear only when the client requests a first page
 * again.
 */
export const home: ActorOperation = {
  id: 'home',
  method: 'GET',
  path: '/api/home',
  access: 'actor',
  contract: {
    summary:
      'The ranked feed of the actor: recent tweets of followed authors and recent popular tweets of others, best first. All pages belong to the feed as it was at the first page.',
    parameters: ['Count', 'Cursor'],
    responses: { 200: 'OwnTweetPage' },
  },
  handle(call) {
    const { actor } = call;
    const { dataset } = call.platform;
    const paging = pagingOf(call, 'home', actor.id);
    const position = readPosition(paging.after);
    const lastId = position?.lastId ?? dataset.lastTweetId ?? '0';
    const name = position?.name ?? dataset.feeds.newName(actor, lastId);
    const make = () => homeFeed(dataset, actor, lastId);
    const feed = position === undefined ? make() : dataset.feeds.find(name, make);
    const page = visiblePage(call, below(feed, position), paging.count);
    const last = feed.find(({ tweet }) => tweet.id === page.next);
    if (last === undefined) return tweetsAnswer(call, viewerHead(actor), page, null);
    if (position === undefined) dataset.feeds.keep(name, feed);
    const cursor = paging.seal(`${name}:${lastId}:${last.rank}:${last.tweet.id}`);
    return tweetsAnswer(call, viewerHead(actor), page, cursor);
  },
};

interface Position {
  readonly name: string;
  readonly lastId: string;
  readonly rank: number;
  readonly id: string;
}

/**
 * Parses a cursor position. Only cursors sealed by this sandbox reach this function, so the position has four parts.
 */
function readPosition(text: string | undefined): Position | undefined {
  if (text === undefined) return undefined;
  const [name = '', lastId = '', rank = '', id = ''] = text.split(':');
  return { name, lastId, rank: Number(rank), id };
}

function* below(feed: readonly FeedTweet[], after: Position | undefined): Generator<readonly [SandboxTweet, string]> {
  for (const { tweet, rank } of feed) {
    const isBelow =
      after === undefined || rank < after.rank || (rank === after.rank && compareIds(tweet.id, after.id) < 0);
    if (isBelow) yield [tweet, tweet.id];
  }
}
