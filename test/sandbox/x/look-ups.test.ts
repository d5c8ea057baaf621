import { describe, expect, test } from 'vitest';
import { openX } from './x-client.ts';

const { x, wrong, extended, all, search, tweet, remove, appToken, ada, grace, linus } = await openX();

const problems = 'https://api.x.com/2/problems';
const userFields =
  'created_at,description,entities,location,profile_image_url,protected,public_metrics,url,verified_type';

describe('fields and expansions', () => {
  test('sends only the usual fields if none are selected', async () => {
    expect((await x('/2/users/me')).body).toEqual({ data: { id: ada.userId, name: 'Ada Lowell', username: 'ada' } });
  });

  test('answers in the newer vocabulary', async () => {
    const { body } = await x(`/2/users/by/username/ada?user.fields=${userFields}&expansions=pinned_post_id`);
    expect(body.data).toMatchObject({
      username: 'ada',
      location: 'Bologna',
      verified_type: 'blue',
      public_metrics: { followers_count: expect.any(Number), post_count: expect.any(Number) },
      pinned_post_id: body.includes.posts[0].id,
    });
    expect(body.includes.posts).toEqual([{ id: expect.any(String), text: expect.any(String) }]);
  });

  test('answers in the older vocabulary', async () => {
    const { body } = await x(
      '/2/users/me?user.fields=public_metrics&expansions=pinned_tweet_id&tweet.fields=public_metrics',
    );
    expect(body.data.public_metrics.tweet_count).toEqual(expect.any(Number));
    expect(body.includes.tweets).toEqual([
      {
        id: body.data.pinned_tweet_id,
        text: expect.any(String),
        edit_history_tweet_ids: [body.data.pinned_tweet_id],
        public_metrics: expect.objectContaining({ retweet_count: expect.any(Number) }),
      },
    ]);
  });

  test.each([
    ['post.fields=lang&tweet.fields=lang', 'post.fields'],
    ['post.fields=lang&expansions=referenced_tweets.id', 'expansions'],
    ['tweet.fields=note_post', 'tweet.fields'],
    ['post.fields=nothing', 'post.fields'],
    ['expansions=pinned_post_id', 'expansions'],
    ['max_results=5', 'max_results'],
    ['ids=1&ids=2', 'ids'],
  ])('refuses %s with 400', async (query, parameter) => {
    const { status, body } = await wrong(`/2/tweets?ids=1&${query}`);
    expect([status, body.type]).toEqual([400, `${problems}/invalid-request`]);
    expect(Object.keys(body.errors[0].parameters)).toEqual([parameter]);
  });

  test('includes the author, the media and the referenced posts of a post', async () => {
    const quoted = (await search('has:media from:grace'))[0];
    const own = (await tweet(`Look at this @linus https://ferry.example/a #boats`, ada, { quoteOf: quoted.id })).body
      .data;
    const fields = 'post.fields=attachments,entities';
    const expansions = 'expansions=author_id,referenced_posts,attachments.media_keys';
    const { data, includes } = (await x(`/2/tweets/${own.id}?${fields}&${expansions}`)).body;
    expect(data).toMatchObject({
      author_id: ada.userId,
      referenced_posts: [{ type: 'quoted', id: quoted.id }],
      entities: {
        mentions: [{ start: 13, end: 19, username: 'linus', id: linus.userId }],
        urls: [{ start: 20, expanded_url: 'https://ferry.example/a' }],
        hashtags: [{ tag: 'boats' }],
      },
    });
    expect(includes).toMatchObject({
      users: [{ username: 'ada' }],
      posts: [{ id: quoted.id, author_id: grace.userId }],
    });
    expect(includes.media).toBeUndefined();

    const more = (await extended(`/2/tweets/${own.id}?${fields}&${expansions}&media.fields=url`)).body;
    expect(more.includes.users.map((user: { username: string }) => user.username)).toEqual(['ada', 'grace']);
    expect(more.includes.media[0].media_key).toBe(more.includes.posts[0].attachments.media_keys[0]);
    expect(more.data.entities.mentions[0].name).toBe('Linus Berg');
    expect(more.meta).toEqual({ viewer_id: ada.userId });
  });

  test('shortens a long post, and has the whole text in note_post', async () => {
    const text = `${'word '.repeat(80)}#last`;
    const { id } = (await tweet(text)).body.data;
    const { data } = (await x(`/2/tweets/${id}?post.fields=note_post,entities`)).body;
    expect([...data.text].length).toBe(280);
    expect(data.entities).toBeUndefined();
    expect(data.note_post).toMatchObject({ text, entities: { hashtags: [{ start: 400, end: 405, tag: 'last' }] } });
  });
});

describe('hidden objects', () => {
  test.each([
    ['/2/users/1', 'resource-not-found', undefined],
    ['/2/users/by/username/nobody_x', 'resource-not-found', undefined],
    ['/2/users/by/username/quickgains', 'resource-not-found', 'suspended'],
    ['/2/users/by/username/oldlantern', 'resource-not-found', 'deleted'],
    ['/2/tweets/1', 'resource-not-found', undefined],
    [`/2/users/${linus.userId}/tweets`, 'not-authorized-for-resource', 'protected'],
    [`/2/users/${linus.userId}/followers`, 'not-authorized-for-resource', 'protected'],
  ])('answers %s with %s', async (path, type, reason) => {
    const { status, body } = await x(path, grace.authToken);
    expect([status, body.data, body.errors[0].type]).toEqual([200, undefined, `${problems}/${type}`]);
    expect((await extended(path, grace.authToken)).body.errors[0].reason).toBe(reason);
  });

  test('answers partially if only some of the ids exist', async () => {
    const [newest] = await all(`/2/users/${grace.userId}/tweets?max_results=100`);
    const { body } = await x(`/2/tweets?ids=1,${newest.id},1,${newest.id}`);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([newest.id]);
    expect(body.errors).toMatchObject([{ resource_id: '1', parameter: 'ids', resource_type: 'tweet' }]);
    const { data, errors } = (await x('/2/users/by?usernames=GRACE,nobody_x')).body;
    expect([data.length, errors.length]).toEqual([1, 1]);
  });

  test('has the problem of a deleted post that another one quotes', async () => {
    const gone = (await tweet('Soon gone')).body.data.id;
    const own = (await tweet('A quote', ada, { quoteOf: gone })).body.data.id;
    await remove(gone, ada);
    const { data, includes, errors } = (await extended(`/2/tweets/${own}?expansions=referenced_posts`)).body;
    expect([data.referenced_posts[0].id, includes]).toEqual([gone, undefined]);
    expect(errors).toMatchObject([{ resource_id: gone, parameter: 'referenced_posts', reason: 'deleted' }]);
  });
});

describe('tokens', () => {
  test('refuses a call without a valid token with 401', async () => {
    const { status, body } = await wrong('/2/users/me', 'nobody');
    expect([status, body.title, body.type]).toEqual([401, 'Unauthorized', 'about:blank']);
  });

  test('app-only: refuses operations of a user with 403', async () => {
    for (const path of ['/2/users/me', `/2/users/${ada.userId}/bookmarks`]) {
      const { status, body } = await wrong(path, appToken);
      expect([status, body.type]).toEqual([403, `${problems}/unsupported-authentication`]);
    }
  });

  test('app-only: leaves out fields that depend on the viewer', async () => {
    const path = `/2/users/${grace.userId}?user.fields=receives_your_dm,connection_status,protected`;
    expect((await x(path, appToken)).body.data).toEqual({
      id: grace.userId,
      name: 'Grace Hollis',
      username: 'grace',
      protected: false,
    });
    expect((await x(path)).body.data).toMatchObject({ receives_your_dm: true, connection_status: expect.any(Array) });
  });
});

describe('rate limit', () => {
  test('sends its state in the headers of X only while it is on', async () => {
    const limited = await openX();
    expect((await limited.x('/2/users/me')).headers.get('x-rate-limit-limit')).toBeNull();
    await limited.control('rate-limit', { limit: 1 });
    const first = await limited.x('/2/users/me');
    expect(first.headers.get('x-rate-limit-remaining')).toBe('0');
    const second = await limited.wrong('/2/users/me');
    expect([second.status, second.body.title]).toEqual([429, 'Too Many Requests']);
    expect(Number(second.headers.get('x-rate-limit-reset'))).toBeGreaterThan(Date.now() / 1_000);
  });
});
