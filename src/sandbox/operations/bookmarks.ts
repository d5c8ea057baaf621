import { visibleTweet } from '../dataset/visibility.ts';
import type { ActorOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';

const path = '/api/tweets/{id}/bookmark';

export const bookmarkTweet: ActorOperation = {
  id: 'bookmarkTweet',
  method: 'PUT',
  path,
  access: 'actor',
  contract: {
    summary: 'Bookmarks a tweet; repeating it changes nothing. Problems as in tweetById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Bookmarked' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    if (!actor.bookmarked.has(tweet)) {
      platform.commit({ kind: 'bookmark', user: actor.id, tweet: tweet.id, at: platform.now() });
    }
    return json({ tweet_id: tweet.id, bookmarked: true });
  },
};

export const unbookmarkTweet: ActorOperation = {
  id: 'unbookmarkTweet',
  method: 'DELETE',
  path,
  access: 'actor',
  contract: {
    summary: 'Removes a bookmark; repeating it changes nothing. Problems as in tweetById.',
    parameters: ['IdempotencyToken'],
    responses: { 200: 'Bookmarked' },
  },
  handle({ platform, params, actor }) {
    const tweet = visibleTweet(platform.dataset, params['id'] ?? '', actor);
    if (actor.bookmarked.has(tweet)) {
      platform.commit({ kind: 'unbookmark', user: actor.id, tweet: tweet.id, at: platform.now() });
    }
    return json({ tweet_id: tweet.id, bookmarked: false });
  },
};
