import { describe, expect, test } from 'vitest';
import { gif, mp4, png } from '../../media/pictures.ts';
import { atEnd } from '../../support/at-end.ts';
import { startCheckedX } from '../../support/checked-x.ts';
import { Client } from '../../support/client.ts';
import { GraphqlClient } from '../../support/graphql.ts';
import { SandboxControl } from '../../support/sandbox-control.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

/*
 * Media and articles through the adapter for X, against the sandbox without its extensions. All requests and answers are checked against
 * X's document.
 */

const {
  service: { demo },
} = await useService();
const checked = await startCheckedX(demo.sandboxUrl);
atEnd(() => checked.stop());
const service = await startService({ PLATFORM_KIND: 'x', PLATFORM_URL: checked.url }, { demo });
atEnd(() => service.stop());
const sandbox = new SandboxControl(demo.sandboxUrl);
const { key } = await service.makeAccount('10');
const author = await sandbox.mint({ premium: true });
const client = new Client({ baseUrl: `${service.origin}/v1`, key, authToken: author.authToken });
const graphql = new GraphqlClient({ url: `${service.origin}/graphql`, key, authToken: author.authToken });

async function done(path: string, body: Record<string, unknown>) {
  const answer = await client.post(path, body);
  expect(answer.status, String(answer.body.error)).toBe(200);
  return answer.body.data;
}

const upload = async (bytes: Buffer, type: string) => {
  const data = await done('/media/upload', { media_data: bytes.toString('base64'), media_type: type });
  return String(data['media_id']);
};

describe('media', () => {
  test.each([
    ['image/png', png(), 'photo', { mediaUpload: 1 }],
    ['image/gif', gif, 'animated_gif', { appendMediaUpload: 1 }],
    ['video/mp4', mp4({ bytes: 5 * 1024 * 1024 }), 'video', { appendMediaUpload: 2 }],
  ])('%s is uploaded as X wants it, processed, and shown by a post', async (type, bytes, kind, requests) => {
    const [media_id, asked] = await sandbox.requestsDuring(() => upload(bytes, type));
    expect(asked).toMatchObject(requests);
    if (kind !== 'photo') expect(asked['getMediaUploadStatus']).toBe(1);
    const media_alt_texts = [`A ${kind}`];
    const { id } = await done('/tweet/create', { text: type, media_ids: [media_id], media_alt_texts });
    const { media } = (await client.get('/tweet/detail', { tweet_id: String(id) })).body.data;
    expect(media).toMatchObject([{ type: kind }]);
    const [{ url, video_url }] = media as [{ url: string; video_url: string | null }];
    const served = await fetch(kind === 'photo' || video_url === null ? url : video_url);
    expect(Buffer.from(await served.arrayBuffer()).equals(bytes)).toBe(true);
    const headers = { authorization: `Bearer ${author.authToken}` };
    const path = `/2/tweets/${id}?expansions=attachments.media_keys&media.fields=alt_text`;
    const { includes } = await (await fetch(demo.sandboxUrl + path, { headers })).json();
    expect(includes.media).toMatchObject([{ alt_text: `A ${kind}` }]);
  });

  test('refuses descriptions that are longer than X allows with 400', async () => {
    const media_ids = [await upload(png(9, 9), 'image/png')];
    const answer = await client.post('/tweet/create', { media_ids, media_alt_texts: ['x'.repeat(1_001)] });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining('media_alt_texts')]);
  });
});

describe('articles', () => {
  const written = { title: 'On looms', content: '# Why\n\nThey **remember**.\n\n- warp\n  - weft' };

  test('are answered from the input, published, and read as the text of their post', async () => {
    const cover = await upload(png(31, 31), 'image/png');
    const draft = await done('/article/create', { ...written, cover_media_id: cover });
    const { article_id } = draft;
    expect(draft).toEqual({
      article_id: expect.any(String),
      status: 'draft',
      tweet_id: null,
      draft_url: null,
      public_url: null,
      cover_media_id: cover,
    });
    expect((await client.get('/article/detail', { article_id: String(article_id) })).status).toBe(404);

    const { tweet_id, public_url } = await done('/article/publish', { article_id });
    expect(public_url).toBe(`https://x.com/i/web/status/${tweet_id}`);
    expect(await done('/article/publish', { article_id })).toEqual({ article_id, tweet_id, public_url });
    const detail = (await client.get('/article/detail', { article_id: String(article_id) })).body.data;
    expect(detail).toMatchObject({ title: 'On looms', status: 'published', tweet_id, public_url });
    expect(detail['content']).toBe('Why\n\nThey remember.\n\nwarp\n\nweft');
    const articles = (await client.get('/user/articles_tweets', { userId: author.userId })).body.data['tweets'];
    expect(articles).toMatchObject([{ id: tweet_id, text: 'On looms' }]);

    const query = 'query($id: String!) { article(articleId: $id) { id } }';
    const { article } = (await graphql.ask(query, { id: article_id })).data;
    const node = 'query($id: ID!) { node(id: $id) { ... on Article { articleId } } }';
    expect((await graphql.ask(node, { id: article.id })).data.node).toEqual({ articleId: article_id });
  });

  test('are refused without a premium account with 403, before anything is written', async () => {
    const { authToken } = await sandbox.mint();
    const [refused, asked] = await sandbox.requestsDuring(() =>
      client.with({ authToken }).post('/article/create', { ...written, publish: true }),
    );
    expect([refused.status, asked]).toEqual([403, { getUsersMe: 1 }]);
  });

  test('refuse covers that are no pictures of this gateway', async () => {
    const video = await upload(mp4(), 'video/mp4');
    const wrong = (id: string) => client.post('/article/create', { ...written, cover_media_id: id });
    expect([(await wrong(video)).status, (await wrong('12')).status]).toEqual([400, 404]);
  });

  test.each(['list', 'update', 'unpublish', 'delete'])('%s is 501, free of charge', async (name) => {
    const body = { article_id: '12', ...(name === 'update' && { title: 'On weaving' }) };
    const answer = name === 'list' ? await client.get('/article/list') : await client.post(`/article/${name}`, body);
    expect([answer.status, answer.headers.get('x-credits-charged') ?? '0']).toEqual([501, '0']);
  });
});
