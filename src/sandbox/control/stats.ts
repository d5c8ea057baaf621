import { compareIds } from '../dataset/snowflake.ts';
import { closedObject, jsonResponse, ref } from '../http/contract.ts';
import type { ControlOperation } from '../http/operation.ts';
import { json } from '../http/response.ts';
import { badRequest } from '../refusal.ts';

export const controlStats: ControlOperation = {
  id: 'controlStats',
  method: 'GET',
  path: '/control/stats',
  access: 'control',
  contract: {
    summary:
      'Counts since the start or the last reset. Requests that a fault affected are counted. Requests under `/control` are not.',
    responses: {
      200: jsonResponse(
        'The counts.',
        closedObject({
          requests: { type: 'object', additionalProperties: ref('Count'), description: 'By operationId.' },
          tweets_created: ref('Count'),
          likes: ref('Count'),
          waiting: {
            type: 'object',
            additionalProperties: ref('Count'),
            description: 'Requests for activity that wait at present, by user id.',
          },
        }),
      ),
    },
  },
  handle: ({ platform: { stats, longPolls } }) =>
    json({
      requests: stats.requests,
      tweets_created: stats.tweetsCreated,
      likes: stats.likes,
      waiting: longPolls.waiting,
    }),
};

/** Lists every tweet created by a call, so that tests can compare the list with the writes that were acknowledged. */
export const createdTweets: ControlOperation = {
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
      200: jsonResponse(
        'The tweets.',
        closedObject({
          tweets: {
            type: 'array',
            items: closedObject({
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
        likes: tweet.likers.size,
        deleted: tweet.deleted,
      })),
    });
  },
};
