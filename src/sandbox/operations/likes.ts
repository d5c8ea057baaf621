import { visibleTweet } from '../dataset/visibility.ts';
import type { ActorOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

export const likeTweet: ActorOperation = {
  id: 'likeTweet',
  method: 'PUT',
  path: '/api/tweets/{id}/like',
  access: 'actor',
  contract: {
    summary: 'Likes a tweet; repeating it changes nothing. Problems as in tweetById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Liked' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    if (!actor.liked.has(tweet)) {
      platform.commit({ kind: 'like', user: actor.id, tweet: tweet.id, at: platform.now() });
      platform.stats.likes++;
    }
    return json({ tweet_id: tweet.id, liked: true });
  },
};

export const unlikeTweet: ActorOperation = {
  id: 'unlikeTweet',
  method: 'DELETE',
  path: '/api/tweets/{id}/like',
  access: 'actor',
  contract: {
    summary: 'Removes a like; repeating it changes nothing. Problems as in tweetById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Liked' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    if (actor.liked.has(tweet)) {
      platform.commit({ kind: 'unlike', user: actor.id, tweet: tweet.id, at: platform.now() });
    }
    return json({ tweet_id: tweet.id, liked: false });
  },
};
