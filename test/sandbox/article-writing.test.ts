import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { type Account, type Json, openSandbox } from './harness.ts';

const sandbox = await openSandbox();

const plain = (text: string) => ({ blocks: [{ type: 'unstyled', text }], entities: [], containers: [] });

const send = (method: string, path: string, as: Account, body?: object, headers: Record<string, string> = {}) =>
  sandbox.x(path, as, { method, body, headers });
const draft = { title: 'On looms', content: plain('Warp') };

async function begin(as: Account, headers: Record<string, string> = {}): Promise<Json> {
  const { status, body } = await send('POST', '/2/articles/draft', as, draft, headers);
  expect(status).toBe(201);
  return body.data;
}

const change = (id: string, body: object, as: Account) => send('PUT', `/sandbox/articles/${id}`, as, body);
const publish = (id: string, as: Account) => send('POST', `/2/articles/${id}/publish`, as);
const unpublish = (id: string, as: Account) => send('POST', `/sandbox/articles/${id}/unpublish`, as);
const remove = (id: string, as: Account, headers = {}) =>
  send('DELETE', `/sandbox/articles/${id}`, as, undefined, headers);
const read = async (id: string, as: Account = sandbox.ada) =>
  (await sandbox.x(`/sandbox/articles/${id}`, as)).body.data;

describe('an article', () => {
  test('is created, changed, published as a tweet, unpublished and deleted', async () => {
    const author = await sandbox.mint({ premium: true });
    const { id, status, draft_url } = await begin(author);
    expect([status, draft_url]).toEqual(['draft', expect.stringContaining('/drafts/')]);
    expect((await change(id, { title: 'On weaving' }, author)).body.data).toMatchObject({ title: 'On weaving' });
    await change(id, { content: plain('Weft') }, author);
    const { post_id, public_url } = (await publish(id, author)).body.data;

    expect(await read(id, sandbox.grace)).toMatchObject({
      title: 'On weaving',
      status: 'published',
      tweet_id: post_id,
      draft_url: null,
      public_url,
      content: plain('Weft'),
      viewer: { own: false },
    });
    const path = `/2/users/${author.userId}/tweets?post.fields=article`;
    const [wrapper] = (await sandbox.x(path)).body.data;
    const article = { title: 'On weaving', plain_text: 'Weft' };
    expect(wrapper).toMatchObject({ id: post_id, text: 'On weaving', article });

    const after = { status: 'draft', tweet_id: null, public_url: null, was_published: true };
    expect((await unpublish(id, author)).body.data).toMatchObject(after);
    expect((await sandbox.x(path)).body.data).toBeUndefined();
    expect((await sandbox.x(`/sandbox/articles/${id}`)).status).toBe(404);
    expect((await remove(id, author)).body.data).toEqual({ deleted: true });
    expect((await sandbox.x(`/sandbox/articles/${id}`, author)).status).toBe(404);
    expect((await remove(id, author)).status).toBe(404);
  });

  test.each([
    [null, 201],
    ['12', 400],
    [{ media_id: '12' }, 404],
  ])('with the cover %o is %i', async (cover_media, status) => {
    expect((await send('POST', '/2/articles/draft', sandbox.ada, { ...draft, cover_media })).status).toBe(status);
  });

  test('can be edited only as a draft and only by its author', async () => {
    const author = await sandbox.mint({ premium: true });
    const { id } = await begin(author);
    await publish(id, author);
    expect((await change(id, { title: 'Late' }, author)).status).toBe(409);
    for (const answer of [
      await change(id, { title: 'Mine' }, sandbox.grace),
      await publish(id, sandbox.grace),
      await unpublish(id, sandbox.grace),
      await remove(id, sandbox.grace),
    ]) {
      expect([answer.status, answer.body.detail]).toEqual([403, 'Only its author can change an article']);
    }
  });

  test('can be published by premium accounts only', async () => {
    const { id } = await begin(sandbox.grace);
    expect((await publish(id, sandbox.grace)).status).toBe(403);
    expect((await read(id, sandbox.grace)).status).toBe('draft');
  });

  test('is a draft again when its wrapper tweet is deleted', async () => {
    const author = await sandbox.mint({ premium: true });
    const { id } = await begin(author);
    await sandbox.remove((await publish(id, author)).body.data.post_id, author);
    expect(await read(id, author)).toMatchObject({ status: 'draft', tweet_id: null });
  });

  test('is created once for each idempotency token, until it is deleted', async () => {
    const author = await sandbox.mint();
    const token = { 'idempotency-token': 'one' };
    const first = await begin(author, token);
    expect((await begin(author, token)).id).toBe(first.id);
    for (const _again of [1, 2])
      expect((await remove(first.id, author, { 'idempotency-token': 'two' })).status).toBe(200);
    expect((await begin(author, token)).id).not.toBe(first.id);
  });

  test("in X's form is stored as rich text, and answered as X does", async () => {
    const author = await sandbox.mint({ premium: true });
    const entity = (type: string, data: object) => ({ value: { type, mutability: 'mutable', data } });
    const atom = (key: number) => ({ type: 'atomic', text: ' ', entity_ranges: [{ key, offset: 0, length: 1 }] });
    const content_state = {
      blocks: [
        { type: 'header-one', text: 'Why' },
        {
          type: 'unstyled',
          text: 'They remember',
          inline_style_ranges: [{ offset: 5, length: 8, style: 'bold' }],
          entity_ranges: [{ key: 0, offset: 0, length: 4 }],
        },
        { type: 'ordered-list-item', text: 'warp' },
        { type: 'ordered-list-item', text: 'weft' },
        atom(1),
        atom(2),
      ],
      entities: [
        entity('link', { url: 'https://a.example/' }),
        entity('divider', {}),
        entity('markdown', { markdown: '- a\n  - b' }),
      ],
    };
    const body = { title: 'Why', content_state };
    const headers = { authorization: `Bearer ${author.authToken}` };
    const made = await sandbox.call('POST', '/2/articles/draft', { headers, body, unchecked: true });
    const { id } = made.body.data;
    expect([made.status, made.body.data]).toEqual([201, { id, title: 'Why' }]);
    const { content } = await read(id, author);
    expect(content.blocks.map(({ type, text, within }: Json) => [type, text, within?.length ?? 0])).toEqual([
      ['header-one', 'Why', 0],
      ['unstyled', 'They remember', 0],
      ['unstyled', 'warp', 2],
      ['unstyled', 'weft', 2],
      ['divider', '', 0],
      ['unstyled', 'a', 2],
      ['unstyled', 'b', 4],
    ]);
    const published = await sandbox.call('POST', `/2/articles/${id}/publish`, { headers, unchecked: true });
    expect(published.body.data).toEqual({ post_id: expect.any(String) });
  });

  test('of the seed has the same content in every dataset', async () => {
    const [{ id, title }] = (await sandbox.x('/sandbox/articles?status=published')).body.data;
    const article = await read(id);
    const { data } = (await sandbox.x(`/2/tweets/${article.tweet_id}?post.fields=article`)).body;
    expect([data.article.title, data.article.plain_text.length > 1_000]).toEqual([title, true]);
    expect(article.content.blocks.length).toBeGreaterThan(8);
    await sandbox.control('reset');
    expect((await read(id)).content).toEqual(article.content);
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
    for (let next = ''; ; ) {
      const { data, meta } = (await sandbox.x(`/sandbox/articles?max_results=2${query}${next}`, author)).body;
      found.push(...data.map(({ id }: Json) => id));
      if (meta.next_token === undefined) return found;
      next = `&pagination_token=${meta.next_token}`;
    }
  };
  expect(await pages('')).toEqual([ids[0], ids[1], ids[2], ids[4]]);
  expect(await pages('&status=draft')).toEqual([ids[0], ids[2], ids[4]]);
  expect(await pages('&status=published')).toEqual([ids[1]]);
  expect((await sandbox.x('/sandbox/articles?status=lost', author)).status).toBe(400);
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
    expect([400, 404]).toContain((await change(id, body, sandbox.ada)).status);
    expect((await read(id)).content).toEqual(plain('Warp'));
  });
});

test('articles and their idempotency tokens remain after a restart', async () => {
  const dataDir = temporaryFolder();
  const token = { 'idempotency-token': 'kept' };
  const first = await openSandbox({ dataDir });
  const ask = (sandbox: typeof first, method: string, path: string, body?: object) =>
    sandbox.x(path, sandbox.ada, { method, body, headers: token });
  const { id } = (await ask(first, 'POST', '/2/articles/draft', draft)).body.data;
  await ask(first, 'PUT', `/sandbox/articles/${id}`, { title: 'Kept', content: plain('As it was') });
  await ask(first, 'POST', `/2/articles/${id}/publish`);
  const before = (await first.x(`/sandbox/articles/${id}`)).body.data;
  await first.close();
  const second = await openSandbox({ dataDir });
  const again = (await second.x(`/sandbox/articles/${id}`)).body.data;
  expect({ ...again, public_url: '' }).toEqual({ ...before, public_url: '' });
  expect((await ask(second, 'POST', '/2/articles/draft', draft)).body.data.id).toBe(id);
});
