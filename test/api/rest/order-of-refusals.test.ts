import { afterAll, describe, expect, test } from 'vitest';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { sandbox, ada: rich, newCaller } = await useService();
const { client: poor } = await newCaller('0.0009');
afterAll(async () => {
  expect(await restingBalance(poor)).toBe('0.0009');
  expect(await restingBalance(rich)).toBe('1');
});

const badJson = { 'content-type': 'application/json' };

describe('the order of refusals', () => {
  test('path and method go before the key', async () => {
    const nobody = poor.with({ key: 'nonsense' });
    expectRefusal(await nobody.send('POST', '/nowhere', '{', { 'content-type': 'text/plain' }), 404);
    expectRefusal(await nobody.send('DELETE', '/tweet/create'), 405);
    expectRefusal(await nobody.send('POST', '/user/info', 'x'.repeat(2 * 1024 * 1024), badJson), 405);
  });

  test('the key goes before the body and the input', async () => {
    const nobody = poor.with({ key: '' });
    expectRefusal(await nobody.send('POST', '/tweet/create', '{', badJson), 401);
    expectRefusal(await nobody.send('POST', '/tweet/create', '{}', { 'content-type': 'text/plain' }), 401);
    expectRefusal(await nobody.send('POST', '/tweet/create', `"${'x'.repeat(1024 * 1024)}"`, badJson), 401);
    expectRefusal(await nobody.get('/tweet/advanced_search', { count: '0' }), 401);
    expectRefusal(await nobody.get('/user/info', { proxy: 'http://a' }), 401);
  });

  test('the body and the input go before the credit', async () => {
    expectRefusal(await poor.send('POST', '/tweet/create', '{', badJson), 400);
    expectRefusal(await poor.send('POST', '/tweet/create', '{}', { 'content-type': 'text/plain' }), 415);
    expectRefusal(await poor.send('POST', '/tweet/create', `"${'x'.repeat(1024 * 1024)}"`, badJson), 413);
    expectRefusal(await poor.post('/tweet/favorite', { tweet_id: 'x' }), 400);
    expectRefusal(await poor.with({ authToken: '' }).get('/user/info', { userName: 'ada' }), 400);
    expectRefusal(await poor.get('/tweet/advanced_search', { q: 'tea', cursor: 'forged' }), 400);
    expectRefusal(await poor.get('/user/info', { userName: 'ada', proxy: 'ftp://a' }), 400);
    expectRefusal(await poor.get('/user/info', { userName: 'ada', proxy: 'http://127.0.0.1:1' }), 400);
  });

  test('the credit goes before the platform, which is not called', async () => {
    const asked = await sandbox.requests('searchPostsAll');
    const wrong = poor.with({ authToken: 'rejected' });
    for (const client of [poor, wrong]) {
      const error = /^Not enough credit: the request needs 0.001 d/;
      expectRefusal(await client.get('/tweet/advanced_search', { q: 'tea' }), 402, error);
      expectRefusal(await client.get('/tweet/advanced_search', { q: 'colour:red' }), 402);
      expectRefusal(await client.get('/user/info', { userName: 'nobody_here' }), 402);
      expectRefusal(await client.post('/tweet/create', { text: 'Not paid for' }), 402);
      expectRefusal(await client.post('/tweet/favorite', { tweet_id: '1' }), 402);
    }
    expect(await sandbox.requests('searchPostsAll')).toBe(asked);
    expect(await sandbox.tweets()).toEqual([]);
  });

  test('the token goes before objects of the platform', async () => {
    const wrong = rich.with({ authToken: 'rejected' });
    expectRefusal(await wrong.get('/user/info', { userName: 'nobody_here' }), 403, 'Platform rejected auth_token');
    expectRefusal(await wrong.get('/tweet/advanced_search', { q: 'tea' }), 403, 'Platform rejected auth_token');
  });
});

describe('every answer below /v1', () => {
  test('is not to be stored by anyone', async () => {
    const answers = [
      await rich.get('/account'),
      await rich.get('/nowhere'),
      await rich.with({ key: '' }).get('/account'),
      await rich.post('/tweet/create', {}),
      await rich.send('GET', '/tweet/%zz'),
      await poor.get('/user/info', { userName: 'ada' }),
    ];
    for (const { headers } of answers) {
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('etag')).toBeNull();
      expect(headers.get('x-powered-by')).toBeNull();
    }
  });

  test('carries an x-request-id of its own, never the same', async () => {
    const ids = new Set<string | null>();
    for (let i = 0; i < 20; i++) ids.add((await rich.get('/account')).headers.get('x-request-id'));
    expect(ids.size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[\w-]{12}$/);
  });

  test("echoes the caller's x-request-id if it is short and printable", async () => {
    for (const id of ['a', 'req-1/2:3', '~'.repeat(64), '{"json":1}']) {
      const headers = { 'x-request-id': id };
      expect((await rich.get('/account', {}, headers)).headers.get('x-request-id')).toBe(id);
      expect((await rich.get('/nowhere', {}, headers)).headers.get('x-request-id')).toBe(id);
    }
    for (const id of ['', 'a b', 'x'.repeat(65), 'tab\there', 'é']) {
      const given = (await rich.get('/account', {}, { 'x-request-id': id })).headers.get('x-request-id');
      expect(given).toMatch(/^[\w-]{12}$/);
    }
  });
});
