import { expect, test } from 'vitest';
import { startCallCountFixture } from './call-count-fixture.ts';

test('each call that a request makes counts towards the rate limit of its key', async () => {
  // The limit is refilled with one call every 20 seconds.
  const fixture = await startCallCountFixture({ RATE_LIMIT: '3' });
  try {
    const { key } = await fixture.service.makeAccount('1');
    const mine = fixture.ada.with({ key });
    const answer = await mine.ask(`{
      viewer { about { createdVia } } user(userName: "nobody_here") { name } rateLimit { limit remaining windowSeconds }
      user_: user(userName: "grace") { name }
    }`);
    expect(answer.data).toMatchObject({
      viewer: { about: { createdVia: expect.any(String) } },
      user: null,
      rateLimit: { limit: 3, remaining: 2, windowSeconds: 60 },
    });
    expect(answer.extensions.credits.charged).toBe('0.003');

    const [refused, asked] = await fixture.sandbox.requestsDuring(() => mine.ask('{ viewer { name } }'));
    expect(asked).toEqual({});
    expect(refused).toMatchObject({
      status: 429,
      data: null,
      errors: [{ extensions: { code: 'RATE_LIMITED', status: 429 } }],
    });
    expect(refused.headers.get('retry-after')).toBe(String(refused.errors[0]?.extensions.retryAfterSeconds));
    expect(refused.extensions.credits).toMatchObject({ charged: '0', remaining: '0.997', actions: [] });
    const rest = await fixture.rest.with({ key }).get('/user/me');
    expect(rest.status).toBe(429);
  } finally {
    await fixture.service.stop();
  }
});

test('calls that fail count too', async () => {
  const fixture = await startCallCountFixture({ RATE_LIMIT: '3' });
  try {
    const { key } = await fixture.service.makeAccount('1');
    const mine = fixture.ada.with({ key });
    const likes = [1, 2, 3].map((n) => `a${n}: likeTweet(input: { tweetId: "${n}" }) { __typename }`);
    const answer = await mine.ask(`mutation { ${likes.join(' ')} }`);
    expect(answer.errors).toHaveLength(3);
    expect(answer.extensions.credits.charged).toBe('0');
    expect((await mine.ask('{ viewer { name } }')).status).toBe(429);
  } finally {
    await fixture.service.stop();
  }
});
