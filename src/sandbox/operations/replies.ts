import type { ActorOperation } from '../http/operation.ts';
import { pagingOf } from '../http/paged.ts';
import { visibleTweet } from '../world/look-up.ts';
import { newestTweets } from '../world/orders.ts';
import { tweetsAnswer, visiblePage } from './user-tweets.ts';

/** The direct ones, newest first. */
export const replies: ActorOperation = {
  id: 'replies',
  method: 'GET',
  path: '/api/tweets/{id}/replies',
  access: 'actor',
  handle(call) {
    const { world } = call.platform;
    const tweet = visibleTweet(world, call.params['id'] ?? '', call.actor);
    const paging = pagingOf(call, 'replies', tweet.id);
    const page = visiblePage(call, newestTweets(world, tweet.answers ?? [], paging.after), paging.count);
    return tweetsAnswer(call, '', page, paging.seal(page.next));
  },
};
