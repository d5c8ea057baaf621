import { describe, expect, test } from 'vitest';
import { fakeX, now, type Response, runtime } from './fake-x.ts';

const problem = (kind: string, more: object = {}) => ({
  ...{ type: `https://api.twitter.com/2/problems/${kind}`, title: kind, detail: 'Could not show it.' },
  ...{ resource_type: 'post', resource_id: '12' },
  ...more,
});

const ada = {
  ...{ id: '1', username: 'ada', name: 'Ada', created_at: '2009-11-21T12:00:00.000Z', verified_type: 'blue' },
  profile_image_url: 'https://pbs.example/ada_normal.jpg',
  entities: { url: { urls: [{ start: 0, end: 23, url: 'https://t.co/a', expanded_url: 'https://ada.example' }] } },
};
const grace = { id: '2', username: 'grace', name: 'Grace' };
const post = (id: string, more: object = {}) => ({ id, text: `post ${id}`, author_id: '1', ...more });
const references = (...pairs: [type: string, id: string][]) => pairs.map(([type, id]) => ({ type, id }));
const page = (data: unknown[], more: object = {}) => ({ body: { data, meta: { result_count: data.length }, ...more } });

describe('posts', () => {
  test('are read in the new vocabulary', async () => {
    const { session } = await fakeX({
      '/2/tweets/30': {
        body: {
          data: post('30', {
            ...{
              text: 'cut',
              note_post: { text: 'All of it #loom', entities: { hashtags: [{ start: 10, end: 15, tag: 'loom' }] } },
            },
            ...{ created_at: '2026-11-20T10:00:00.000Z', lang: 'en', conversation_id: '20', in_reply_to_user_id: '2' },
            public_metrics: {
              repost_count: 1,
              reply_count: 2,
              like_count: 3,
              quote_count: 4,
              bookmark_count: 5,
              impression_count: 6,
            },
            referenced_posts: references(['replied_to', '20'], ['quoted', '21']),
            attachments: { media_keys: ['7_1'] },
            entities: {
              urls: [
                { start: 0, end: 3, url: 'https://t.co/v', expanded_url: 'https://x.com/ada/v', media_key: '7_1' },
              ],
            },
          }),
          includes: {
            users: [ada, grace],
            posts: [post('20', { author_id: '2' }), post('21', { author_id: '2' })],
            media: [
              {
                ...{
                  media_key: '7_1',
                  type: 'video',
                  preview_image_url: 'https://pbs.example/p.jpg',
                  width: 4,
                  height: 3,
                  duration_ms: 9,
                },
                variants: [
                  { content_type: 'application/x-mpegURL', url: 'https://v.example/list' },
                  { content_type: 'video/mp4', bit_rate: 1, url: 'https://v.example/small' },
                  { content_type: 'video/mp4', bit_rate: 2, url: 'https://v.example/large' },
                ],
              },
            ],
          },
        },
      },
    });
    expect(await session().tweet('30')).toMatchObject({
      ...{
        url: 'https://x.com/ada/status/30',
        platformUrl: 'https://twitter.com/ada/status/30',
        text: 'All of it #loom',
      },
      ...{ retweetCount: 1, replyCount: 2, likeCount: 3, quoteCount: 4, bookmarkCount: 5, viewCount: 6, lang: 'en' },
      ...{ createdAt: 'Fri Nov 20 10:00:00 +0000 2026', isReply: true, inReplyToId: '20', inReplyToUserId: '2' },
      ...{ quoted_tweet_id: '21', quoted_tweet: { id: '21', author: { userName: 'grace' }, quoted_tweet: null } },
      entities: { hashtags: [{ text: 'loom', indices: [10, 15] }], urls: [] },
      media: [
        { type: 'video', url: 'https://pbs.example/p.jpg', video_url: 'https://v.example/large', duration_ms: 9 },
      ],
      author: {
        url: 'https://ada.example',
        profilePicture: 'https://pbs.example/ada.jpg',
        isVerified: false,
        isBlueVerified: true,
      },
    });
  });

  test('are read in the old vocabulary, with defaults for missing fields', async () => {
    const data = post('2000000000000000000', {
      note_tweet: { text: 'all' },
      public_metrics: { retweet_count: 1 },
      referenced_tweets: references(['quoted', '21']),
    });
    const includes = { users: [ada], tweets: [post('21')] };
    const { session } = await fakeX({ '/2/tweets/2000000000000000000': { body: { data, includes } } });
    expect(await session().tweet('2000000000000000000')).toMatchObject({
      ...{ text: 'all', retweetCount: 1, likeCount: 0, viewCount: null, source: null, lang: 'und', isReply: false },
      ...{ createdAt: 'Sun Dec 14 00:28:52 +0000 2025', quoted_tweet: { id: '21' }, media: [] },
    });
  });

  test('is refused with 502 if a field has another type', async () => {
    const { session } = await fakeX({
      '/2/tweets/12': { body: { data: post('12', { text: 5 }), includes: { users: [ada] } } },
    });
    await expect(session().tweet('12')).rejects.toMatchObject({ reason: 'platform_unreadable' });
  });

  test('are asked for only what the caller sees', async () => {
    const { session, requests } = await fakeX({ '/2/tweets/12': { body: { data: post('12') } } });
    const needs = { author: false, quoted: false, mentionNames: false, media: false, pinned: false };
    const tweet = await session({ needs }).tweet('12');
    expect(tweet).toMatchObject({ url: 'https://x.com/i/web/status/12', media: [], quoted_tweet: null });
    expect(Object.fromEntries(requests[0]?.query ?? [])).toEqual({
      'post.fields': expect.stringContaining('public_metrics'),
    });
  });

  test('that may be reposts are read once more if their references were not asked for', async () => {
    const repost = post('40', { text: 'RT @grace: Hi' });
    const answer = (url: URL) =>
      url.search.includes('referenced_posts')
        ? {
            body: {
              data: [{ ...repost, referenced_posts: references(['retweeted', '21']) }],
              includes: { posts: [post('21')] },
            },
          }
        : { body: { data: [repost, post('41')] } };
    const { session, requests } = await fakeX({
      '/2/tweets': answer,
      '/2/tweets/40': { body: { data: repost } },
      '/2/tweets/41': { body: { data: post('41') } },
    });
    const needs = { author: false, quoted: false, mentionNames: false, media: false, pinned: false };
    expect(await session({ needs }).tweets(['40', '41'])).toMatchObject([{ id: '21' }, { id: '41' }]);
    expect(await session({ needs }).tweet('40')).toMatchObject({ id: '21', text: 'post 21' });
    expect(await session({ needs }).tweet('41')).toMatchObject({ id: '41' });
    expect(requests.map(({ query }) => query.get('ids'))).toEqual(['40,41', '40', null, '40', null]);
  });

  test('with articles are found by this field, and read whole together', async () => {
    const { session, requests, metered } = await fakeX({
      '/2/users/1/tweets': page([post('31'), post('30', { article: { title: 'Looms' } })]),
      '/2/tweets': { body: { data: [post('30')], includes: { users: [ada] } } },
    });
    const { items } = await session().userArticles({ userId: '1' }, { count: 20, cursor: null });
    expect(items).toMatchObject([{ id: '30', author: { userName: 'ada' } }]);
    expect(requests.map(({ query }) => [query.get('ids'), query.get('expansions')])).toEqual([
      [null, null],
      ['30', expect.stringContaining('author_id')],
    ]);
    expect(metered.map(([kind, micros]) => [kind, micros])).toEqual([
      ['post', 10_000],
      ['post', 5_000],
      ['user', 10_000],
    ]);
  });

  test('that are quoted or reposted are looked up together if X includes them without their authors', async () => {
    const { session, requests } = await fakeX({
      '/2/users/1/tweets': page(
        [
          post('31', { referenced_posts: references(['retweeted', '21']) }),
          post('30', { referenced_posts: references(['quoted', '22']) }),
        ],
        {
          includes: {
            users: [ada],
            posts: [
              { id: '21', text: 'x' },
              { id: '22', text: 'y' },
            ],
          },
        },
      ),
      '/2/tweets': {
        body: {
          data: [post('21', { author_id: '2' })],
          includes: { users: [grace] },
          errors: [problem('resource-not-found', { resource_id: '22' })],
        },
      },
    });
    const { items, user } = await session().userTweets({ userId: '1' }, { count: 20, cursor: null });
    expect(items.map(({ id, author, quoted_tweet_id }) => [id, author.userName, quoted_tweet_id])).toEqual([
      ['21', 'grace', null],
      ['30', 'ada', '22'],
    ]);
    expect(items[1]?.quoted_tweet).toBeNull();
    expect(user).toEqual({ id: '1', userName: 'ada' });
    expect(requests.map(({ path, query }) => [path, query.get('ids')])).toEqual([
      ['/2/users/1/tweets', null],
      ['/2/tweets', '21,22'],
    ]);
  });

  test('whose author X leaves out are left out of the page', async () => {
    const { session } = await fakeX({
      '/2/tweets/search/recent': page([post('12'), post('11', { author_id: '3' })], {
        includes: { users: [ada] },
        errors: [problem('resource-not-found')],
      }),
    });
    const { items } = await session().searchTweets({ q: 'loom', product: 'Latest', count: 20, cursor: null });
    expect(items.map(({ id }) => id)).toEqual(['12']);
  });
});

describe('problems', () => {
  const forbidden = (detail: string) => problem('about:blank', { detail });
  const notEnrolled = { reason: 'client-not-enrolled' };
  const ended = { 'x-rate-limit-reset': String(now / 1_000 - 5), 'x-rate-limit-remaining': '0' };
  const limit = { 'x-rate-limit-reset': String(now / 1_000 + 90), 'x-rate-limit-remaining': '0' };
  test.each([
    ['200 without data', 200, { errors: [problem('resource-not-found')] }, 'resource_not_found', 'Tweet not found: 12'],
    [
      'a suspended user',
      200,
      { errors: [problem('resource-not-found', { detail: 'User has been suspended: [12].' })] },
      'platform_refused',
      'User has been suspended',
    ],
    [
      'a user called suspended',
      404,
      problem('resource-not-found', { detail: 'Could not find user with username: [suspended].' }),
      'resource_not_found',
      'Tweet not found: 12',
    ],
    [
      'a protected post',
      200,
      { errors: [problem('not-authorized-for-resource')] },
      'platform_refused',
      'The platform does not show this object to the actor',
    ],
    [
      'an extension that names the reason',
      403,
      problem('resource-not-found', { reason: 'suspended' }),
      'platform_refused',
      'User has been suspended',
    ],
    ['404', 404, problem('resource-not-found'), 'resource_not_found', 'Tweet not found: 12'],
    ['a rejected token', 401, problem('about:blank'), 'auth_token_rejected', 'Platform rejected auth_token'],
    ['no credit', 402, { title: 'CreditsDepleted' }, 'platform_credit_exhausted', expect.any(String)],
    [
      'a spend cap',
      403,
      { title: 'SpendCapReached', type: 'about:blank' },
      'platform_credit_exhausted',
      expect.any(String),
    ],
    ['an app without a plan', 403, problem('client-forbidden'), 'platform_app_refused', expect.any(String)],
    [
      'a missing scope',
      403,
      problem('unsupported-authentication'),
      'platform_refused',
      expect.stringContaining('tweet.read users.read'),
    ],
    ['an unknown 403', 403, {}, 'platform_refused', expect.any(String)],
    [
      'a parameter of ours',
      400,
      { ...problem('invalid-request'), errors: [{ parameters: { 'post.fields': ['x'] }, message: 'no' }] },
      'platform_invalid_request',
      expect.any(String),
    ],
    ['a failure', 503, null, 'platform_failed', expect.any(String)],
  ])('maps %s', async (_name, status, body, reason, message) => {
    const { session, exhausted } = await fakeX({ '/2/tweets/12': { status, body } });
    await expect(session().tweet('12')).rejects.toMatchObject({ reason, message });
    expect(exhausted()).toBe(reason === 'platform_credit_exhausted' ? 1 : 0);
  });

  const old = (code: number, message = 'no') => ({ errors: [{ code, message }] });
  const html = '<html><body>Forbidden: the user has been suspended</body></html>';
  const anError = { errors: [problem('resource-not-found')] };
  const of24Hours = (of: string) => ({
    'x-rate-limit-remaining': '7',
    [`x-${of}-limit-24hour-remaining`]: '0',
    [`x-${of}-limit-24hour-reset`]: String(now / 1_000 + 7_200),
  });

  /** The rows of X's errors, in the newer style and in the older one, and what gateways before X send. */
  test.each<[row: string, answer: Response, reason: string, status: number, retryAfterSeconds?: number]>([
    [
      '400, whose message has no names',
      { status: 400, body: problem('invalid-request') },
      'platform_invalid_request',
      502,
    ],
    ['400 in the older style', { status: 400, body: old(214) }, 'platform_unreadable', 502],
    ['400 that is HTML', { status: 400, html }, 'platform_unreadable', 502],
    ['401 in the older style', { status: 401, body: old(89) }, 'auth_token_rejected', 403],
    ['401 that is HTML', { status: 401, html }, 'platform_unreadable', 502],
    ['402 in the older style', { status: 402, body: old(1) }, 'platform_credit_exhausted', 502],
    ['402 that is HTML', { status: 402, html }, 'platform_credit_exhausted', 502],
    ['a duplicate', { status: 403, body: forbidden('content is a duplicate.') }, 'duplicate_tweet', 409],
    ['a duplicate in the older style', { status: 403, body: old(187) }, 'duplicate_tweet', 409],
    ['a scope', { status: 403, body: problem('unsupported-authentication') }, 'platform_refused', 403],
    ['a plan', { status: 403, body: problem('client-forbidden', notEnrolled) }, 'platform_app_refused', 502],
    ['a plan in the older style', { status: 403, body: old(453) }, 'platform_app_refused', 502],
    ['a cap of use', { status: 403, body: problem('usage-capped') }, 'platform_credit_exhausted', 502],
    ['a cap of spending', { status: 403, body: { title: 'SpendCapReached' } }, 'platform_credit_exhausted', 502],
    ['a protected post', { status: 403, body: problem('not-authorized-for-resource') }, 'platform_refused', 403],
    ['a protected post in the older style', { status: 403, body: old(179) }, 'platform_refused', 403],
    ['403 that is HTML', { status: 403, html }, 'platform_unreadable', 502],
    ['404 in the older style', { status: 404, body: old(144) }, 'resource_not_found', 404],
    ['404 that is HTML', { status: 404, html }, 'platform_unreadable', 502],
    ['200 with errors only', { body: anError }, 'resource_not_found', 404],
    ['200 with errors in the older style', { body: old(34) }, 'resource_not_found', 404],
    ['200 with null as data', { body: { ...anError, data: null } }, 'resource_not_found', 404],
    ['a disallowed post', { body: { errors: [problem('disallowed-resource')] } }, 'platform_refused', 403],
    ['an unavailable post', { body: { errors: [problem('resource-unavailable')] } }, 'resource_not_found', 404],
    ['a suspended user', { status: 403, body: forbidden('User has been suspended: [12].') }, 'platform_refused', 403],
    ['a suspended user in the older style', { status: 403, body: old(63) }, 'platform_refused', 403],
    ['429', { status: 429, headers: limit, body: problem('about:blank') }, 'platform_rate_limit', 429, 90],
    ['429 in the older style', { status: 429, headers: limit, body: old(88) }, 'platform_rate_limit', 429, 90],
    ['429 whose limit has just ended', { status: 429, headers: ended, html }, 'platform_rate_limit', 429, 1],
    ['429 of a day of the app', { status: 429, headers: of24Hours('app'), html }, 'platform_rate_limit', 429, 7_200],
    ['429 of a day of a user', { status: 429, headers: of24Hours('user'), html }, 'platform_rate_limit', 429, 7_200],
    ['429 without headers', { status: 429, html: '' }, 'platform_rate_limit', 429, 60],
    ['500', { status: 500, body: problem('about:blank') }, 'platform_failed', 502],
    ['503 that is HTML', { status: 503, html }, 'platform_failed', 502],
    ['504 without a body', { status: 504, html: '' }, 'platform_failed', 502],
    ['a redirect', { status: 302, headers: { location: 'https://x.example' }, html }, 'platform_unreadable', 502],
    ['200 that is HTML', { html }, 'platform_unreadable', 502],
    ['200 without a body', { html: '' }, 'platform_unreadable', 502],
    ['200 that ends early', { html: '{"data":{"id":"12","te' }, 'platform_unreadable', 502],
    ['200 with a list', { body: [] }, 'platform_unreadable', 502],
    ['200 without data and errors', { body: { title: 'OK' } }, 'platform_unreadable', 502],
    ['204 for a read', { status: 204 }, 'platform_unreadable', 502],
    ['a cut connection', { fault: 'cut' }, 'platform_unreachable', 502],
    ['a cut answer', { body: { data: post('12') }, fault: 'cut body' }, 'platform_unreachable', 502],
    ['no answer', { fault: 'silence' }, 'platform_timeout', 504],
  ])('%s fails, and costs only if a write was performed', async (_row, answer, reason, status, retryAfterSeconds) => {
    let expire = () => {};
    const after: typeof runtime.after = (ms, task) => {
      expire = task;
      return runtime.after(ms, task);
    };
    const answers = () => {
      if (answer.fault === 'silence') expire();
      return answer;
    };
    const { session, metered } = await fakeX(
      { '/2/tweets/12': answers, 'DELETE /2/tweets/12': answers },
      { clock: { ...runtime, after } },
    );
    const refusal = { reason, status, ...(retryAfterSeconds && { retryAfterSeconds }) };
    await expect(session().tweet('12')).rejects.toMatchObject(refusal);
    await expect(session().deleteTweet('12')).rejects.toMatchObject(refusal);
    const isPerformed = reason === 'platform_unreadable' && (answer.status ?? 200) < 300;
    expect(metered).toEqual(isPerformed ? [['content_manage', 5_000]] : []);
  });

  test('of ours are logged with the names of the parameters, and not with their values', async () => {
    const errors = [{ parameters: { 'post.fields': ['secret'] }, message: 'secret' }];
    const { session } = await fakeX({
      '/2/tweets/12': { status: 400, body: { ...problem('invalid-request'), errors } },
    });
    const { cause } = await session()
      .tweet('12')
      .catch((error) => error);
    expect(cause.message).toContain('post.fields');
    expect(cause.message).not.toContain('secret');
  });

  test('beside data drop what is missing and keep the page', async () => {
    const errors = ['resource-not-found', 'resource-unavailable', 'disallowed-resource', 'new'].map((kind, at) =>
      problem(kind, { resource_id: `2${at}`, value: `2${at}` }),
    );
    const { session } = await fakeX({
      '/2/users/1/followers': page([grace], { errors }),
      '/2/users/1': { body: { data: ada } },
      '/2/tweets': { body: { data: [post('12')], includes: { users: [ada] }, errors: [...errors, ...old(34).errors] } },
      '/2/tweets/12': { body: { data: post('12'), includes: { users: [ada] }, errors } },
    });
    expect((await session().followers({ userId: '1' }, { count: 20, cursor: null })).items).toHaveLength(1);
    const found = await session().tweets(['12', '20', '21', '22', '23', '24']);
    expect(found).toMatchObject([{ id: '12' }, 'not_found', 'not_found', 'forbidden', 'not_found', 'not_found']);
    expect(await session().tweet('12')).toMatchObject({ id: '12' });
  });

  test('refuses a look-up in bulk that has neither data nor errors with 502', async () => {
    const { session } = await fakeX({ '/2/tweets': { body: { result: {} } }, '/2/users': { body: { result: {} } } });
    await expect(session().tweets(['12'])).rejects.toMatchObject({ reason: 'platform_unreadable' });
    await expect(session().users([{ userId: '1' }])).rejects.toMatchObject({ reason: 'platform_unreadable' });
  });

  test.each(['pagination_token', 'next_token'])('blames the cursor for a refused %s', async (name) => {
    const body = { ...problem('invalid-request'), errors: [{ parameters: { [name]: ['x'] }, message: 'no' }] };
    const { session } = await fakeX({ '/2/lists/5/members': { status: 400, body } });
    await expect(session().listMembers('5', { count: 20, cursor: null })).rejects.toMatchObject({
      message: expect.stringContaining('cursor'),
    });
  });

  test('names the scopes that a token may lack', async () => {
    const { session } = await fakeX({ '/2/lists/5/members': { status: 403, body: problem('about:blank') } });
    await expect(session().listMembers('5', { count: 20, cursor: null })).rejects.toMatchObject({
      message: 'Could not show it. (auth_token may lack the scopes tweet.read users.read list.read)',
    });
  });

  test('blames a refused query on the caller only if it is of the caller', async () => {
    const body = { ...problem('invalid-request'), errors: [{ parameters: { query: ['x'] }, message: 'no' }] };
    const { session } = await fakeX({ '/2/tweets/search/recent': { status: 400, body } });
    const first = { count: 20, cursor: null };
    await expect(session().searchTweets({ q: 'loom', product: 'Top', ...first })).rejects.toMatchObject({ field: 'q' });
    await expect(session().replies('12', first)).rejects.toMatchObject({ reason: 'platform_invalid_request' });
  });

  test('remembers an exhausted rate limit of a token and an operation', async () => {
    const { session, requests } = await fakeX({
      '/2/tweets/12': { headers: limit, body: { data: post('12'), includes: { users: [ada] } } },
      '/2/tweets/13': { status: 429, body: null },
      '/2/users/1': { body: { data: ada } },
    });
    await session().tweet('12');
    await expect(session().tweet('12')).rejects.toMatchObject({ reason: 'platform_rate_limit', retryAfterSeconds: 90 });
    await session().userProfile({ userId: '1' });
    expect(requests.map(({ path }) => path)).toEqual(['/2/tweets/12', '/2/users/1']);
  });

  test('forgets a limit of one second, which X reports while requests remain', async () => {
    let at = now;
    const headers = { ...limit, 'x-rate-limit-remaining': '299' };
    const { session } = await fakeX(
      { '/2/tweets/12': { status: 429, headers, body: null } },
      { clock: { ...runtime, now: () => at } },
    );
    for (const ms of [0, 0, 1_000]) {
      at += ms;
      await expect(session().tweet('12')).rejects.toMatchObject({ retryAfterSeconds: 1 });
    }
  });

  test.each([
    ['an id of 20 digits', { userId: '12345678901234567890' }],
    ['a name with a dot', { userName: 'ada.example' }],
  ])('refuses %s with 404 without a request', async (_name, reference) => {
    const { session, requests } = await fakeX({});
    await expect((async () => session().userProfile(reference))()).rejects.toMatchObject({
      reason: 'resource_not_found',
    });
    expect(requests).toEqual([]);
  });
});

describe('lists of a user', () => {
  const byName = { userName: 'Ada' };
  const first = { count: 2, cursor: null };

  test('look up a name once', async () => {
    const { session, requests } = await fakeX({
      '/2/users/by/username/Ada': { body: { data: ada } },
      '/2/users/1/followers': page([grace]),
    });
    expect((await session().followers(byName, first)).user).toEqual({ id: '1', userName: 'ada' });
    await session().followers({ userName: 'ADA' }, first);
    expect(requests.map(({ path }) => path)).toEqual([
      '/2/users/by/username/Ada',
      '/2/users/1/followers',
      '/2/users/1/followers',
    ]);
  });

  test('look up a name again if X does not know its id any more', async () => {
    let id = '1';
    const { session } = await fakeX({
      '/2/users/by/username/Ada': () => ({ body: { data: { ...ada, id } } }),
      '/2/users/1/followers': () => (id === '1' ? page([]) : { body: { errors: [problem('resource-not-found')] } }),
      '/2/users/3/followers': page([grace]),
    });
    expect((await session().followers(byName, first)).items).toEqual([]);
    id = '3';
    expect((await session().followers(byName, first)).user).toEqual({ id: '3', userName: 'ada' });
  });

  test('read the actor once, also for calls at the same time and after the own profile', async () => {
    const answers = { '/2/users/me': { body: { data: ada } }, '/2/users/1/bookmarks': page([]) };
    for (const begin of [[], [1]]) {
      const { session, requests } = await fakeX(answers);
      for (const _once of begin) await session().ownProfile();
      await Promise.all([session().bookmarks(first), session().bookmarks(first)]);
      expect(requests.filter(({ path }) => path === '/2/users/me')).toHaveLength(1);
    }
  });

  test('name what the caller sent in a 404', async () => {
    const { session } = await fakeX({
      '/2/users/by/username/Ada': { body: { errors: [problem('resource-not-found')] } },
    });
    await expect(session().followers(byName, first)).rejects.toMatchObject({ message: 'User not found: Ada' });
  });

  test('count what X bills, also without a caller who pays', async () => {
    const { session, metered } = await fakeX({
      '/2/users/1/followers': page([grace, ada]),
      '/2/users/1': { body: { data: ada } },
    });
    const bill: unknown[] = [];
    await session({ cost: { add: (...row) => bill.push(row) } }).followers({ userId: '1' }, first);
    expect(bill).toEqual([
      ['user', 2, 20_000],
      ['user', 1, 10_000],
    ]);
    await session().userProfile({ userId: '1' });
    expect(metered).toEqual([
      ['user', 20_000],
      ['user', 10_000],
      ['user', 10_000],
    ]);
  });
});

describe('pages', () => {
  const ids = Array.from({ length: 13 }, (_, at) => String(113 - at));
  /** Pages of the size that was asked for; the token is the index of the first post. */
  const timeline = (url: URL) => {
    const from = Number(url.searchParams.get('pagination_token') ?? 0);
    const size = Number(url.searchParams.get('max_results'));
    const next = from + size < ids.length ? { next_token: String(from + size) } : {};
    const data = ids.slice(from, from + size).map((id) => post(id));
    return { body: { data, includes: { users: [ada] }, meta: { result_count: data.length, ...next } } };
  };

  test.each([1, 2, 3, 5, 7, 20])('of %i posts cover the list, although X sends at least five', async (count) => {
    const { session, requests } = await fakeX({ '/2/users/1/tweets': timeline });
    const seen: string[][] = [];
    for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
      const found = await session().userTweets({ userId: '1' }, { count, cursor });
      seen.push(found.items.map(({ id }) => id));
      cursor = found.cursor;
    }
    expect(seen.flat()).toEqual(ids);
    expect(seen.slice(0, -1).every((items) => items.length === count)).toBe(true);
    expect(requests.every(({ query }) => Number(query.get('max_results')) >= 5)).toBe(true);
  });

  test.each([
    [1, 1],
    [2, 4],
    [4, 2],
    [3, 13],
    [7, 6],
  ])('of %i posts repeat and lose nothing while %i posts arrive after each', async (count, arrivals) => {
    let newest = 113;
    const { session } = await fakeX({
      '/2/users/1/tweets': (url) => {
        const from = Number(url.searchParams.get('pagination_token') ?? newest);
        const size = Number(url.searchParams.get('max_results'));
        const data = Array.from({ length: Math.min(size, from - 100) }, (_, at) => post(String(from - at)));
        const next = from - size > 100 ? { next_token: String(from - size) } : {};
        return { body: { data, includes: { users: [ada] }, meta: { result_count: data.length, ...next } } };
      },
    });
    const seen: string[] = [];
    for (let cursor: string | null = null, more = true; more; more = cursor !== null) {
      const found = await session().userTweets({ userId: '1' }, { count, cursor });
      seen.push(...found.items.map(({ id }) => id));
      cursor = found.cursor;
      newest += arrivals;
    }
    expect(seen).toEqual(ids);
  });

  test('end when X repeats the last page with a new token', async () => {
    let token = 0;
    const { session } = await fakeX({
      '/2/tweets/9/quote_tweets': () => {
        token += 1;
        return {
          body: { data: [post('12'), post('11')], includes: { users: [ada] }, meta: { next_token: `t${token}` } },
        };
      },
    });
    const { items, cursor } = await session().quotes('9', { count: 20, cursor: null });
    expect(items).toHaveLength(2);
    expect(await session().quotes('9', { count: 20, cursor })).toEqual({ items: [], cursor: null });
  });
});

describe('searches', () => {
  const search = (q: string, cursor: string | null = null) => ({ q, product: 'Top' as const, count: 3, cursor });

  test('keep the time range of the first page', async () => {
    const { session, requests } = await fakeX({
      '/2/tweets/search/recent': page(
        ['15', '14', '13', '12'].map((id) => post(id)),
        {
          includes: { users: [ada] },
        },
      ),
    });
    const { cursor } = await session().searchTweets(search('loom since:2026-11-14 until:2026-11-21'));
    await session().searchTweets(search('loom since:2026-11-14 until:2026-11-21', cursor));
    const sent = {
      query: 'loom',
      sort_order: 'relevancy',
      start_time: '2026-11-14T12:01:00Z',
      end_time: '2026-11-21T00:00:00Z',
    };
    expect(requests.map(({ query }) => Object.fromEntries(query))).toEqual([
      expect.objectContaining({ ...sent, max_results: '10' }),
      expect.objectContaining({ ...sent, max_results: '10' }),
    ]);
  });

  test('move the start with the clock, also when the day of the first page is too old', async () => {
    let later = 0;
    const clock = { ...runtime, now: () => now + later };
    const data = ['15', '14', '13', '12'].map((id) => post(id));
    const answer = page(data, { includes: { users: [ada] } });
    const { session, requests } = await fakeX({ '/2/tweets/search/recent': answer }, { clock });
    const { cursor } = await session().searchTweets(search('loom since:2026-11-14'));
    for (const ms of [120_000, 13 * 3_600_000]) {
      later = ms;
      await session().searchTweets(search('loom since:2026-11-14', cursor));
    }
    expect(requests.map(({ query }) => query.get('start_time'))).toEqual([
      '2026-11-14T12:01:00Z',
      '2026-11-14T12:03:00Z',
      '2026-11-15T01:01:00Z',
    ]);
  });

  test('use the app-only token for older posts', async () => {
    let at = now;
    const clock = { ...runtime, now: () => (at += 1_000) };
    const { session, requests } = await fakeX({ '/2/tweets/search/all': page([]) }, { appToken: 'app-token', clock });
    await session().searchTweets(search('loom since:2020-01-01'));
    // Without a start, X would search 30 days only.
    await session().searchTweets(search('loom until:2020-01-01'));
    await session()
      .replies('1450000000000000000', { count: 20, cursor: null })
      .catch(() => {});
    await session()
      .replies('20', { count: 20, cursor: null })
      .catch(() => {});
    const sent = requests.filter(({ path }) => path === '/2/tweets/search/all');
    expect(sent.map(({ token, query }) => [token, query.get('start_time'), query.get('end_time')])).toEqual([
      ['app-token', '2020-01-01T00:00:00Z', null],
      ['app-token', '2006-03-26T00:00:00Z', '2020-01-01T00:00:00Z'],
      ['app-token', '2021-10-18T07:25:14Z', null],
      ['app-token', '2006-03-26T00:00:00Z', null],
    ]);
  });

  test('of older posts are sent once a second, and refused with 429 if they would wait for long', async () => {
    const waits: number[] = [];
    const after: typeof runtime.after = (ms, task) => {
      // The time limit of a request is five seconds.
      if (ms < 5_000) waits.push(ms);
      return runtime.after(ms < 5_000 ? 0 : ms, task);
    };
    const { session } = await fakeX(
      { '/2/tweets/search/all': page([]) },
      { appToken: 'app-token', clock: { ...runtime, after } },
    );
    await Promise.all([0, 1, 2, 3, 4].map(() => session().searchTweets(search('loom since:2020-01-01'))));
    expect(waits).toEqual([1_000, 2_000, 3_000, 4_000]);
    await expect(session().searchTweets(search('loom since:2020-01-01'))).rejects.toMatchObject({
      reason: 'platform_rate_limit',
      retryAfterSeconds: 1,
    });
  });

  test.each([
    ['since:2020-01-01 loom', 'at most seven days'],
    ['lang:en -filter:replies', 'other operator that finds tweets'],
    [Array.from({ length: 200 }, () => '12:3').join(' '), 'characters'],
  ])('refuses %.30s with 400 without a request', async (q) => {
    const { session, requests } = await fakeX({});
    await expect(session().searchTweets(search(q))).rejects.toMatchObject({ reason: 'malformed_field', field: 'q' });
    expect(requests).toEqual([]);
  });

  test('send no request for a range that no post is in', async () => {
    const { session, requests } = await fakeX({});
    expect(await session().searchTweets(search('loom since:2026-11-20 until:2026-11-19'))).toEqual({
      items: [],
      cursor: null,
    });
    expect(requests).toEqual([]);
  });

  test('for replies find out whether the post of an empty page exists', async () => {
    const { session } = await fakeX({
      '/2/tweets/search/recent': page([]),
      '/2/tweets/12': { body: { errors: [problem('resource-not-found')] } },
    });
    await expect(session().replies('12', { count: 20, cursor: null })).rejects.toMatchObject({
      message: 'Tweet not found: 12',
    });
  });
});
