import { describe, expect, test } from 'vitest';
import { encodeRecordUri } from '../../../src/platform/atproto/identifiers.ts';
import { startForwardProxy } from '../../proxy/forward-proxy.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { did, json, loopback, type Respond, start, tokenOf } from './fake-servers.ts';

const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a';
const createdAt = '2026-11-21T10:00:00.000Z';

/** Returns two letters that sort like the number, which is less than 22 * 22. */
const nameOf = (at: number) => [at / 22, at % 22].map((digit) => 'abcdefghijklmnopqrstuv'.charAt(digit)).join('');

const postOf = (key: string, author: string) => ({
  uri: `at://${author}/app.bsky.feed.post/${key}`,
  cid,
  author: { did: author, handle: 'someone.test' },
  record: { $type: 'app.bsky.feed.post', text: 'A loom', createdAt },
  indexedAt: createdAt,
});

/** Returns the id of the post with this record key, which is Alice's by default. */
const idOf = (key: string, author = did) => encodeRecordUri(postOf(key, author).uri)?.id ?? '';

describe('a call on the AT Protocol', () => {
  test('goes to the server that the DID document names, and the password only to PLATFORM_URL', async () => {
    const { pds, logins, plc, client } = await start(loopback);
    expect((await client.get('/user/me')).body.data).toMatchObject({ userName: 'alice.test', name: 'Alice' });
    expect(logins.seen.map(({ path }) => path)).toEqual(['com.atproto.server.createSession']);
    expect(plc.seen.map(({ path }) => path)).toEqual([`/${did}`]);
    expect(pds.seen.map(({ path }) => path)).toEqual(['app.bsky.actor.getProfile']);
    expect(pds.seen[0]?.authorization).toMatch(/^Bearer ey/);
  });

  test('is refused if the DID document names an address that is not public', async () => {
    const { pds, client } = await start();
    const error = /^Malformed field: auth_token: the server of the account must not lead to/;
    expectRefusal(await client.get('/user/me'), 400, error);
    expectRefusal(await client.with({ authToken: tokenOf(3_600) }).get('/user/me'), 400, error);
    expect(pds.seen).toEqual([]);
  });

  test('uses the proxy of the caller for every hop', async () => {
    const proxy = await startForwardProxy();
    const { pds, logins, plc, client } = await start(loopback);
    const answer = await client.get('/user/me', {}, { 'x-proxy': proxy.url });
    expect(answer.body.error).toBeNull();
    const names = [logins, plc, pds].map(({ url }) => new URL(url).host);
    expect(proxy.tunnels).toEqual(names);
  });

  test('without a proxy does not use a DID document that the proxy of another caller may have made up', async () => {
    const proxy = await startForwardProxy();
    const { plc, client } = await start(loopback);
    const asAlice = client.with({ authToken: tokenOf(3_600) });
    expect((await asAlice.get('/user/me', {}, { 'x-proxy': proxy.url })).status).toBe(200);
    for (let times = 0; times < 2; times += 1) expect((await asAlice.get('/user/me')).status).toBe(200);
    expect(plc.seen).toHaveLength(2);
  });

  test('fails when the server of the account sends a chunk extension without an end', async () => {
    const { pds, client } = await start({ ...loopback, PLATFORM_TIMEOUT_MS: '20000' });
    pds.routes['app.bsky.actor.getProfile'] = ({ socket }) => {
      const filler = 'x'.repeat(1024 * 1024);
      const more = () => {
        while (socket.writable && socket.write(filler));
      };
      socket.on('error', () => {}).on('drain', more);
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;');
      more();
    };
    expectRefusal(await client.get('/user/me'), 502, /sends headers, trailers or chunk extensions that are too long/);
  });

  test.each(['from:not_a_handle', 'mentions:nobody', 'lang:?'])('searches for %s: 400', async (q) => {
    const { client } = await start(loopback);
    expectRefusal(await client.get('/tweet/advanced_search', { q }), 400, /^Malformed field: q: \w+: must be/);
  });

  test('reads the authors of the replies on the page only', async () => {
    const { pds, client } = await start(loopback);
    const replies = Array.from({ length: 200 }, (_, at) => ({
      $type: 'app.bsky.feed.defs#threadViewPost',
      post: postOf(`3m555555${nameOf(at)}aaa`, `did:plc:abcdefghijklmnopqrstuv${nameOf(at)}`),
    }));
    const thread = { $type: 'app.bsky.feed.defs#threadViewPost', post: postOf('3m5555555555p', did), replies };
    pds.routes['app.bsky.feed.getPostThread'] = json({ thread });
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [] });
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const seenBefore = pds.seen.length;
      const query: Record<string, string> = { tweet_id: idOf('3m5555555555p'), count: '50', ...(cursor && { cursor }) };
      const page = await client.get('/tweet/replies', query);
      expect(page.body.error).toBeNull();
      const data = page.body.data as { tweets: { id: string }[]; next_cursor: string | null };
      ids.push(...data.tweets.map(({ id }) => id));
      cursor = data.next_cursor;
      const asked = pds.seen.slice(seenBefore).filter(({ path }) => path === 'app.bsky.actor.getProfiles');
      expect(asked).toHaveLength(2);
    }
    const newestFirst = replies.map(({ post }) => encodeRecordUri(post.uri)?.id).reverse();
    expect(ids).toEqual(newestFirst);
  });

  test('reads the tweet that it likes only once', async () => {
    const { pds, client } = await start(loopback);
    const post = postOf('3m5555555555p', did);
    pds.routes['app.bsky.feed.getPosts'] = json({ posts: [post] });
    pds.routes['com.atproto.repo.listRecords'] = json({ records: [] });
    pds.routes['com.atproto.repo.createRecord'] = json({ uri: `at://${did}/app.bsky.feed.like/3m5555555555p`, cid });
    const liked = await client.post('/tweet/favorite', { tweet_id: idOf('3m5555555555p') });
    expect(liked.body.error).toBeNull();
    expect(pds.seen.filter(({ path }) => path === 'app.bsky.feed.getPosts')).toHaveLength(1);
  });

  test('is 429 with Retry-After when the network limits it, also at the login', async () => {
    const { pds, logins, client } = await start(loopback);
    const reset = String(Math.ceil(Date.now() / 1_000) + 90);
    const limited = json({ error: 'RateLimitExceeded', message: 'Too Many Requests' }, 429, {
      'ratelimit-reset': reset,
    });
    pds.routes['app.bsky.actor.getProfile'] = limited;
    const answer = await client.get('/user/me');
    expectRefusal(answer, 429, /^The platform's rate limit: /);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(Number(answer.headers.get('retry-after'))).toBeLessThanOrEqual(91);
    logins.routes['com.atproto.server.createSession'] = limited;
    expectRefusal(await client.with({ authToken: 'bob.test:pass-word' }).get('/user/me'), 429, /rate limit/);
  });

  test.each([
    ['retry-after', '999999', '86400'],
    ['ratelimit-reset', '99999999999', '86400'],
    ['ratelimit-reset', '0', '1'],
    ['ratelimit-reset', 'soon', '60'],
  ])('waits for a rate limit for a second to a day: %s: %s', async (header, value, seconds) => {
    const { pds, client } = await start(loopback);
    pds.routes['app.bsky.actor.getProfile'] = json({ error: 'RateLimitExceeded' }, 429, { [header]: value });
    const answer = await client.get('/user/me');
    expectRefusal(answer, 429);
    expect(answer.headers.get('retry-after')).toBe(seconds);
  });

  test.each<[string, Respond]>([
    ['an error of the request', json({ error: 'InvalidRequest', message: 'Record already exists' }, 400)],
    ['an error of the server', json({ error: 'InternalServerError' }, 500)],
  ])(
    'is not performed twice if its first response was lost and the server has the record: %s',
    async (_name, exists) => {
      const { pds, client } = await start(loopback);
      const created: { rkey: string; record: { text: string; createdAt: string } }[] = [];
      pds.routes['com.atproto.repo.createRecord'] = (request, response) => {
        let body = '';
        request.on('data', (chunk) => {
          body += chunk;
        });
        request.on('end', () => {
          created.push(JSON.parse(body));
          if (created.length === 1) request.socket.destroy();
          else exists(request, response);
        });
      };
      pds.routes['com.atproto.repo.getRecord'] = (request, response) => {
        const [first] = created;
        const uri = `at://${did}/app.bsky.feed.post/${first?.rkey}`;
        json({ uri, cid, value: created.length > 1 ? first?.record : {} })(request, response);
      };
      const post = () => client.post('/tweet/create', { text: 'Only once' }, { 'idempotency-key': 'once' });
      expect((await post()).status).toBe(502);
      const answer = await post();
      expect(answer.body.error).toBeNull();
      expect(answer.body.data).toMatchObject({ text: 'Only once', id: expect.stringMatching(/^\d{50,56}$/) });
      expect(created).toHaveLength(2);
      expect(created[1]).toEqual(created[0]);
    },
  );

  test('finds an account without did:plc, and its records, by the ids of an earlier response', async () => {
    const { pds, client, store } = await start(loopback);
    const web = { did: 'did:web:weaver.example', handle: 'weaver.example' };
    const post = { ...postOf('3m5555555555p', web.did), author: web };
    const asked: (string | null)[] = [];
    pds.routes['app.bsky.actor.getProfile'] = (request, response) => {
      asked.push(new URL(request.url ?? '', pds.url).searchParams.get('actor'));
      json(web)(request, response);
    };
    pds.routes['app.bsky.actor.getProfiles'] = json({ profiles: [web] });
    pds.routes['app.bsky.feed.getAuthorFeed'] = json({ feed: [{ post }] });
    pds.routes['app.bsky.feed.getPostThread'] = json({
      thread: { $type: 'app.bsky.feed.defs#threadViewPost', post },
    });
    const tweetId = idOf('3m5555555555p', web.did);
    const before = await client.get('/tweet/detail', { tweet_id: tweetId });
    expectRefusal(before, 404, /^Tweet not found: \d+\. This id is valid for 30 days .* Read the tweet again/);
    const saved: number[] = [];
    const { save } = store.identifiers;
    store.identifiers.save = (identifiers, ...limits) => {
      saved.push(identifiers.length);
      return save(identifiers, ...limits);
    };
    for (let times = 0; times < 2; times += 1) {
      const { data } = (await client.get('/user/tweets_and_replies', { userName: web.handle })).body;
      expect(data['tweets']).toMatchObject([{ id: tweetId, author: { userName: web.handle } }]);
    }
    // The first read stores the identifier once, for its post and its author.
    expect(saved).toEqual([1]);
    expect((await client.get('/tweet/detail', { tweet_id: tweetId })).body.data).toMatchObject({ id: tweetId });
    const { body } = await client.get('/user/info', { userName: web.handle });
    const userId = String(body.data['id']);
    expect((await client.get('/user/info', { userId })).body.data).toMatchObject({ id: userId, userName: web.handle });
    expect(asked.at(-1)).toBe(web.did);
    // The id of a user is not the id of a tweet, and vice versa.
    expectRefusal(await client.get('/tweet/detail', { tweet_id: userId }), 404, `Tweet not found: ${userId}`);
    expectRefusal(await client.get('/user/info', { userId: tweetId }), 404, `User not found: ${tweetId}`);
  });

  test.each<[string, Respond, number]>([
    ['an error of the server', json({ error: 'UpstreamFailure' }, 502), 502],
    ['something else than JSON', (_request, response) => void response.end('<h1>'), 502],
    ['a response that does not match its lexicon', json({ handle: 7 }), 502],
    ['an unknown error', json({ error: 'Strange' }, 400), 502],
    ['a redirect', (_request, response) => void response.writeHead(302, { location: '/' }).end(), 502],
    ['nothing', () => {}, 504],
  ])('fails cleanly for %s', async (_name, respond, status) => {
    const { pds, client } = await start(loopback);
    pds.routes['app.bsky.actor.getProfile'] = respond;
    expectRefusal(await client.get('/user/me'), status, /^The platform /);
  });
});
