import { describe, expect, test } from 'vitest';
import type { NewTweet } from '../../../src/platform/port.ts';
import { type Answers, fakeX, now } from './fake-x.ts';

const me: Answers = { '/2/users/me': { body: { data: { id: '1', name: 'Ada', username: 'ada' } } } };
const grace = { id: '2', name: 'Grace', username: 'grace', protected: true };
const byName: Answers = { '/2/users/by/username/grace': { body: { data: grace } } };
const draft: NewTweet = { text: 'Water first', replyToTweetId: null, quoteTweetId: null };
const refused = (status: number, detail: string) => ({
  status,
  body: { type: 'about:blank', title: 'Forbidden', detail, status },
});
/** Returns an id of a post that was made at this time. */
const idAt = (ms: number) => String((BigInt(ms - 1_288_834_974_657) << 22n) + 5n);
const fresh = idAt(now);

describe('marks and relations', () => {
  test.each([
    ['likeTweet', 'POST', 'likes', 'liked', 15_000],
    ['unlikeTweet', 'DELETE', 'likes', 'liked', 10_000],
    ['bookmarkTweet', 'POST', 'bookmarks', 'bookmarked', 5_000],
    ['unbookmarkTweet', 'DELETE', 'bookmarks', 'bookmarked', 5_000],
    ['retweet', 'POST', 'retweets', 'retweeted', 15_000],
    ['unretweet', 'DELETE', 'retweets', 'retweeted', 10_000],
  ] as const)('%s sends %s …/%s', async (name, method, part, done, price) => {
    const path = `/2/users/1/${part}${method === 'DELETE' ? '/30' : ''}`;
    const answer = { body: { data: { [done]: method === 'POST' } } };
    const { session, requests } = await fakeX({ ...me, [`${method} ${path}`]: answer });
    const costs: number[] = [];
    const actor = session({ cost: { add: (_class, _count, micros) => costs.push(micros) } });
    await actor[name]('30');
    await actor[name]('30');
    expect(requests.map((each) => `${each.method} ${each.path}`)).toEqual([
      'GET /2/users/me',
      `${method} ${path}`,
      `${method} ${path}`,
    ]);
    expect(requests[1]?.sent).toEqual(method === 'POST' ? { tweet_id: '30' } : null);
    expect(costs).toEqual([10_000, price, price]);
  });

  test.each([
    ['follow', 'POST', 'following', { following: false, pending_follow: true }],
    ['unfollow', 'DELETE', 'following', { following: false }],
    ['block', 'POST', 'blocking', { blocking: true }],
    ['unblock', 'DELETE', 'blocking', { blocking: false }],
    ['mute', 'POST', 'muting', { muting: true }],
    ['unmute', 'DELETE', 'muting', { muting: false }],
  ] as const)('%s sends %s …/%s', async (name, method, part, data) => {
    const path = `/2/users/1/${part}${method === 'DELETE' ? '/2' : ''}`;
    const { session, requests } = await fakeX({ ...me, ...byName, [`${method} ${path}`]: { body: { data } } });
    const state = await session()[name]({ userName: 'grace' });
    const { protected: isProtected, username: userName, ...named } = grace;
    const isPending = 'pending_follow' in data;
    const follow = { following: false, followRequestSent: isPending, protected: isProtected };
    expect(state).toEqual({ ...named, userName, ...(part === 'following' && follow) });
    const [last] = requests.slice(-1);
    expect([last?.method, last?.path, last?.sent]).toEqual([
      method,
      path,
      method === 'POST' ? { target_user_id: '2' } : null,
    ]);
  });

  test('are refused if the response contradicts them', async () => {
    const { session } = await fakeX({
      ...{ ...me, ...byName },
      'POST /2/users/1/likes': { body: { data: { liked: false } } },
      'DELETE /2/users/1/blocking/2': { body: { data: { blocking: true } } },
    });
    await expect(session().likeTweet('30')).rejects.toMatchObject({ reason: 'platform_refused' });
    await expect(session().unblock({ userName: 'grace' })).rejects.toMatchObject({ reason: 'platform_refused' });
  });

  test('are refused for oneself and for missing posts', async () => {
    const errors = [{ type: 'https://api.x.com/2/problems/resource-not-found', resource_id: '30', value: '30' }];
    const self = { '/2/users/1': { body: { data: { ...grace, id: '1' } } } };
    const { session } = await fakeX({ ...me, ...self, 'POST /2/users/1/likes': { body: { errors } } });
    for (const name of ['follow', 'block', 'mute'] as const)
      await expect(session()[name]({ userId: '1' })).rejects.toThrow(`Nobody can ${name} themselves`);
    await expect(session().likeTweet('30')).rejects.toThrow('Tweet not found: 30');
    await expect(session().likeTweet('x')).rejects.toThrow('Tweet not found: x');
  });
});

test.each([
  ['likeTweet', 'POST /2/users/1/likes', 'X accepts likes only from apps with an Enterprise plan; ', 'like.write'],
  ['unlikeTweet', 'DELETE /2/users/1/likes/30', '', 'like.write'],
  ['retweet', 'POST /2/users/1/retweets', '', 'tweet.write'],
] as const)('a refusal of %s says what X restricts, and the scopes', async (name, request, reason, scope) => {
  const { session } = await fakeX({ ...me, [request]: refused(403, 'Not permitted.') });
  const message = `Not permitted. (${reason}auth_token may lack the scopes tweet.read users.read ${scope})`;
  const error = { reason: 'platform_refused', message };
  await expect(session()[name]('30')).rejects.toMatchObject(error);
});

describe('creating a post', () => {
  const post = (id: string, text: string, more: object = {}) => ({ id, text, ...more });
  const created = (text: string) => ({ status: 201, body: { data: { id: fresh, text } } });

  test.each([
    [{}, { text: 'Water first' }, 15_000],
    [{ replyToTweetId: '30' }, { text: 'Water first', reply: { in_reply_to_tweet_id: '30' } }, 15_000],
    [{ quoteTweetId: '31' }, { text: 'Water first', quote_tweet_id: '31' }, 15_000],
    [{ quoteTweetUrl: 'https://x.com/grace/status/31' }, { text: 'Water first', quote_tweet_id: '31' }, 15_000],
    [{ text: '', mediaIds: ['5', '6'] }, { media: { media_ids: ['5', '6'] } }, 15_000],
    [{ text: 'See ferry.example/a' }, { text: 'See ferry.example/a' }, 200_000],
  ])('sends %j', async (more, sent, price) => {
    const { session, requests } = await fakeX({ 'POST /2/tweets': created('Water first') });
    const costs: number[] = [];
    const actor = session({ cost: { add: (_class, _count, micros) => costs.push(micros) } });
    expect(await actor.createTweet({ ...draft, ...more })).toEqual({
      ...{ id: fresh, text: 'Water first', createdAt: 'Sat Nov 21 12:00:00 +0000 2026' },
      ...{ pendingModeration: false, communityId: null },
    });
    expect(requests.map((each) => each.sent)).toEqual([sent]);
    expect(costs).toEqual([price]);
  });

  test.each([
    [{ replyToTweetId: '30' }, 'X accepts replies only to authors who have mentioned the actor or quoted a post'],
    [{ quoteTweetId: '30' }, 'X accepts quotes only from apps with an Enterprise plan'],
  ])('says what X restricts: %j', async (more, reason) => {
    const { session } = await fakeX({ 'POST /2/tweets': refused(403, 'You are not permitted.') });
    const error = { reason: 'platform_refused', message: expect.stringContaining(reason) };
    await expect(session().createTweet({ ...draft, ...more })).rejects.toMatchObject(error);
  });

  const invalid = (parameters: object) => ({
    status: 400,
    body: {
      errors: [{ parameters, message: 'is wrong' }],
      ...{ title: 'Invalid Request', type: 'https://api.x.com/2/problems/invalid-request' },
    },
  });
  test.each([
    [refused(403, 'You are not allowed to create a Tweet with duplicate content.'), 'duplicate_tweet', 'duplicate'],
    [invalid({ text: ['x'] }), 'malformed_field', 'Malformed field: text: is wrong'],
    [invalid({ 'media.media_ids': ['5'] }), 'resource_not_found', 'Media not found: 5'],
    [invalid({ 'media.media_ids': [] }), 'malformed_field', 'Malformed field: media_ids: is wrong'],
    [invalid({ 'reply.in_reply_to_tweet_id': ['30'] }), 'resource_not_found', 'Tweet not found: 30'],
    [invalid({ quote_tweet_id: ['31'] }), 'resource_not_found', 'Tweet not found: 31'],
    [invalid({ reply: ['x'] }), 'platform_invalid_request', ''],
    [{ status: 400, body: { type: 'about:blank', title: 'Bad', status: 400 } }, 'platform_invalid_request', ''],
    [
      { status: 403, body: { type: 'x/client-forbidden', detail: 'No.' } },
      'platform_refused',
      'No. (X accepts replies only to authors who have mentioned the actor or quoted a post of the actor)',
    ],
  ])('maps the refusal %#, without a look-up', async (answer, reason, message) => {
    const { session, requests } = await fakeX({ 'POST /2/tweets': answer });
    const error = { reason, message: expect.stringContaining(message) };
    const tweet = { ...draft, replyToTweetId: '30', quoteTweetId: '31' };
    await expect(session().createTweet(tweet)).rejects.toMatchObject(error);
    expect(requests).toHaveLength(1);
  });

  test('refuses a long description before it sends any', async () => {
    const { session, requests } = await fakeX({});
    const tweet = { ...draft, mediaIds: ['5', '6'], mediaAltTexts: ['short', 'x'.repeat(1_001)] };
    await expect(session().createTweet(tweet)).rejects.toMatchObject({ reason: 'malformed_field' });
    expect(requests).toEqual([]);
  });

  describe.each([
    ['broken connection', { fault: 'cut' }],
    ['status 503', { status: 503, body: {} }],
    ['unreadable response', { status: 201, body: {} }],
  ] as const)('after a %s', (_name, answer) => {
    const references = (...pairs: [type: string, id: string][]) => ({
      referenced_posts: pairs.map(([type, id]) => ({ type, id })),
    });
    const short = (expanded_url: string, more: object = {}) => ({
      entities: { urls: [{ start: 0, end: 1, url: 'https://t.co/a', expanded_url, ...more }] },
    });

    const media = (...keys: string[]) => ({ attachments: { media_keys: keys } });

    test.each([
      ['the same text', {}, post(fresh, 'Water first')],
      ['a long text', { text: 'a'.repeat(300) }, post(fresh, 'aa…', { note_post: { text: 'a'.repeat(300) } })],
      ['escapes', { text: 'a < b & c' }, post(fresh, 'a &lt; b &amp; c')],
      ['a link', { text: 'See ferry.example/a' }, post(fresh, 'See https://t.co/a', short('http://ferry.example/a'))],
      [
        'media',
        { mediaIds: ['5'] },
        post(fresh, 'Water first https://t.co/a', {
          ...short('https://x.com/p', { media_key: '3_5' }),
          ...media('3_5'),
        }),
      ],
      ['media whose keys have another form', { mediaIds: ['5'] }, post(fresh, 'Water first', media('x'))],
      [
        'a reply to several',
        { text: '@bob hi', replyToTweetId: '30' },
        post(fresh, '@grace @ada @bob hi', references(['replied_to', '30'])),
      ],
      ['a reply', { replyToTweetId: '30' }, post(fresh, '@grace Water first', references(['replied_to', '30']))],
      [
        'a quote',
        { quoteTweetId: '31' },
        post(fresh, 'Water first https://t.co/a', {
          ...references(['quoted', '31']),
          ...short('https://x.com/grace/status/31'),
        }),
      ],
      ['a slow clock', {}, post(idAt(now - 4_000), 'Water first')],
    ])('finds the post with %s, and never sends it again', async (_what, more, found) => {
      const newest = [post(idAt(now + 1_000), 'Another one'), found];
      const { session, requests } = await fakeX({
        ...{ ...me, 'POST /2/tweets': answer },
        '/2/users/1/tweets': { body: { data: newest, meta: { result_count: 2 } } },
      });
      const costs: string[] = [];
      const actor = session({ cost: { add: (name) => costs.push(name) } });
      expect(await actor.createTweet({ ...draft, ...more })).toMatchObject({ id: found.id });
      expect(costs.filter((name) => name.startsWith('post_create'))).toHaveLength(1);
      const asked = requests.map(({ method, path }) => `${method} ${path}`);
      expect(asked).toEqual(['POST /2/tweets', 'GET /2/users/me', 'GET /2/users/1/tweets']);
    });

    test.each([
      ['is older', {}, [post(idAt(now - 6_000), 'Water first')]],
      ['has another text', {}, [post(fresh, 'Water last')]],
      [
        'replies to another post',
        { replyToTweetId: '30' },
        [post(fresh, 'Water first', references(['replied_to', '31']))],
      ],
      ['mentions another user', { text: '@bob thanks' }, [post(fresh, '@alice thanks')]],
      [
        'replies to another user',
        { text: '@bob thanks', replyToTweetId: '30' },
        [post(fresh, '@alice thanks', references(['replied_to', '30']))],
      ],
      ['has other media', { mediaIds: ['5'] }, [post(fresh, 'Water first', media('3_6'))]],
      ['has more media', {}, [post(fresh, 'Water first', media('3_6'))]],
      ['quotes a post', {}, [post(fresh, 'Water first', references(['quoted', '31']))]],
      ['cannot be read', {}, [{ id: fresh }]],
    ])('leaves the outcome unknown if the newest post %s', async (_what, more, data) => {
      const { session, requests } = await fakeX({
        ...{ ...me, 'POST /2/tweets': answer },
        '/2/users/1/tweets': { body: { data, meta: { result_count: 1 } } },
      });
      const reason = /^platform_(unreachable|failed|unreadable)$/;
      await expect(session().createTweet({ ...draft, ...more })).rejects.toMatchObject({
        reason: expect.stringMatching(reason),
      });
      expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(1);
    });
  });

  test('is not looked for after a refusal', async () => {
    const { session, requests } = await fakeX({ 'POST /2/tweets': refused(403, 'Not permitted.') });
    await expect(session().createTweet(draft)).rejects.toMatchObject({ reason: 'platform_refused' });
    expect(requests).toHaveLength(1);
  });
});

test.each([
  [{ body: { data: { deleted: true } } }, null],
  [{ body: { data: { deleted: false } } }, 'Tweet not found: 30'],
  [{ status: 404, body: { type: 'about:blank', title: 'Not Found', status: 404 } }, 'Tweet not found: 30'],
  [refused(403, 'You are not authorized to delete this Tweet.'), 'You are not authorized to delete this Tweet.'],
])('deleting a post %#', async (answer, message) => {
  const { session } = await fakeX({ 'DELETE /2/tweets/30': answer });
  const deleting = session().deleteTweet('30');
  if (message === null) await deleting;
  else await expect(deleting).rejects.toThrow(message);
});
