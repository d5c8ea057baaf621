import { describe, expect, test } from 'vitest';
import { examplePng } from '../../../src/media/media-input.ts';
import { usedPictures } from '../../../src/platform/atproto/article-record.ts';
import { readAuditLog } from '../../../src/platform/atproto/audit-log.ts';
import { encodeRecordUri } from '../../../src/platform/atproto/identifiers.ts';
import { InvalidResponseError } from '../../../src/platform/http/errors.ts';
import { hostileJson } from '../../support/hostile-json.ts';
import { expectQuick } from '../../support/processor-time.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { did, documentOf, json, loopback, profile, type Respond, sessionWith, start, tokenOf } from './fake-servers.ts';

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

describe('a list of a hostile server', () => {
  const postAt = (at: number) => ({
    $type: 'app.bsky.feed.defs#postView',
    uri: `at://${did}/app.bsky.feed.post/3m5zjuyswn${String(222 + at).replace(/[^2-7]/g, 'a')}`,
    cid,
    author: profile,
    record: { $type: 'app.bsky.feed.post', text: 'A loom', createdAt },
    indexedAt: createdAt,
  });
  const page = (length: number) => Array.from({ length }, (_, at) => postAt(at));
  const other = 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz';

  test('has at most as many tweets as mentions were requested', async () => {
    const { pds, client } = await start(loopback);
    const uris = page(2).map(({ uri }) => uri);
    const author = profile;
    const notifications = uris.map((uri) => ({
      uri,
      cid,
      author,
      reason: 'mention',
      record: {},
      isRead: true,
      indexedAt: createdAt,
    }));
    pds.routes['app.bsky.notification.listNotifications'] = json({ notifications });
    pds.routes['app.bsky.feed.getPosts'] = json({ posts: page(500) });
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [profile] });
    const answer = await client.get('/user/mentions', { count: '2' });
    expect(answer.body.data['tweets']).toHaveLength(2);
  });

  test('of affiliates has no users who were not requested', async () => {
    const { pds, client } = await start(loopback);
    const verification = {
      issuer: did,
      uri: `at://${did}/app.bsky.graph.verification/${key}`,
      isValid: true,
      createdAt,
    };
    const states = { verifications: [verification], verifiedStatus: 'valid', trustedVerifierStatus: 'valid' };
    const verifier = { ...profile, verification: states };
    const value = {
      $type: 'app.bsky.graph.verification',
      subject: did,
      handle: 'alice.test',
      displayName: 'A',
      createdAt,
    };
    pds.routes['app.bsky.actor.getProfile'] = json(verifier);
    pds.routes['com.atproto.repo.listRecords'] = json({ records: [{ uri: verification.uri, cid, value }] });
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [verifier, { ...verifier, did: other }] });
    const answer = await client.get('/user/affiliates', { userName: 'alice.test' });
    expect(answer.body.data['affiliates']).toEqual([expect.objectContaining({ userName: 'alice.test' })]);
  });

  test('of bookmarks has no items of a type that the lexicon does not define', async () => {
    const { pds, client } = await start(loopback);
    const subject = { uri: postAt(0).uri, cid };
    const items = [postAt(0), { ...postAt(1), $type: 'app.bsky.feed.defs#unknownPost', embed: 5, likeCount: 'many' }];
    pds.routes['app.bsky.bookmark.getBookmarks'] = json({ bookmarks: items.map((item) => ({ subject, item })) });
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [profile] });
    const answer = await client.get('/user/bookmarks');
    expect(answer.body.data['tweets']).toHaveLength(1);
  });

  test('of articles ends after 8 chunks, even if each has a cursor', async () => {
    const { pds, client } = await start(loopback);
    pds.routes['com.atproto.repo.listRecords'] = json({ records: [], cursor: 'next' });
    const answer = await client.get('/article/list', { count: '100' });
    expect(answer.body.data).toMatchObject({ articles: [], has_more: true });
    // One page, and three pages that look for a further article.
    expect(pds.seen.filter(({ path }) => path === 'com.atproto.repo.listRecords')).toHaveLength(4 * 8);
  });
});

describe('an article of a hostile server', () => {
  const uri = `at://${did}/com.whtwnd.blog.entry/${key}`;
  const article_id = encodeRecordUri(uri)?.id ?? '';
  const blobOf = (link: string) => ({
    blobref: { $type: 'blob', ref: { $link: link }, mimeType: 'image/png', size: 1 },
  });
  const serve = async (fields: object) => {
    const servers = await start(loopback);
    const value = { $type: 'com.whtwnd.blog.entry', content: '', createdAt, visibility: 'author', ...fields };
    const writes: string[] = [];
    servers.pds.routes['com.atproto.repo.getRecord'] = json({ uri, cid, value });
    servers.pds.routes['com.atproto.sync.getLatestCommit'] = json({ cid, rev: key });
    servers.pds.routes['com.atproto.repo.applyWrites'] = (request, response) => {
      request.setEncoding('utf8').on('data', (part) => writes.push(part));
      request.on('end', () => json({})(request, response));
    };
    return { ...servers, written: () => JSON.parse(writes.join('')).writes[0].value };
  };

  test.each([
    ['content of more than 100,000 bytes', { content: 'é'.repeat(50_001) }],
    ['a title of more than 1,000 bytes', { title: 'a'.repeat(1_001) }],
    ['more than 10,000 pictures', { blobs: Array.from({ length: 10_001 }, () => blobOf(cid)) }],
  ])('does not exist if it has %s', async (_name, fields) => {
    const { client } = await serve(fields);
    expectRefusal(await client.get('/article/detail', { article_id }), 404, `Article not found: ${article_id}`);
  });

  test('keeps the pictures that its content shows', async () => {
    const shown = `bafkrei${'a'.repeat(52)}`;
    const hidden = `bafkrei${'b'.repeat(52)}`;
    const content = `![](https://pds.example/xrpc/com.atproto.sync.getBlob?did=${did}&cid=${shown})${'a'.repeat(90_000)}`;
    const blobs = Array.from({ length: 10_000 }, (_, at) => blobOf(at === 9_999 ? shown : hidden));
    const { client, written } = await serve({ content, blobs, postern: { updatedAt: createdAt } });
    expect((await client.post('/article/update', { article_id, title: 'On looms' })).body.error).toBeNull();
    expect(written()).toMatchObject({ title: 'On looms', blobs: [blobOf(shown)] });
  });

  test('is searched for its pictures once', async () => {
    const blobs = Array.from({ length: 10_000 }, () => blobOf(cid)) as never;
    await expectQuick(200, () => usedPictures({ content: `${cid} ${'a'.repeat(90_000)}`, blobs }));
    expect(usedPictures({ content: `${cid} ${'a'.repeat(90_000)}`, blobs })).toHaveLength(10_000);
    await expectQuick(200, () => usedPictures({ content: 'bafkrei'.repeat(14_000), blobs }));
  });
});

test.each([
  ['more fields than a blob has', { more: 'a' }],
  ['a hash that is not one', { ref: { $link: 'a'.repeat(1_000_000) } }],
  ['a media type of more than 255 characters', { mimeType: 'a'.repeat(256) }],
])('an uploaded blob is refused with %s', async (_name, fields) => {
  const { pds, client } = await start(loopback);
  const blob = { $type: 'blob', ref: { $link: cid }, mimeType: 'image/png', size: 100, ...fields };
  pds.routes['com.atproto.repo.uploadBlob'] = json({ blob });
  expectRefusal(await client.post('/media/upload', { media_data: examplePng, media_type: 'image/png' }), 502);
});

test('a login is refused if a token is longer than 8,192 characters', async () => {
  const { logins, client } = await start(loopback);
  logins.routes['com.atproto.server.createSession'] = json(sessionWith(tokenOf(3_600), 'a'.repeat(8_193)));
  expectRefusal(await client.get('/user/me'), 502);
});

test('an audit log is read up to its first malformed operation', async () => {
  const log = Array.from({ length: 100_000 }, () => ({}));
  await expectQuick(50, () => expect(() => readAuditLog(log)).toThrow(InvalidResponseError));
});

test('a reply names the root of its thread, whatever else is in the post', async () => {
  const { pds, client } = await start(loopback);
  const uri = `at://${did}/app.bsky.feed.post/${key}`;
  const root = { uri: `at://${did}/app.bsky.feed.post/3m5zjuyswn23b`, cid };
  const record = { text: 5, langs: [`aa${'-abcde'.repeat(100_000)}`], reply: { root, parent: root } };
  const written: unknown[] = [];
  pds.routes['app.bsky.feed.getPosts'] = json({ posts: [{ uri, cid, author: profile, record, indexedAt: createdAt }] });
  pds.routes['com.atproto.repo.createRecord'] = (request, response) => {
    request.on('data', (chunk) => written.push(JSON.parse(String(chunk)).record));
    json({ uri, cid })(request, response);
  };
  await client.post('/tweet/create', { text: 'A reply', reply_to_tweet_id: encodeRecordUri(uri)?.id });
  expect(written).toEqual([expect.objectContaining({ reply: { root, parent: { uri, cid } } })]);
});
