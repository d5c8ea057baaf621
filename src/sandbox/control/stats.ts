import { compareIds } from '../dataset/snowflake.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { badRequest } from '../refusal.ts';

export const controlStats: ControlOperation = {
  id: 'controlStats',
  method: 'GET',
  path: '/control/stats',
  access: 'control',
  handle: ({ platform: { stats, longPolls } }) =>
    json({
      requests: stats.requests,
      tweets_created: stats.tweetsCreated,
      likes: stats.likes,
      waiting: longPolls.waiting,
      oauth: { ...stats.oauth, repeated_refresh_tokens: stats.repeatedRefreshTokens },
    }),
};

/** Lists every tweet created by a call, so that tests can compare the list with the writes that were acknowledged. */
export const createdTweets: ControlOperation = {
  id: 'createdTweets',
  method: 'GET',
  path: '/control/tweets',
  access: 'control',
  handle({ platform: { dataset }, query }) {
    const author = query.get('author');
    const since = query.get('since_id');
    if (since !== null && !/^\d{1,20}$/.test(since)) throw badRequest('since_id', 'since_id must be a tweet id');
    const tweets = dataset.created.filter(
      (tweet) => (author === null || tweet.author.id === author) && (since === null || compareIds(tweet.id, since) > 0),
    );
    return json({
      tweets: tweets.map((tweet) => ({
        id: tweet.id,
        author_id: tweet.author.id,
        text: tweet.text,
        created_at: new Date(tweet.createdAt).toISOString(),
        likes: tweet.likers.size,
        deleted: tweet.deleted,
      })),
    });
  },
};
