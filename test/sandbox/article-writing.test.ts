import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, type Json, openSandbox } from './harness.ts';

const sandbox = await openSandbox();

const plain = (text: string) => ({ blocks: [{ type: 'unstyled', text }], entities: [], containers: [] });

async function begin(as: Account, headers: Record<string, string> = {}): Promise<Json> {
  const { status, body } = await sandbox.call('POST', '/api/articles', { as, body: {}, headers });
  expect(status).toBe(201);
  return body.article;
}

const put = (id: string, part: string, body: object, as: Account) =>
  sandbox.call('PUT', `/api/articles/${id}/${part}`, { as, body });
const publish = (id: string, as: Account) => sandbox.call('PUT', `/api/articles/${id}/published`, { as });
const unpublish = (id: string, as: Account) => sandbox.call('DELETE', `/api/articles/${id}/published`, { as });
const remove = (id: string, as: Account, headers = {}) =>
  sandbox.call('DELETE', `/api/articles/${id}`, { as, headers });

describe('an article', () => {
  test('is created empty, edited, published as a tweet, unpublished and deleted', async () => {
    const author = await sandbox.mint({ premium: true });
    const { id } = await begin(author);
    expect((await put(id, 'title', { title: 'On looms' }, author)).body.article).toMatchObject({ title: 'On looms' });
    await put(id, 'content', { content: plain('Warp') }, author);
    expect((await publish(id, author)).body).toEqual({ article_id: id, published: true });

    const published = (await sandbox.get(`/api/articles/${id}`, sandbox.grace)).body.article;
    expect(published).toMatchObject({
      status: 'published',
      draft_url: null,
      content: plain('Warp'),
      viewer: { own: false },
    });
    const path = `/2/users/${author.userId}/tweets?post.fields=article`;
    const [wrapper] = (await sandbox.x(path)).body.data;
    expect(wrapper).toMatchObject({
      id: published.tweet_id,
      text: 'On looms',
      article: { title: 'On looms', plain_text: 'Warp' },
    });

    expect((await unpublish(id, author)).body.article).toMatchObject({
      status: 'draft',
      tweet_id: null,
      public_url: null,
    });
    expect((await sandbox.x(path)).body.data).toBeUndefined();
    expect((await sandbox.get(`/api/articles/${id}`)).status).toBe(404);
    expect((await remove(id, author)).body).toEqual({ article_id: id, deleted: true });
    expect((await sandbox.get(`/api/articles/${id}`, author)).body.problem).toMatchObject({ resource: 'article', id });
    expect((await remove(id, author)).status).toBe(404);
  });

  test('can be edited only as a draft and only by its author', async () => {
    const author = await sandbox.mint({ premium: true });
    const { id } = await begin(author);
    await publish(id, author);
    expect((await put(id, 'title', { title: 'Late' }, author)).body.problem.code).toBe('article_published');
    for (const answer of [
      await put(id, 'title', { title: 'Mine' }, sandbox.grace),
      await publish(id, sandbox.grace),
      await unpublish(id, sandbox.grace),
      await remove(id, sandbox.grace),
    ]) {
      expect([answer.status, answer.body.problem.code]).toEqual([403, 'forbidden']);
    }
  });

  test('can be published by premium accounts only', async () => {
    const { id } = await begin(sandbox.grace);
    expect((await publish(id, sandbox.grace)).body.problem.code).toBe('premium_required');
    expect((await sandbox.get(`/api/articles/${id}`, sandbox.grace)).body.article.status).toBe('draft');
  });

  test('is a draft again when its wrapper tweet is deleted', async () => {
    const author = await sandbox.mint({ premium: true });
    const { id } = await begin(author);
    await publish(id, author);
    const { tweet_id } = (await sandbox.get(`/api/articles/${id}`, author)).body.article;
    await sandbox.remove(tweet_id, author);
    expect((await sandbox.get(`/api/articles/${id}`, author)).body.article).toMatchObject({
      status: 'draft',
      tweet_id: null,
    });
  });

  test('is created once for each idempotency token, until it is deleted', async () => {
    const author = await sandbox.mint();
    const token = { 'idempotency-token': 'one' };
    const first = await begin(author, token);
    expect((await begin(author, token)).id).toBe(first.id);
    for (const again of [false, true]) {
      const answer = await remove(first.id, author, { 'idempotency-token': 'two' });
      expect([answer.status, answer.headers.has('idempotent-replayed')]).toEqual([200, again]);
    }
    expect((await begin(author, token)).id).not.toBe(first.id);
  });

  test('of the seed has the same content in every dataset', async () => {
    const [{ id, title }] = (await sandbox.get('/api/articles?status=published')).body.articles;
    const read = async () => (await sandbox.get(`/api/articles/${id}`)).body.article;
    const article = await read();
    const { data } = (await sandbox.x(`/2/tweets/${article.tweet_id}?post.fields=article`)).body;
    expect([data.article.title, data.article.plain_text.length > 1_000]).toEqual([title, true]);
    expect(article.content.blocks.length).toBeGreaterThan(8);
    await sandbox.control('reset');
    expect((await read()).content).toEqual(article.content);
  });
});

test('the articles of the actor are listed page by page, newest first, by status or all', async () => {
  const author = await sandbox.mint({ premium: true });
  const ids: string[] = [];
  for (let made = 0; made < 5; made++) ids.unshift((await begin(author)).id);
  await publish(ids[1] ?? '', author);
  await remove(ids[3] ?? '', author);
  const pages = async (query: string): Promise<string[]> => {
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await sandbox.get(`/api/articles?count=2${query}${cursor}`, author);
      found.push(...body.articles.map(({ id }: Json) => id));
      if (body.next_cursor === null) return found;
      cursor = `&cursor=${body.next_cursor}`;
    }
  };
  expect(await pages('')).toEqual([ids[0], ids[1], ids[2], ids[4]]);
  expect(await pages('&status=draft')).toEqual([ids[0], ids[2], ids[4]]);
  expect(await pages('&status=published')).toEqual([ids[1]]);
  expect((await sandbox.get('/api/articles?status=lost', author)).status).toBe(400);
});

describe('content is refused', () => {
  const block = { type: 'unstyled', text: 'abc' };
  test.each([
    ['without blocks', { content: { blocks: 'none' } }],
    ['of an unknown type', { content: { blocks: [{ ...block, type: 'html' }] } }],
    [
      'with a style beyond the text',
      { content: { blocks: [{ ...block, styles: [{ offset: 1, length: 3, style: 'BOLD' }] }] } },
    ],
    [
      'with an entity that is not there',
      { content: { blocks: [{ ...block, entities: [{ offset: 0, length: 1, entity: 0 }] }] } },
    ],
    [
      'with marks without end',
      { content: { blocks: [{ ...block, styles: Array(9).fill({ offset: 0, length: 3, style: 'BOLD' }) }] } },
    ],
    ['in a container that is not there', { content: { blocks: [{ ...block, within: [0] }] } }],
    ['with a link that runs', { content: { blocks: [], entities: [{ type: 'LINK', url: 'javascript:alert(1)' }] } }],
    ['with media of nobody', { content: { blocks: [], entities: [{ type: 'MEDIA', media_id: '1' }] } }],
  ])('%s', async (_name, body) => {
    const { id } = await begin(sandbox.ada);
    expect([400, 404]).toContain((await put(id, 'content', body, sandbox.ada)).status);
    expect((await sandbox.get(`/api/articles/${id}`, sandbox.ada)).body.article.content.blocks).toEqual([]);
  });
});

test('articles and their idempotency tokens remain after a restart', async () => {
  const dataDir = temporaryFolder();
  const token = { 'idempotency-token': 'kept' };
  const first = await openSandbox({ dataDir });
  const call = (method: string, path: string, body?: object) =>
    first.call(method, path, { as: first.ada, body, headers: token });
  const { id } = (await call('POST', '/api/articles', {})).body.article;
  await call('PUT', `/api/articles/${id}/title`, { title: 'Kept' });
  await call('PUT', `/api/articles/${id}/content`, { content: plain('As it was') });
  await call('PUT', `/api/articles/${id}/published`);
  const before = (await first.get(`/api/articles/${id}`)).body.article;
  await first.close();
  const second = await openSandbox({ dataDir });
  const again = (await second.get(`/api/articles/${id}`)).body.article;
  expect({ ...again, public_url: '' }).toEqual({ ...before, public_url: '' });
  const repeated = await second.call('POST', '/api/articles', { as: second.ada, body: {}, headers: token });
  expect(repeated.body.article.id).toBe(id);
});
