import { answers, closed, ref } from '../contract/schema.ts';
import { compareIds } from '../dataset/snowflake.ts';
import { json } from '../http/answer.ts';
import type { OpenOperation } from '../http/operation.ts';
import { badRequest } from '../http/problem.ts';

export const controlStats: OpenOperation = {
  id: 'controlStats',
  method: 'GET',
  path: '/control/stats',
  access: 'control',
  contract: {
    summary:
      'Counts since the start or the last reset. Requests under `/control` are not counted. Requests that a fault affected are.',
    responses: {
      200: answers(
        'The counts.',
        closed({
          requests: { type: 'object', additionalProperties: ref('Count'), description: 'By operationId.' },
          tweets_created: ref('Count'),
          likes: ref('Count'),
        }),
      ),
    },
  },
  handle: ({ platform: { stats } }) =>
    json({ requests: stats.requests, tweets_created: stats.tweetsCreated, likes: stats.likes }),
};

/** What calls made, bare, so that a test can compare it with what was acknowledged. */
export const createdTweets: OpenOperation = {
  id: 'createdTweets',
  method: 'GET',
  path: '/control/tweets',
  access: 'control',
  contract: {
    summary: 'Lists all tweets that createTweet made, oldest first and in one response.',
    parameters: [
      { name: 'author', in: 'query', schema: { type: 'string' }, description: 'A user id.' },
      {
        name: 'since_id',
        in: 'query',
        schema: { type: 'string', pattern: '^[0-9]{1,20}$' },
        description: 'Only later tweets.',
      },
    ],
    responses: {
      200: answers(
        'The tweets.',
        closed({
          tweets: {
            type: 'array',
            items: closed({
              id: ref('Id'),
              author_id: ref('Id'),
              text: { type: 'string' },
              created_at: ref('Time'),
              likes: ref('Count'),
              deleted: { type: 'boolean' },
            }),
          },
        }),
      ),
    },
  },
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
        likes: tweet.likes,
        deleted: tweet.deleted,
      })),
    });
  },
};
