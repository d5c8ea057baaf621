import { describe, expect, test } from 'vitest';
import { examplePng } from '../../../src/media/media-input.ts';
import { encodeRecordUri } from '../../../src/platform/atproto/identifiers.ts';
import { hostileJson } from '../../support/hostile-json.ts';
import { expectQuick } from '../../support/processor-time.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { did, documentOf, json, loopback, profile, type Respond, start } from './fake-servers.ts';

const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a';
const key = '3m5zjuyswn22a';
const createdAt = '2026-11-21T10:00:00.000Z';

/** Responds with a JSON object that has an additional field of this many bytes. */
const padded =
  (respond: Respond, bytes: number): Respond =>
  (request, response) => {
    const { end } = response;
    response.end = ((text: string) =>
      end.call(response, text.replace(/\}$/, `,"padding":"${'x'.repeat(bytes)}"}`), 'utf8')) as typeof end;
    respond(request, response);
  };

describe('a response of the network', () => {
  const limits: [string, (servers: Awaited<ReturnType<typeof start>>, bytes: number) => void, number][] = [
    [
      'a DID document',
      ({ pds, plc }, bytes) => {
        plc.routes[`/${did}`] = padded(documentOf(pds.url), bytes);
      },
      64 * 1024,
    ],
    [
      'a profile',
      ({ pds }, bytes) => {
        pds.routes['app.bsky.actor.getProfile'] = padded(json(profile), bytes);
      },
      256 * 1024,
    ],
  ];
  test.each(limits)('is refused if it is too long: %s', async (_name, respondWith, limit) => {
    const servers = await start(loopback);
    respondWith(servers, limit);
    expectRefusal(await servers.client.get('/user/me'), 502, /^The platform/);
    respondWith(servers, limit - 1_000);
    expect((await servers.client.get('/user/me')).status).toBe(200);
  });
});

/** Sends the body as it is. */
const raw =
  (body: Buffer | string, status = 200): Respond =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(body);

/** The limit includes the time for sending the response, because the server runs in this process. */
const limitMs = 250;

const post = {
  uri: `at://${did}/app.bsky.feed.post/${key}`,
  cid,
  author: profile,
  record: { $type: 'app.bsky.feed.post', text: 'A loom', createdAt },
  indexedAt: createdAt,
};

describe('a hostile server of an account', () => {
  test('is refused quickly, whatever it sends and with whatever status', async () => {
    const { pds, client } = await start(loopback);
    for (const [name, body] of hostileJson) {
      for (const status of [200, 400]) {
        pds.routes['app.bsky.feed.getTimeline'] = raw(body, status);
        await expectQuick(limitMs, async () => {
          const { status: answered } = await client.post('/user/home_timeline', { count: 20 });
          expect(answered, name).toBe(502);
        });
      }
    }
  });

  test.each([
    ['invalid', Array(150_000).fill(0)],
    ['valid', Array(20_000).fill({ src: did, uri: 'at://a.b', val: 'x', cts: createdAt })],
  ])('is read quickly if a post has very many labels: %s', async (_name, labels) => {
    const { pds, client } = await start(loopback);
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [profile] });
    pds.routes['app.bsky.feed.getTimeline'] = json({ feed: [{ post: { ...post, labels } }] });
    await expectQuick(limitMs, () => client.post('/user/home_timeline', { count: 20 }));
  });

  test('cannot send more items than were asked for', async () => {
    const { pds, client } = await start(loopback);
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [profile, ...Array(1_000).fill({})] });
    pds.routes['app.bsky.feed.getTimeline'] = json({ feed: [{ post }, ...Array(10_000).fill({})] });
    const { body } = await client.post('/user/home_timeline', { count: 1 });
    expect(body.data['tweets']).toHaveLength(1);
    expectRefusal(await client.post('/user/home_timeline', { count: 2 }), 502, /cannot be understood/);
  });

  test.each([
    [80, 200],
    [5_000, 502],
  ])('may send a thread with %i parents: %i', async (parents, status) => {
    const { pds, client } = await start(loopback);
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [profile] });
    const view = `{"$type":"app.bsky.feed.defs#threadViewPost","post":${JSON.stringify(post)}`;
    const thread = `${`${view},"parent":`.repeat(parents)}${view}}${'}'.repeat(parents)}`;
    pds.routes['app.bsky.feed.getPostThread'] = raw(`{"thread":${thread}}`);
    const answer = await client.get('/tweet/detail', { tweet_id: encodeRecordUri(post.uri)?.id ?? '' });
    expect(answer.status, String(answer.body.error)).toBe(status);
  });
});

test('undoing a like deletes no record of another kind, even if the AppView calls it the like', async () => {
  const { pds, client } = await start(loopback);
  const { uri } = post;
  const like = `at://${did}/app.bsky.feed.like/3m5zjuyswn23b`;
  const deleted: unknown[] = [];
  pds.routes['com.atproto.repo.listRecords'] = json({ records: [] });
  pds.routes['com.atproto.repo.deleteRecord'] = (request, response) => {
    request.on('data', (chunk) => deleted.push(JSON.parse(String(chunk))));
    json({})(request, response);
  };
  for (const known of [uri, `at://did:plc:zzzzzzzzzzzzzzzzzzzzzzzz/app.bsky.feed.like/${key}`, like]) {
    pds.routes['app.bsky.feed.getPosts'] = json({ posts: [{ ...post, viewer: { like: known } }] });
    const answer = await client.post('/tweet/unlike', { tweet_id: encodeRecordUri(uri)?.id });
    expect(answer.body.error).toBeNull();
  }
  expect(deleted).toEqual([{ repo: did, collection: 'app.bsky.feed.like', rkey: '3m5zjuyswn23b' }]);
});

test('a media id that was stored under a secret key that is gone is 404', async () => {
  const { pds, client, store } = await start(loopback);
  const blob = { $type: 'blob', ref: { $link: cid }, mimeType: 'image/png', size: 100 };
  pds.routes['com.atproto.repo.uploadBlob'] = json({ blob });
  const { body } = await client.post('/media/upload', { media_data: examplePng, media_type: 'image/png' });
  const id = String(body.data['media_id']);
  const sealed = (await store.platformState.read(`media ${id}`)) ?? '';
  await store.platformState.write(`media ${id}`, sealed.replace(/^v1\.[^.]+/, 'v1.AAAAAAAA'), sealed, 60_000);
  const answer = await client.post('/tweet/create', { text: 'A loom', media_ids: [id] });
  expectRefusal(answer, 404, `Media not found: ${id}`);
});
