import { describe, expect, test } from 'vitest';
import { transitions } from '../../src/articles/states.ts';
import { articleIn, first, second, startArticleFixture, type Writer } from './fixture.ts';

const fixture = await startArticleFixture();

describe.each(['REST', 'GraphQL'] as const)('over %s', (face) => {
  test('create makes a draft, which its author alone can read', async () => {
    const writer = await fixture.writer(face, { premium: false });
    const { status, data } = await writer.act('create', first);
    expect(status).toBe(200);
    expect(data).toEqual({
      article_id: expect.stringMatching(/^\d+$/),
      status: 'draft',
      tweet_id: null,
      draft_url: expect.stringContaining(`/${writer.account.userName}/drafts/`),
      public_url: null,
      cover_media_id: null,
    });
    expect(await writer.read(String(data['article_id']))).toMatchObject({ ...first, ...data });
    expect(await writer.wrappers()).toEqual([]);
  });

  test('create with publish makes a published article with its wrapper tweet; premium only, before anything is made', async () => {
    const writer = await fixture.writer(face);
    const { data } = await writer.act('create', { ...first, publish: true });
    expect(data).toMatchObject({ status: 'published', draft_url: null, tweet_id: expect.any(String) });
    expect(data['public_url']).toContain(`/${writer.account.userName}/articles/`);
    expect(await writer.wrappers()).toMatchObject([{ id: data['tweet_id'], text: first.title }]);

    const other = await fixture.writer(face, { premium: false });
    const create = () => other.act('create', { ...first, publish: true });
    const [refused, asked] = await fixture.sandbox.requestsDuring(create);
    expect(refused).toMatchObject({ status: 403, error: 'Publishing an article needs a premium subscription' });
    expect(asked).toEqual({ getUsersMe: 1 });
    expect(await other.list()).toEqual([]);
  });

  test('publish takes a draft to published; a second time nothing changes; premium only', async () => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('draft', writer);
    const published = await writer.act('publish', { article_id });
    expect(published.status).toBe(200);
    const { tweet_id, public_url, status } = await writer.read(article_id);
    expect(status).toBe('published');
    expect(published.data).toEqual({ article_id, tweet_id, public_url });
    expect((await writer.act('publish', { article_id })).data).toEqual(published.data);
    expect(await writer.wrappers()).toMatchObject([{ id: tweet_id }]);

    const other = await fixture.writer(face, { premium: false });
    const draft = await articleIn('draft', other);
    expect((await other.act('publish', { article_id: draft })).status).toBe(403);
    expect(await other.read(draft)).toMatchObject({ status: 'draft' });
  });

  test('unpublish takes a published one back to a draft, and its wrapper tweet away; a second time nothing changes', async () => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('published', writer);
    const { tweet_id } = await writer.read(article_id);
    for (const _again of [1, 2]) {
      expect(await writer.act('unpublish', { article_id })).toMatchObject({ status: 200, data: { article_id } });
      expect(await writer.read(article_id)).toMatchObject({ ...first, status: 'draft', tweet_id: null });
    }
    expect(await writer.wrappers()).toEqual([]);
    expect((await writer.client.get('/tweet/detail', { tweet_id: String(tweet_id) })).status).toBe(404);
  });

  test.each(['draft', 'published'] as const)(
    'update of a %s changes only what is passed, and not its state',
    async (state) => {
      const writer = await fixture.writer(face);
      const article_id = await articleIn(state, writer);
      const before = await writer.read(article_id);
      const title = await writer.act('update', { article_id, title: second.title });
      expect(title.data).toEqual({ article_id, updated: { title: true, content: false, cover_media_id: null } });
      expect(await writer.read(article_id)).toMatchObject({ ...first, title: second.title, status: state });
      const content = await writer.act('update', { article_id, content: second.content });
      expect(content.data).toEqual({ article_id, updated: { title: false, content: true, cover_media_id: null } });
      const after = await writer.read(article_id);
      expect(after).toMatchObject({ ...second, status: state });
      // The article was published again.
      if (state === 'published') expect(after['tweet_id']).not.toBe(before['tweet_id']);
      expect((await writer.wrappers()).map(({ text }) => text)).toEqual(state === 'published' ? [second.title] : []);
    },
  );

  test.each(['draft', 'published'] as const)('delete of a %s is for good: anything on it is 404', async (state) => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn(state, writer);
    expect(await writer.act('delete', { article_id })).toMatchObject({ status: 200, data: { article_id } });
    expect(await writer.wrappers()).toEqual([]);
    expect(await writer.list()).toEqual([]);
    for (const trigger of ['update', 'publish', 'unpublish', 'delete'] as const) {
      const refused = await writer.act(trigger, { article_id, ...(trigger === 'update' && second) });
      expect(refused, trigger).toMatchObject({ status: 404, error: `Article not found: ${article_id}` });
    }
    const detail = await writer.client.get('/article/detail', { article_id });
    expect([detail.status, detail.body.error]).toEqual([404, `Article not found: ${article_id}`]);
  });

  test.each(['update', 'publish', 'unpublish', 'delete'] as const)(
    "%s of another's article is refused",
    async (trigger) => {
      const [writer, other] = [await fixture.writer(face), await fixture.writer(face)];
      for (const [state, status] of [
        ['published', 403],
        ['draft', 404],
      ] as const) {
        const article_id = await articleIn(state, writer);
        const refused = await other.act(trigger, { article_id, ...(trigger === 'update' && second) });
        expect(refused.status, state).toBe(status);
        expect(await writer.read(article_id)).toMatchObject({ ...first, status: state });
      }
    },
  );

  test('update without a field, or with two covers, is refused', async () => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('draft', writer);
    expect((await writer.act('update', { article_id })).status).toBe(400);
    const covers = { cover_media_id: '1', cover_image_url: 'https://a.example/x.png' };
    expect((await writer.act('update', { article_id, ...covers })).status).toBe(400);
    expect((await writer.act('create', { ...first, ...covers })).status).toBe(400);
  });

  test('update of a published one by an author without premium any more leaves it as it is', async () => {
    const writer = await fixture.writer(face);
    const article_id = await articleIn('published', writer);
    const fault = { kind: 'status', status: 403, code: 'forbidden', message: 'Not now' };
    await fixture.fail('articlePublish', 1, fault);
    const refused = await writer.act('update', { article_id, title: second.title });
    expect(refused).toMatchObject({ status: 403, error: 'Not now' });
    expect(await writer.read(article_id)).toMatchObject({ ...first, status: 'published' });
  });
});

test('the table is that of docs/rest.md', () => {
  const rows = Object.entries(transitions).flatMap(([state, triggers]) =>
    Object.entries(triggers).map(([trigger, { next }]) => `${state} ${trigger} ${next}`),
  );
  expect(rows).toEqual([
    ...['none create draft', 'none createPublished published'],
    ...['draft update draft', 'draft publish published', 'draft unpublish draft', 'draft delete deleted'],
    ...['published update published', 'published publish published', 'published unpublish draft'],
    'published delete deleted',
  ]);
});

test('title and content have their limits, counted in characters', async () => {
  const writer: Writer = await fixture.writer();
  const create = (input: object) => writer.act('create', { ...first, ...input });
  expect((await create({ title: '🙂'.repeat(100) })).status).toBe(200);
  expect((await create({ content: 'x'.repeat(100_000) })).status).toBe(200);
  const refusals: [object, RegExp][] = [
    [{ title: '🙂'.repeat(101) }, /^Malformed field: title: must be 1 to 100 characters$/],
    [{ content: 'x'.repeat(100_001) }, /^Malformed field: content: must be 1 to 100,000 characters$/],
    [{ title: '' }, /^Missing required field: title$/],
    [{ title: '  ' }, /^Malformed field: title: must not be blank$/],
    [{ content: '[a]: https://a.example' }, /^Malformed field: content: must not be blank$/],
    [{ content: undefined }, /^Missing required field: content$/],
    [{ content: '>'.repeat(100) }, /^Malformed field: content: lists and quotes may nest 20 deep$/],
    [{ content: '![x](ftp://a.example/x.png)' }, /^Malformed field: content: image 1 must have an http/],
    [{ content: Array.from({ length: 51 }, (_, at) => `![](http://a.example/${at})`).join(' ') }, /at most 50 images$/],
    [{ publish: 'yes' }, /^Malformed field: publish: must be a boolean$/],
  ];
  for (const [input, error] of refusals) {
    const refused = await create(input);
    expect(refused.error).toMatch(error);
    expect(refused.status).toBe(400);
  }
});

test('an article of the seed can be read by everybody, as Markdown', async () => {
  const writer = await fixture.writer();
  const { body } = await writer.client.get('/user/articles_tweets', { userName: 'ada' });
  const [{ text, id } = {}] = body.data['tweets'] as { text: string; id: string }[];
  const url = String((await writer.client.get('/tweet/detail', { tweet_id: String(id) })).body.data['url']);
  expect(text).toBeTruthy();
  const page = await (await fetch(url)).text();
  const article_id = /\/articles\/(\d+)/.exec(page)?.[1] ?? '';
  const article = await writer.read(article_id);
  expect(article).toMatchObject({ status: 'published', tweet_id: id });
  expect(article['content']).toMatch(/\n## .+\n[\s\S]*\n- /);
});

test('the own articles are listed by status and page by page, without content', async () => {
  const writer = await fixture.writer();
  const made: string[] = [];
  for (const state of ['draft', 'published', 'draft'] as const) made.unshift(await articleIn(state, writer));
  const ids = async (query: Record<string, string>) => (await writer.list(query)).map(({ article_id }) => article_id);
  expect(await ids({})).toEqual(made);
  expect(await ids({ status: 'draft' })).toEqual([made[0], made[2]]);
  expect(await ids({ status: 'published' })).toEqual([made[1]]);
  const page = await writer.client.get('/article/list', { count: '2' });
  expect(page.body.data).toMatchObject({ article_count: 2, has_more: true });
  const cursor = String(page.body.data['next_cursor']);
  expect(await ids({ count: '2', cursor })).toEqual([made[2]]);
  expect(page.body.data['articles']).not.toContainEqual(expect.objectContaining({ content: expect.anything() }));
  expect((await writer.client.get('/article/list', { status: 'lost' })).status).toBe(400);
});
