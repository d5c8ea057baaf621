import type { Answer } from '../http/answer.ts';
import type { ActorCall } from '../http/operation.ts';
import { type Page, pageAnswer, pagingOf, takePage } from '../http/paged.ts';
import { checkShownTo } from '../world/look-up.ts';
import { newestTweets } from '../world/orders.ts';
import { tweetsJson } from '../world/render.ts';
import type { Tweet, User } from '../world/types.ts';
import { hiddenFrom } from '../world/visibility.ts';
import { ofUser, targetHead } from './user-target.ts';

/** Tweets and replies; what a user retweeted is not among them. */
export const userTweets = ofUser('userTweets', 'GET', 'tweets', (call, target) =>
  byAuthor(call, 'tweets', target, target.tweets),
);

export const userArticles = ofUser('userArticles', 'GET', 'articles', (call, target) =>
  byAuthor(call, 'articles', target, target.articles),
);

function byAuthor(call: ActorCall, list: string, target: User, positions: readonly number[]): Answer {
  checkShownTo(call.actor, target);
  const paging = pagingOf(call, list, target.id);
  const page = visiblePage(call, newestTweets(call.platform.world, positions, paging.after), paging.count);
  return tweetsAnswer(call, targetHead(target), page, paging.seal(page.next));
}

export function visiblePage(
  { actor }: ActorCall,
  from: Iterable<readonly [Tweet, string | number]>,
  count: number,
): Page<Tweet> {
  return takePage(from, count, (tweet) => hiddenFrom(actor, tweet) === undefined);
}

export function tweetsAnswer({ platform, actor }: ActorCall, head: string, page: Page<Tweet>, cursor: string | null) {
  return pageAnswer(head, 'tweets', tweetsJson(platform.world, page.items, actor), cursor);
}
