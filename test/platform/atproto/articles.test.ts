import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startOrigin } from '../../media/origin.ts';
import { gif, png } from '../../media/pictures.ts';
import { atprotoMissing } from '../../support/atproto-network.ts';
import { type AtprotoRelay, type Fault, startAtprotoRelay } from '../../support/atproto-relay.ts';
import type { Answer } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { type AtprotoFixture, eventually, type Person, startAtprotoFixture } from './world.ts';

type Data = Record<string, unknown>;

const collection = 'com.whtwnd.blog.entry';
const applyWrites = 'com.atproto.repo.applyWrites';
const first = { title: 'On looms', content: '# Why\n\nThey **remember**.' };
const second = { title: 'On weaving', content: '# How\n\n- warp\n- weft' };

const origin = await startOrigin();

describe.skipIf(atprotoMissing() !== null)('articles on the AT Protocol', () => {
  let fixture: AtprotoFixture;
  let relay: AtprotoRelay;
  let writer: Person;
  let reader: Person;
  let keys = 0;
  let people = 0;

  beforeAll(async () => {
    fixture = await startAtprotoFixture({ OUTBOUND_ALLOW: '127.0.0.0/8' }, async (network) => {
      relay = await startAtprotoRelay(network);
      return relay.env;
    });
    reader = await fixture.join('rita');
  });
  beforeEach(async () => {
    relay.clear();
    writer = await fixture.join(`walt-${++people}`);
  });
  afterAll(async () => {
    await fixture?.stop();
    await relay?.stop();
  });

  const data = (answer: Answer): Data => {
    expect(answer.body.error).toBeNull();
    return answer.body.data;
  };
  const act = (trigger: string, input: Data, headers: Record<string, string> = {}) =>
    writer.client.post(`/article/${trigger}`, input, headers);
  const read = async (article_id: string, person = writer) =>
    data(await person.client.get('/article/detail', { article_id }));
  const list = async (query: Record<string, string> = {}) =>
    data(await writer.client.get('/article/list', query))['articles'] as Data[];
  const articleIn = async (state: 'draft' | 'published', more: Data = {}) => {
    const made = data(await act('create', { ...first, ...more, publish: state === 'published' }));
    expect(made['status']).toBe(state);
    return String(made['article_id']);
  };
  const newKey = () => ({ 'idempotency-key': `article-${++keys}` });
  const records = async (of: string, person = writer) => {
    const query = new URLSearchParams({ repo: person.did, collection: of });
    const answer = await fetch(`${fixture.network.pdsUrl}/xrpc/com.atproto.repo.listRecords?${query}`);
    return ((await answer.json()) as { records: { uri: string; value: Data }[] }).records;
  };
  const posts = () => records('app.bsky.feed.post');

  const wrappers = () => writer.client.get('/user/articles_tweets', { userName: writer.handle });
  const idsOf = (answer: Answer) => (answer.body.data['tweets'] as Data[]).map(({ id }) => id);

  test('go through all states, with a new tweet each time they are published', async () => {
    const article_id = await articleIn('draft');
    const draft = await read(article_id);
    const page = `https://whtwnd.com/${writer.did}/${(await records(collection))[0]?.uri.split('/').at(-1)}`;
    expect(draft).toMatchObject({ ...first, status: 'draft', tweet_id: null, public_url: null, cover_media_id: null });
    expect(draft['draft_url']).toBe(`${page}/edit`);
    expect(await posts()).toEqual([]);
    expectRefusal(await reader.client.get('/article/detail', { article_id }), 404, `Article not found: ${article_id}`);
    data(await act('unpublish', { article_id }));
    data(await act('update', { article_id, title: second.title }));
    expect(await read(article_id)).toMatchObject({ title: second.title, content: first.content, status: 'draft' });

    const published = data(await act('publish', { article_id }));
    expect(published).toMatchObject({ article_id, public_url: page, tweet_id: expect.stringMatching(/^\d+$/) });
    expect(data(await act('publish', { article_id }))).toEqual(published);
    expect(await read(article_id, reader)).toMatchObject({ title: second.title, status: 'published', draft_url: null });
    const [post] = await posts();
    expect(post?.value).toMatchObject({
      text: second.title,
      embed: { external: { uri: page, title: second.title, description: 'Why They remember.' } },
    });
    const tweet = await eventually(
      () => reader.client.get('/tweet/detail', { tweet_id: String(published['tweet_id']) }),
      ({ status }) => status === 200,
    );
    expect(data(tweet)).toMatchObject({ text: second.title, author: { userName: writer.handle } });
    expect(idsOf(await eventually(wrappers, (answer) => idsOf(answer).length === 1))).toEqual([published['tweet_id']]);

    const updated = data(await act('update', { article_id, ...second }))['updated'];
    expect(updated).toEqual({ title: true, content: true, cover_media_id: null });
    const again = await read(article_id);
    expect(again).toMatchObject({ ...second, status: 'published' });
    expect(again['tweet_id']).not.toBe(published['tweet_id']);
    expect(await posts()).toHaveLength(1);

    for (let times = 0; times < 2; times += 1) data(await act('unpublish', { article_id }));
    expect(await read(article_id)).toMatchObject({ ...second, status: 'draft', tweet_id: null });
    expect(await posts()).toEqual([]);
    data(await act('publish', { article_id }));
    data(await act('delete', { article_id }));
    expect([...(await posts()), ...(await records(collection))]).toEqual([]);
    for (const trigger of ['delete', 'publish', 'unpublish', 'update'] as const) {
      const answer = await act(trigger, { article_id, ...(trigger === 'update' && second) });
      expectRefusal(answer, 404, `Article not found: ${article_id}`);
    }
  });

  test('are changed by their author only', async () => {
    const article_id = await articleIn('published');
    for (const trigger of ['delete', 'publish', 'unpublish', 'update']) {
      const input = { article_id, ...(trigger === 'update' && second) };
      const answer = await reader.client.post(`/article/${trigger}`, input);
      expectRefusal(answer, 403, 'Only its author can change an article');
    }
    expect(await read(article_id, reader)).toMatchObject({ ...first, status: 'published' });
  });

  test('are listed by status, newest first, page by page', async () => {
    const ids: string[] = [];
    for (const state of ['draft', 'published', 'draft'] as const) ids.unshift(await articleIn(state));
    expect((await list()).map(({ article_id }) => article_id)).toEqual(ids);
    expect(await list({ status: 'published' })).toMatchObject([{ article_id: ids[1], title: first.title }]);
    const seen: unknown[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = data(
        await writer.client.get('/article/list', { count: '1', ...(cursor !== '' && { cursor: String(cursor) }) }),
      );
      expect(page['has_more']).toBe(page['next_cursor'] !== null);
      seen.push(...(page['articles'] as Data[]).map(({ article_id }) => article_id));
      cursor = page['next_cursor'];
    }
    expect(seen).toEqual(ids);
  });

  test('show pictures and a cover, which stay while the article shows them', async () => {
    const [picture, cover] = [png(41, 31), png(30, 20)];
    const content = `A loom:\n\n![A loom](${origin.serve('/loom.png', picture)} "Wood")\n\n![Moves](${origin.serve('/a.gif', gif, 'image/gif')})`;
    const article_id = await articleIn('published', { content, cover_image_url: origin.serve('/cover.png', cover) });
    const made = await read(article_id, reader);
    const urls = [...String(made['content']).matchAll(/\]\((\S+?)[ )]/g)].map(([, url]) =>
      (url ?? '').replace('\\&', '&'),
    );
    expect(urls).toHaveLength(2);
    for (const [at, bytes] of [picture, gif].entries()) {
      expect(Buffer.from(await (await fetch(urls[at] ?? '')).arrayBuffer())).toEqual(bytes);
    }
    const [record] = await records(collection);
    expect(record?.value).toMatchObject({ ogp: { width: 30, height: 20 }, blobs: { length: 3 } });
    const [post] = await posts();
    expect(post?.value).toMatchObject({ embed: { external: { thumb: { $type: 'blob', size: cover.length } } } });

    // The returned Markdown can be sent back, and the cover changed alone.
    data(await act('update', { article_id, content: made['content'] }));
    expect(await read(article_id)).toMatchObject({ content: made['content'], cover_media_id: made['cover_media_id'] });
    const { media_id } = data(
      await writer.client.post('/media/upload', { media_data: png(9, 9).toString('base64'), media_type: 'image/png' }),
    );
    const { updated } = data(await act('update', { article_id, cover_media_id: media_id }));
    expect(updated).toEqual({ title: false, content: false, cover_media_id: media_id });
    expect(await read(article_id)).toMatchObject({ content: made['content'], cover_media_id: media_id });
    expectRefusal(
      await reader.client.post('/article/create', { ...first, cover_media_id: media_id }),
      404,
      `Media not found: ${media_id}`,
    );
  });

  test('of another program are shown as they are, and keep their other fields', async () => {
    const content = '| a | b |\n| - | - |\n| 1 | 2 |\n\n<details>More</details>';
    const ogp = { url: 'https://pictures.example/a.png', width: 3, height: 2 };
    const record = { $type: collection, title: 'By hand', subtitle: 'Kept', content, ogp, visibility: 'public' };
    await fixture.xrpc(writer, 'com.atproto.repo.putRecord', {
      repo: writer.did,
      collection,
      rkey: '3kaaaaaaaaaa2',
      record,
    });
    const [found] = await list();
    const article_id = String(found?.['article_id']);
    expect(await read(article_id, reader)).toMatchObject({
      title: 'By hand',
      content,
      tweet_id: null,
      cover_media_id: null,
    });
    expect(new Date(String(found?.['created_at'])).getFullYear()).toBe(2023);
    const before = await records(collection);
    // The last step fails, so that title and cover are restored.
    relay.fail(applyWrites, 'refused', 1, 2);
    const change = { article_id, title: 'Changed', cover_image_url: origin.serve('/cover.png', png()) };
    expect((await act('update', change)).status).toBe(502);
    const { postern: _postern, blobs: _blobs, ...after } = (await records(collection))[0]?.value ?? {};
    expect(after).toEqual(before[0]?.value);
    data(await act('update', change));
    expect((await records(collection))[0]?.value).toMatchObject({ title: 'Changed', subtitle: 'Kept', content });
  });

  test('that are too long with the addresses of their pictures are refused, and leave nothing behind', async () => {
    const content = `![](${origin.serve('/loom.png', png())})\n\n${'ä'.repeat(60_000)}`;
    expectRefusal(
      await act('create', { title: 'Long', content }),
      400,
      /^Malformed field: content: has 120\d{3} bytes/,
    );
    expect(await list()).toEqual([]);
  });

  describe.each<Fault>(['refused', 'lost'])('when a request is %s', (fault) => {
    test.each([0, 1, 2])('an update restores the article (write %i)', async (skip) => {
      const article_id = await articleIn('published');
      const { updated_at: _at, tweet_id: _tweet, ...before } = await read(article_id);
      const whole = { article_id, ...second, cover_image_url: origin.serve('/cover.png', png()) };
      relay.fail(applyWrites, fault, 1, skip);
      const refused = await act('update', whole);
      expect([refused.status, refused.body.error]).toEqual([502, expect.not.stringContaining('It is now')]);
      expect(await read(article_id)).toMatchObject(before);
      expect(await posts()).toHaveLength(1);
      data(await act('update', whole));
      expect(await read(article_id)).toMatchObject({ ...second, status: 'published' });
      expect(await posts()).toHaveLength(1);
    });

    test.each([
      ['com.atproto.repo.createRecord', 0],
      [applyWrites, 0],
    ])('a create that is sent again with its key makes one article (%s, write %i)', async (method, skip) => {
      const key = newKey();
      relay.fail(method, fault, 1, skip);
      expect((await act('create', { ...first, publish: true }, key)).status).toBe(502);
      const made = data(await act('create', { ...first, publish: true }, key));
      expect(await list()).toMatchObject([{ article_id: made['article_id'], status: 'published' }]);
      expect(await posts()).toHaveLength(1);
    });

    test('a delete that is sent again with its key succeeds', async () => {
      const [article_id, key] = [await articleIn('published'), newKey()];
      relay.fail(applyWrites, fault);
      expect((await act('delete', { article_id }, key)).status).toBe(502);
      data(await act('delete', { article_id }, key));
      expect([...(await posts()), ...(await list())]).toEqual([]);
      expectRefusal(await act('delete', { article_id }), 404, `Article not found: ${article_id}`);
    });
  });

  test('that an update left unpublished are published by the same update', async () => {
    const [article_id, key] = [await articleIn('published'), newKey()];
    // All writes after the first one fail, as if the process had died.
    relay.fail(applyWrites, 'refused', 10, 1);
    const refused = await act('update', { article_id, ...second }, key);
    expect(refused.body.error).toMatch(/It is now: status draft, edits old$/);
    relay.clear();
    expect(await read(article_id)).toMatchObject({ ...first, status: 'draft', tweet_id: null });
    expect(await posts()).toEqual([]);
    data(await act('update', { article_id, ...second }, key));
    expect(await read(article_id)).toMatchObject({ ...second, status: 'published' });
    expect(await posts()).toHaveLength(1);
  });

  test('are not overwritten by a write that was made for an earlier state', async () => {
    const article_id = await articleIn('draft');
    const other = () => act('update', { article_id, title: second.title });
    relay.before(applyWrites, other);
    data(await act('update', { article_id, content: second.content }));
    expect(await read(article_id)).toMatchObject(second);
    const both = await Promise.all([act('publish', { article_id }), act('publish', { article_id })]);
    expect(both.map(({ body }) => body.error)).toEqual([null, null]);
    expect(await posts()).toHaveLength(1);
  });

  test('are unpublished and deleted also if their tweet was deleted', async () => {
    const article_id = await articleIn('published');
    data(await writer.client.post('/tweet/delete', { tweet_id: (await read(article_id))['tweet_id'] }));
    data(await act('unpublish', { article_id }));
    data(await act('publish', { article_id }));
    data(await writer.client.post('/tweet/delete', { tweet_id: (await read(article_id))['tweet_id'] }));
    data(await act('delete', { article_id }));
    expect(await list()).toEqual([]);
  });
});
