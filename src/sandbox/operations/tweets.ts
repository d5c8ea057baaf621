import { tweetJson } from '../dataset/render.ts';
import { visibleTweet } from '../dataset/visibility.ts';
import { jsonResponse, ref } from '../http/contract.ts';
import type { ActorOperation } from '../http/operation.ts';
import { jsonText } from '../http/response.ts';

export const tweetById: ActorOperation = {
  id: 'tweetById',
  method: 'GET',
  path: '/api/tweets/{id}',
  access: 'actor',
  contract: {
    summary:
      'A tweet. Problems: `not_found` 404, `tweet_deleted` 404, `user_suspended` 403, `user_deleted` 404, `protected` 403.',
    responses: { 200: jsonResponse('The tweet.', ref('TweetAnswer')) },
  },
  handle({ platform: { dataset }, params, actor }) {
    const tweet = visibleTweet(dataset, params['id'] ?? '', actor);
    return jsonText(`{"tweet":${tweetJson(dataset, tweet, actor)}}`);
  },
};
