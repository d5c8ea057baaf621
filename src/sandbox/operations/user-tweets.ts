import { tweetsJson } from '../dataset/render.ts';
import { newestTweets, type Post, timelineOf } from '../dataset/timelines.ts';
import type { SandboxTweet, User } from '../dataset/types.ts';
import { checkShownTo, hiddenFrom } from '../dataset/visibility.ts';
import type { ActorCall } from '../http/operation.ts';
import { type PagedResult, pageResponse, pagingOf, takePage } from '../http/paged.ts';
import type { SandboxResponse } from '../http/response.ts';
import { listOfUser, targetHead } from './user-target.ts';

/** The tweets, replies and retweets of a user. */
export const userTweets = listOfUser(
  'userTweets',
  'tweets',
  'UserTweetPage',
  'Tweets, replies and retweets of a user, newest first. A retweet is shown as the original tweet, sorted by the time of the retweet. Retweets of own tweets are left out. Problems as in followers.',
  (call, target) => pageOf(call, 'tweets', target, (after) => originalsOf(timelineOf(target, after))),
);

export const userArticles = listOfUser(
  'userArticles',
  'articles',
  'UserTweetPage',
  'The wrapper tweets of the articles that a user has published, newest first. Problems as in followers.',
  (call, target) => pageOf(call, 'articles', target, (after) => newestTweets(target.tweets.filter(isArticle), after)),
);

function* originalsOf(timeline: Iterable<readonly [Post, string]>): Generator<readonly [SandboxTweet, string]> {
  for (const [post, id] of timeline) yield ['of' in post ? post.of : post, id];
}

const isArticle = ({ article }: SandboxTweet) => article !== null;

function pageOf(
  call: ActorCall,
  list: string,
  target: User,
  newestFirst: (after: string | undefined) => Iterable<readonly [SandboxTweet, string]>,
): SandboxResponse {
  checkShownTo(call.actor, target);
  const paging = pagingOf(call, list, target.id);
  const page = visiblePage(call, newestFirst(paging.after), paging.count);
  return tweetsAnswer(call, targetHead(target), page, paging.seal(page.next));
}

export function visiblePage(
  { actor }: ActorCall,
  from: Iterable<readonly [SandboxTweet, string | number]>,
  count: number,
): PagedResult<SandboxTweet> {
  return takePage(from, count, (tweet) => hiddenFrom(actor, tweet) === undefined);
}

export function tweetsAnswer(
  { platform, actor }: ActorCall,
  head: string,
  page: PagedResult<SandboxTweet>,
  cursor: string | null,
) {
  return pageResponse(head, 'tweets', tweetsJson(platform.dataset, page.items, actor), cursor);
}
