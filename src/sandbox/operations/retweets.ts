import type { User } from '../dataset/types.ts';
import { isShownTo, visibleTweet } from '../dataset/visibility.ts';
import { jsonResponse, pageOf } from '../http/contract.ts';
import type { ActorOperation } from '../http/operation.ts';
import { pagingOf, takePage } from '../http/paged.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';
import { numberOf, usersAnswer } from './user-lists.ts';

const path = '/api/tweets/{id}/retweet';

export const retweetTweet: ActorOperation = {
  id: 'retweetTweet',
  method: 'PUT',
  path,
  access: 'actor',
  contract: {
    summary:
      'Retweets a tweet; repeating it changes nothing. Problems as in tweetById, and `forbidden` 403 for a tweet of another user who is protected.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Retweeted' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    // A retweet would show the tweet to users whom the author has not accepted as followers.
    if (tweet.author.protected && tweet.author !== actor) {
      throw new Problem(403, 'forbidden', 'A protected tweet cannot be retweeted', { id: tweet.id });
    }
    if (!actor.retweeted.has(tweet)) {
      platform.commit({ kind: 'retweet', user: actor.id, tweet: tweet.id, at: platform.now() });
    }
    return json({ tweet_id: tweet.id, retweeted: true });
  },
};

export const unretweetTweet: ActorOperation = {
  id: 'unretweetTweet',
  method: 'DELETE',
  path,
  access: 'actor',
  contract: {
    summary: 'Removes a retweet; repeating it changes nothing. Problems as in tweetById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Retweeted' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    if (actor.retweeted.has(tweet)) {
      platform.commit({ kind: 'unretweet', user: actor.id, tweet: tweet.id, at: platform.now() });
    }
    return json({ tweet_id: tweet.id, retweeted: false });
  },
};

/** The users who retweeted a tweet, newest retweet first. */
export const retweeters: ActorOperation = {
  id: 'retweeters',
  method: 'GET',
  path: '/api/tweets/{id}/retweeters',
  access: 'actor',
  contract: {
    summary:
      'Users who retweeted a tweet, the newest retweet first. Protected users are listed for their followers only. Their number equals the retweet count of the tweet. Problems as in tweetById.',
    parameters: ['Count', 'Cursor'],
    responses: { 200: jsonResponse('A page.', pageOf('users', 'User')) },
  },
  handle(call) {
    const tweet = visibleTweet(call.platform.dataset, call.params['id'] ?? '', call.actor);
    const paging = pagingOf(call, 'retweeters', tweet.id);
    const shown = (user: User) => isShownTo(call.actor, user);
    const page = takePage(tweet.retweeters.newestFirst(numberOf(paging.after)), paging.count, shown);
    return usersAnswer(call, '', page, paging.seal(page.next));
  },
};
