import { expect, test } from 'vitest';
import { useService } from '../../support/use-service.ts';

// The limit is refilled with one call every 20 seconds.
const { sandbox, newCaller } = await useService({ RATE_LIMIT: '3' });

test('each call that a request makes counts towards the rate limit of its key', async () => {
  const { graphql, client } = await newCaller();
  const answer = await graphql.ask(`{
    viewer { about { createdVia } } user(userName: "nobody_here") { name } rateLimit { limit remaining windowSeconds }
    user_: user(userName: "grace") { name }
  }`);
  expect(answer.data).toMatchObject({
    viewer: { about: { createdVia: expect.any(String) } },
    user: null,
    rateLimit: { limit: 3, remaining: 2, windowSeconds: 60 },
  });
  expect(answer.extensions.credits.charged).toBe('0.003');

  const [refused, asked] = await sandbox.requestsDuring(() => graphql.ask('{ viewer { name } }'));
  expect(asked).toEqual({});
  const errors = [{ extensions: { code: 'RATE_LIMITED', status: 429 } }];
  expect(refused).toMatchObject({ status: 429, data: null, errors });
  expect(refused.headers.get('retry-after')).toBe(String(refused.errors[0]?.extensions.retryAfterSeconds));
  expect(refused.extensions.credits).toMatchObject({ charged: '0', remaining: '0.997', actions: [] });
  expect((await client.get('/user/me')).status).toBe(429);
});

test('calls that fail count too', async () => {
  const { graphql } = await newCaller();
  const likes = [1, 2, 3].map((n) => `a${n}: likeTweet(input: { tweetId: "${n}" }) { __typename }`);
  const answer = await graphql.ask(`mutation { ${likes.join(' ')} }`);
  expect(answer.errors).toHaveLength(3);
  expect(answer.extensions.credits.charged).toBe('0');
  expect((await graphql.ask('{ viewer { name } }')).status).toBe(429);
});
