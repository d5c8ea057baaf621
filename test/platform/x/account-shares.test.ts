import { describe, expect, test } from 'vitest';
import { fakeX, now, runtime } from './fake-x.ts';

const windowMs = 10 * 60_000;
const day = { 'x-app-limit-24hour-limit': '8', 'x-app-limit-24hour-remaining': '6' };
const headers = { ...day, 'x-app-limit-24hour-reset': String((now + windowMs) / 1_000) };
const answers = {
  '/2/users/me': { body: { data: { id: '1', name: 'Ada', username: 'ada' } } },
  'POST /2/users/1/retweets': { headers, body: { data: { retweeted: true } } },
};
const refusal = { reason: 'platform_share_limit', code: 'rate_limited' };

describe('the share of an account', () => {
  test('is a quarter of the daily limit of the app, until X resets it', async () => {
    let at = now;
    const { session, requests, platform } = await fakeX(answers, { clock: { ...runtime, now: () => at } });
    const call = (account: string) => session({ account }).retweet('12');
    await call('a');
    await call('a');
    await expect(call('a')).rejects.toMatchObject({ ...refusal, retryAfterSeconds: windowMs / 1_000 });
    await call('b');
    expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
    expect(platform.appLimitsLeft()).toEqual({ 'daily limit of repostPost': 0.75 });
    at += windowMs;
    expect(platform.appLimitsLeft()).toEqual({});
    await call('a');
  });

  test('of app-only requests is a part of the rate limit that X names', async () => {
    let at = now;
    const clock = { ...runtime, now: () => (at += 1_000) };
    const reset = String((now + windowMs) / 1_000);
    const headers = { 'x-rate-limit-limit': '6', 'x-rate-limit-remaining': '5', 'x-rate-limit-reset': reset };
    const { session } = await fakeX(
      { '/2/tweets/search/all': { headers, body: { meta: { result_count: 0 } } } },
      { appToken: 'app-token', clock, caps: { percent: 50 } },
    );
    const search = (account: string) =>
      session({ account }).searchTweets({ q: 'loom since:2020-01-01', product: 'Top', count: 10, cursor: null });
    for (let call = 0; call < 3; call += 1) await search('a');
    await expect(search('a')).rejects.toMatchObject(refusal);
    await search('b');
  });

  test('of the credit ends with the UTC day', async () => {
    let at = now;
    const user = { id: '1', name: 'Ada', username: 'ada' };
    const { session } = await fakeX(
      { '/2/users/1': { body: { data: user } } },
      { clock: { ...runtime, now: () => at }, caps: { dailyMicros: 20_000 } },
    );
    const read = (account: string) => session({ account }).userProfile({ userId: '1' });
    await read('a');
    await read('a');
    await expect(read('a')).rejects.toMatchObject({ ...refusal, retryAfterSeconds: 12 * 3_600 });
    await read('b');
    at += 12 * 3_600_000;
    await read('a');
  });

  test('does not count the user limits of X', async () => {
    const headers = { 'x-rate-limit-limit': '4', 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': String(now) };
    const { session } = await fakeX({
      '/2/users/1': { headers, body: { data: { id: '1', name: 'A', username: 'a' } } },
    });
    for (let call = 0; call < 3; call += 1) await session().userProfile({ userId: '1' });
  });
});
