import { visibleTweet } from '../dataset/visibility.ts';
import type { ActorOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { json } from '../http/response.ts';

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
