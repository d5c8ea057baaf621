import { afterAll, describe, expect, test } from 'vitest';
import type { Client } from '../../support/client.ts';
import { expectRefusal, restingBalance } from '../../support/refusal.ts';
import { useService } from '../../support/use-service.ts';

const { service, sandbox, ada } = await useService();

afterAll(async () => {
  expect(await restingBalance(ada)).toBe('1');
  expect(await sandbox.tweets()).toEqual([]);
});

describe('a query', () => {
  test.each([
    ['/tweet/advanced_search', {}, 'Missing required field: q'],
    ['/tweet/advanced_search', { q: '' }, 'Missing required field: q'],
    ['/tweet/advanced_search', { q: ' \t' }, 'Malformed field: q: must not be blank'],
    ['/tweet/advanced_search', { q: 'x'.repeat(1025) }, /^Malformed field: q: /],
    ['/tweet/advanced_search', { q: 'tea', product: 'latest' }, 'Malformed field: product: must be Latest or Top'],
    ['/tweet/advanced_search', { q: 'tea', product: '' }, 'Malformed field: product: must be Latest or Top'],
    ['/tweet/advanced_search', { q: 'tea', cursor: '' }, /^Malformed field: cursor: /],
    ['/tweet/advanced_search', { q: 'tea', cursor: 'x'.repeat(2049) }, /^Malformed field: cursor: /],
    ['/article/list', { status: 'DRAFT' }, 'Malformed field: status: must be draft or published'],
    ['/user/info', {}, 'Missing required field: userName or userId'],
    ['/user/info', { userName: '' }, /^Malformed field: userName: /],
    ['/user/info', { userName: '@' }, /^Malformed field: userName: /],
    ['/user/info', { userName: '@@ada' }, /^Malformed field: userName: /],
    ['/user/info', { userName: 'ada/../grace' }, /^Malformed field: userName: /],
    ['/user/info', { userName: 'ada\r\nx: y' }, /^Malformed field: userName: /],
    ['/user/info', { userName: 'x'.repeat(254) }, /^Malformed field: userName: /],
    ['/user/info', { userName: 'аda' }, /^Malformed field: userName: /],
    ['/user/info', { userId: 'ada' }, /^Malformed field: userId: /],
    ['/user/info', { userId: '' }, /^Malformed field: userId: /],
    ['/user/info', { userId: '-1' }, /^Malformed field: userId: /],
    ['/user/info', { userId: '1e3' }, /^Malformed field: userId: /],
    ['/user/info', { userId: '١٢' }, /^Malformed field: userId: /],
    ['/user/info', { userId: '1'.repeat(65) }, /^Malformed field: userId: /],
    ['/user/info', { userId: '12\n' }, /^Malformed field: userId: /],
    ['/user/info', { userName: 'ada', userId: 'x' }, /^Malformed field: userId: /],
  ])('to %s with %j is 400', async (path, query, error) => {
    expectRefusal(await ada.get(path, query as Record<string, string>), 400, error);
  });

  test.each(['OR', '-', '"', '( )', '- OR'])('that holds nothing to search for is 400 and says so: %s', async (q) => {
    const error = /^Malformed field: q: holds nothing to search for: give a word/;
    expectRefusal(await ada.get('/tweet/advanced_search', { q }), 400, error);
  });

  test.each(['0', '101', '-1', '1.5', 'abc', '', '1e1', '0x10', ' 5', '99999999999999999999', 'NaN', 'null', '٥'])(
    'with count %j is 400 naming the field, on every paged list',
    async (count) => {
      const error = /^Malformed field: count: must be a whole number/;
      expectRefusal(await ada.get('/tweet/advanced_search', { q: 'tea', count }), 400, error);
      expectRefusal(await ada.get('/account/payments', { count }), 400, error);
    },
  );

  test.each(['q=a&q=b', 'q=a&q=a', 'q=tea&count=1&count=1', 'q=tea&product=Top&product=Top'])(
    'that repeats a parameter is 400: %s',
    async (query) => {
      const field = query.slice(query.lastIndexOf('&') + 1).split('=')[0];
      const answer = await ada.send('GET', `/tweet/advanced_search?${query}&auth_token=${ada.options.authToken}`);
      expectRefusal(answer, 400, `Malformed field: ${field}: given more than once`);
    },
  );

  test.each([
    ['from', { from: 'yesterday' }],
    ['from', { from: '2026-02-30' }],
    ['from', { from: '2026-13-01T00:00:00Z' }],
    ['from', { from: '1700000000' }],
    ['from', { from: '' }],
    ['to', { to: '2026-11-01T25:00:00Z' }],
    ['to', { to: '2026-11-01T00:00:00' }],
    ['from', { from: '2026-11-02', to: '2026-11-01' }],
    ['from', { from: '2026-11-02', to: '2026-11-02' }],
    ['from', { from: '2025-01-01', to: '2026-02-06' }],
    ['from', { from: '2026-01-01', to: '2026-02-02', granularity: 'hour' }],
    ['granularity', { granularity: 'week' }],
    ['granularity', { granularity: '' }],
  ])('for usage with a wrong %s is 400: %j', async (field, query) => {
    const error = new RegExp(`^Malformed field: ${field}: `);
    expectRefusal(await ada.get('/account/usage', query as Record<string, string>), 400, error);
  });
});

describe('a body', () => {
  const hostile: unknown[] = [1, true, [], ['1'], {}, { $ne: null }, { toString: '1' }, Number.MAX_VALUE, -0, ''];

  test.each(['text', 'reply_to_tweet_id', 'quote_tweet_id', 'quote_tweet_url'])(
    'of tweet/create with something else than a string as %s is 400',
    async (field) => {
      for (const value of hostile) {
        const answer = await ada.post('/tweet/create', { text: 'Never posted', [field]: value });
        expectRefusal(answer, 400, new RegExp(`^(Malformed|Missing required) field: ${field}`));
      }
    },
  );

  test.each(['/tweet/favorite', '/tweet/unlike'])('of %s with something else than an id is 400', async (path) => {
    for (const tweet_id of [...hostile, 'abc', '-1', '1.0', '12 ', '1'.repeat(65), '../1', '1?x', '1%00']) {
      const error = tweet_id === '' ? /^M/ : /^Malformed field: tweet_id: must be a/;
      expectRefusal(await ada.post(path, { tweet_id }), 400, error);
    }
    expectRefusal(await ada.post(path), 400, 'Missing required field: tweet_id');
    expectRefusal(await ada.post(path, { tweet_id: null }), 400, 'Missing required field: tweet_id');
  });

  test('of tweet/create without text is 400', async () => {
    const missing = 'Missing required field: text, media_ids or media_urls';
    expectRefusal(await ada.post('/tweet/create'), 400, missing);
    expectRefusal(await ada.post('/tweet/create', { text: '' }), 400, missing);
    expectRefusal(await ada.post('/tweet/create', { text: null }), 400, missing);
    for (const text of [' ', '\n\t', '\u00a0']) {
      expectRefusal(await ada.post('/tweet/create', { text }), 400, /^Malformed field: text: /);
    }
    expectRefusal(await ada.post('/tweet/create', { text: 'half \ud83d' }), 400, /^Malformed field: text: /);
  });

  test('names which item of a list is at fault', async () => {
    const error = 'Malformed field: media_ids[1]: must be a string';
    expectRefusal(await ada.post('/tweet/create', { text: 'x', media_ids: ['1', 2] }), 400, error);
  });

  test('of tweet/create with both ways to name the quoted tweet is 400', async () => {
    const both = { text: 'x', quote_tweet_id: '1', quote_tweet_url: 'http://127.0.0.1/ada/status/1' };
    expectRefusal(await ada.post('/tweet/create', both), 400, /give only one of quote_tweet_id and quote_tweet_url/);
  });

  test.each([
    'ada/status/1',
    'ftp://x/ada/status/1',
    'http://x/ada/status/',
    'http://x/ada/status/abc',
    'http://x/status/1',
  ])('of tweet/create with an address of no tweet is 400: %s', async (quote_tweet_url) => {
    const error = /^Malformed field: quote_tweet_url: must be the address of a tweet/;
    expectRefusal(await ada.post('/tweet/create', { text: 'x', quote_tweet_url }), 400, error);
  });
});

describe('a credential in the query string of a request with a body', () => {
  test.each([
    ['auth_token', 'x-auth-token'],
    ['proxy', 'x-proxy'],
    ['encryption_code', 'x-encryption-code'],
  ])('is refused with the place where it belongs: %s', async (field, header) => {
    const json = { 'content-type': 'application/json' };
    const error = `Malformed field: ${field}: send it in the JSON body or in the header ${header}, not in the query string`;
    for (const path of ['/tweet/create', '/user/follow', '/webhooks']) {
      expectRefusal(await ada.send('POST', `${path}?${field}=http://a.example`, '{}', json), 400, error);
    }
  });
});

describe('the character NUL', () => {
  test('is refused in every text', async () => {
    const error = (field: string) => `Malformed field: ${field}: must not contain the character NUL (U+0000)`;
    expectRefusal(await ada.post('/tweet/create', { text: 'a\0b' }), 400, error('text'));
    const media = { text: 'a', media_urls: ['http://a/\0'] };
    expectRefusal(await ada.post('/tweet/create', media), 400, error('media_urls'));
    expectRefusal(await ada.get('/tweet/advanced_search', { q: 'a\0b' }), 400, error('q'));
    expectRefusal(await ada.post('/article/create', { title: 'a\0', content: 'b' }), 400, error('title'));
    const code = { encryption_code: 'a\0b', conversation_id: '1:2', text: 'a' };
    expectRefusal(await ada.post('/dm/send', code), 400, 'Malformed field: encryption_code: has control characters');
  });
});

describe('the auth_token', () => {
  const calls = (client: Client) => [
    client.get('/tweet/advanced_search', { q: 'tea' }),
    client.get('/user/info', { userName: 'ada' }),
    client.post('/tweet/create', { text: 'x' }),
    client.post('/tweet/favorite', { tweet_id: '1' }),
    client.post('/tweet/unlike', { tweet_id: '1' }),
  ];

  test('that is missing or empty is 400', async () => {
    const nobody = ada.with({ authToken: '' });
    for (const call of calls(nobody)) expectRefusal(await call, 400, 'Missing required field: auth_token');
    expectRefusal(await nobody.get('/user/info', { userName: 'ada', auth_token: '' }), 400, /auth_token/);
    expectRefusal(await nobody.get('/user/info', { userName: 'ada' }, { 'x-auth-token': '' }), 400, /auth_token/);
  });

  test('that differs in header and input is 400; the same in both is fine', async () => {
    const other = { 'x-auth-token': service.demo.accounts[1].authToken };
    const error = /^Malformed field: auth_token: differs/;
    expectRefusal(await ada.get('/user/info', { userName: 'ada' }, other), 400, error);
    expectRefusal(await ada.post('/tweet/create', { text: 'x' }, other), 400, error);
    const same = { 'x-auth-token': ada.options.authToken ?? '' };
    expectRefusal(await ada.get('/user/info', { userName: 'nobody_here' }, same), 404);
  });

  test.each([
    'a\r\nx-evil: 1',
    'a;b=c',
    'a b',
    'a,b',
    'a"b',
    'a\\b',
    'ä',
    '\u0000',
    '\u007f',
    'x'.repeat(1025),
    '\ud800',
  ])('with characters that a cookie cannot carry is 400: %j', async (authToken) => {
    const answers = await Promise.all(calls(ada.with({ authToken })));
    for (const answer of answers) {
      expectRefusal(answer, 400, 'Malformed field: auth_token: must be a token of the platform');
    }
  });

  test('that is not a string, or given twice, is 400', async () => {
    for (const auth_token of [1, ['x'], { $ne: null }]) {
      expectRefusal(await ada.post('/tweet/create', { text: 'x', auth_token }), 400, /^Malformed field: auth_token: /);
    }
    const twice = await ada.send('GET', '/user/info?userName=ada&auth_token=a&auth_token=b');
    expectRefusal(twice, 400, 'Malformed field: auth_token: given more than once');
  });

  test('that the platform rejects is 403 and costs nothing', async () => {
    for (const call of calls(ada.with({ authToken: '0'.repeat(40) }))) {
      expectRefusal(await call, 403, 'Platform rejected auth_token');
    }
  });
});
