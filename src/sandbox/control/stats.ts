import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';
import { badRequest } from '../http/problem.ts';
import { compareIds } from '../world/snowflake.ts';

export const controlStats: OpenOperation = {
  id: 'controlStats',
  method: 'GET',
  path: '/control/stats',
  access: 'control',
  handle: ({ platform: { stats } }) =>
    json({ requests: stats.requests, tweets_created: stats.tweetsCreated, likes: stats.likes }),
};

/** What calls made, bare, so that a test can compare it with what was acknowledged. */
export const createdTweets: OpenOperation = {
  id: 'createdTweets',
  method: 'GET',
  path: '/control/tweets',
  access: 'control',
  handle({ platform: { world }, query }) {
    const author = query.get('author');
    const since = query.get('since_id');
    if (since !== null && !/^\d{1,20}$/.test(since)) throw badRequest('since_id', 'since_id must be a tweet id');
    const tweets = world.created.filter(
      (tweet) => (author === null || tweet.author.id === author) && (since === null || compareIds(tweet.id, since) > 0),
    );
    return json({
      tweets: tweets.map((tweet) => ({
        id: tweet.id,
        author_id: tweet.author.id,
        text: tweet.text,
        created_at: new Date(tweet.createdAt).toISOString(),
        likes: tweet.likes,
        deleted: tweet.deleted,
      })),
    });
  },
};
