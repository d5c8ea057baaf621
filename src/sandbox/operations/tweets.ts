import { jsonText } from '../http/answer.ts';
import type { ActorOperation } from '../http/operation.ts';
import { visibleTweet } from '../world/look-up.ts';
import { tweetJson } from '../world/render.ts';

export const tweetById: ActorOperation = {
  id: 'tweetById',
  method: 'GET',
  path: '/api/tweets/{id}',
  access: 'actor',
  handle({ platform: { world }, params, actor }) {
    const tweet = visibleTweet(world, params['id'] ?? '', actor);
    return jsonText(`{"tweet":${tweetJson(world, tweet, actor)}}`);
  },
};
