import type { ActorOperation } from '../http/operation.ts';
import { pagingOf } from '../http/paged.ts';
import { visibleTweet } from '../world/look-up.ts';
import { newestTweets } from '../world/orders.ts';
import type { Tweet } from '../world/types.ts';
import { tweetsAnswer, visiblePage } from './user-tweets.ts';

/** The direct replies to a tweet, newest first. */
export const replies = tweetsAbout('replies', ({ answers }) => answers);

/** The tweets that quote a tweet, newest first. */
export const quotes = tweetsAbout('quotes', ({ quotedBy }) => quotedBy);

function tweetsAbout(list: string, positionsOf: (tweet: Tweet) => readonly number[] | undefined): ActorOperation {
  return {
    id: list,
    method: 'GET',
    path: `/api/tweets/{id}/${list}`,
    access: 'actor',
    handle(call) {
      const { world } = call.platform;
      const tweet = visibleTweet(world, call.params['id'] ?? '', call.actor);
      const paging = pagingOf(call, list, tweet.id);
      const page = visiblePage(call, newestTweets(world, positionsOf(tweet) ?? [], paging.after), paging.count);
      return tweetsAnswer(call, '', page, paging.seal(page.next));
    },
  };
}
