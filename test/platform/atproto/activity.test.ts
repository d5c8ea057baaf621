import { createServer } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { encodeDid, encodeRecordUri, tidAt } from '../../../src/platform/atproto/identifiers.ts';
import type { ActivityPage, PlatformSession } from '../../../src/platform/port.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { listen } from '../../support/listen.ts';
import { sessionOf } from './adapter-fixture.ts';

const alice = 'did:plc:abcdefghijklmnopqrstuvwx';
const bob = 'did:plc:bbcdefghijklmnopqrstuvwx';
const post = `at://${alice}/app.bsky.feed.post/3kaaaaaaaaaa2`;
const start = Date.parse('2026-11-21T10:00:00.000Z');
const minute = 60_000;
const hour = 60 * minute;

interface Entry {
  uri: string;
  at: number;
  reason: string;
  subject: string;
  record: unknown;
}

/** A PDS that lists notifications as the AppView does: newest first, with the time of the last one as the cursor. */
const server = {
  entries: [] as Entry[],
  limits: [] as number[],
  /** How many more notifications than the limit a page has. */
  extra: 0,
  refusal: null as Record<string, string> | null,
};
let keys = 0;

function notify(reason: string, at: number, more: Partial<Entry> = {}): string {
  keys += 1;
  const uri = `at://${bob}/app.bsky.feed.${reason === 'repost' ? 'repost' : 'like'}/${tidAt(BigInt(start) * 1_000n, keys)}`;
  server.entries.push({ uri, at, reason, subject: post, record: {}, ...more });
  server.entries.sort((a, b) => b.at - a.at);
  return more.uri ?? uri;
}

const http = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://localhost');
  const answer = (body: unknown, status = 200, headers: Record<string, string> = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  if (url.pathname === `/${alice}`) {
    const serviceEndpoint = `http://${request.headers.host}`;
    return answer({ service: [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint }] });
  }
  const limit = Number(url.searchParams.get('limit'));
  server.limits.push(limit);
  if (server.refusal) return answer({ error: 'RateLimitExceeded' }, 429, server.refusal);
  const reasons = url.searchParams.getAll('reasons');
  const after = url.searchParams.get('cursor');
  const rest = server.entries.filter(
    ({ at, reason }) => reasons.includes(reason) && (after === null || at < Date.parse(after)),
  );
  const page = rest.slice(0, limit + server.extra);
  const last = page.at(-1);
  return answer({
    notifications: page.map(({ uri, at, reason, subject, record }) => ({
      uri,
      cid: 'not read',
      reason,
      reasonSubject: subject,
      author: { did: bob, handle: 'bob.test', displayName: 'Bob', avatar: 'not read' },
      record,
      isRead: false,
      indexedAt: new Date(at).toISOString(),
    })),
    ...(last && { cursor: new Date(last.at).toISOString() }),
  });
});

let session: PlatformSession;
let clock = start;
let cursor: string;

const pdsUrl = `http://127.0.0.1:${await listen(http)}`;
beforeEach(async () => {
  Object.assign(server, { entries: [], limits: [], refusal: null });
  clock = start;
  const claims = { sub: alice, exp: start / 1_000 + 90_000 };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.sig`;
  const network = { pdsUrl, plcUrl: pdsUrl, jetstreamUrl: null };
  session = sessionOf(network, token, { ...systemRuntime, now: () => clock });
});

async function read(count = 100): Promise<ActivityPage> {
  const page = await session.activity({ count, cursor });
  cursor = page.cursor;
  return page;
}
const idsOf = ({ events }: ActivityPage) => events.map(({ id }) => id);
const begin = async () => {
  cursor = (await session.activity({ count: 1, cursor: null })).cursor;
};

describe('the activity of an account of the AT Protocol', () => {
  test('begins after the newest notification', async () => {
    for (let at = 0; at < 5; at += 1) notify('like', start - at * minute);
    const first = await session.activity({ count: 100, cursor: null });
    expect(first).toMatchObject({ events: [], gap: false });
    cursor = first.cursor;
    expect(await read()).toEqual({ events: [], cursor: first.cursor, gap: false });
    const added = notify('like', start + 1);
    expect(idsOf(await read())).toEqual([added]);
    expect(idsOf(await read())).toEqual([]);
  });

  test('has the six types with their content, oldest first, and no other reasons', async () => {
    await begin();
    const written = (key: string, more: object = {}) => ({
      uri: `at://${bob}/app.bsky.feed.post/${key}`,
      record: { text: `Text of ${key}`, ...more },
    });
    const reply = { parent: { uri: post, cid: 'c' }, root: { uri: post, cid: 'c' } };
    notify('mention', start + 1, { ...written('3kaaaaaaaaab2'), subject: post });
    notify('reply', start + 2, written('3kaaaaaaaaac2', { reply }));
    notify('quote', start + 3, written('3kaaaaaaaaad2'));
    notify('like', start + 4);
    notify('repost', start + 5);
    notify('follow', start + 6, { uri: `at://${bob}/app.bsky.graph.follow/3kaaaaaaaaae2` });
    for (const reason of ['like-via-repost', 'repost-via-repost', 'subscribed-post', 'verified', 'of-the-future']) {
      notify(reason, start + 7);
    }
    notify('like', start + 8, { subject: `at://${alice}/app.bsky.feed.generator/weaving` });
    const idOf = (uri: string) => encodeRecordUri(uri)?.id;
    const tweet = (key: string, inReplyToId: unknown, quotedTweetId: unknown) => ({
      id: idOf(`at://${bob}/app.bsky.feed.post/${key}`),
      text: `Text of ${key}`,
      inReplyToId,
      quotedTweetId,
    });
    const { events } = await read();
    expect(events.map((event) => ['types' in event ? event.types : event.type, event.tweet])).toEqual([
      [['tweet.mention'], tweet('3kaaaaaaaaab2', null, null)],
      [['tweet.reply'], tweet('3kaaaaaaaaac2', idOf(post), null)],
      [['tweet.quote'], tweet('3kaaaaaaaaad2', null, idOf(post))],
      ['tweet.like', { id: idOf(post) }],
      ['tweet.retweet', { id: idOf(post) }],
      ['user.follow', null],
    ]);
    expect(events[0]).toMatchObject({
      createdAt: new Date(start + 1).toISOString(),
      actor: { id: encodeDid(bob)?.id, userName: 'bob.test', name: 'Bob' },
    });
  });

  const strong = { uri: post, cid: 'c' };
  const other = { uri: `at://${bob}/app.bsky.feed.post/3kaaaaaaaaaa2`, cid: 'c' };
  const facets = [{ features: [{ $type: 'app.bsky.richtext.facet#mention', did: alice }] }];
  const [reply, quote, mention] = ['tweet.reply', 'tweet.quote', 'tweet.mention'];
  test.each<[string, string, object, (string | undefined)[], boolean]>([
    ['a mention in a reply', 'mention', { facets, reply: { parent: strong, root: other } }, [reply, mention], false],
    [
      'a mention in a reply to another user',
      'mention',
      { facets, reply: { parent: other, root: strong } },
      [mention],
      false,
    ],
    ['a mention in a quote', 'mention', { facets, embed: { record: strong } }, [quote, mention], true],
    [
      'a quote with media in a reply',
      'quote',
      { embed: { record: { record: strong } }, reply: { parent: strong } },
      [reply, quote],
      true,
    ],
    [
      'a mention in a quote of a list',
      'mention',
      { facets, embed: { record: { uri: `at://${alice}/app.bsky.graph.list/a` } } },
      [mention],
      false,
    ],
    ['references of another form', 'reply', { facets: [7], embed: 'x', reply: { parent: { uri: 7 } } }, [reply], false],
  ])('has all types of %s', async (_name, reason, parts, types, isQuote) => {
    await begin();
    const uri = `at://${bob}/app.bsky.feed.post/3kaaaaaaaaab2`;
    notify(reason, start + 1, { uri, record: { text: 'Hi', ...parts } });
    const quotedTweetId = isQuote ? encodeRecordUri(post)?.id : null;
    expect((await read()).events).toMatchObject([{ id: uri, types, tweet: { quotedTweetId } }]);
  });

  test('leaves out posts and names that the lexicon does not allow, and keeps the others', async () => {
    cursor = (await session.activity({ count: 100, cursor: null })).cursor;
    const uri = (key: number) => `at://${bob}/app.bsky.feed.post/${tidAt(BigInt(start) * 1_000n, key)}`;
    const texts = ['x'.repeat(300), 'x'.repeat(301), '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'.repeat(200)];
    for (const [key, text] of texts.entries()) {
      notify('mention', start + key + 1, { uri: uri(key + 1), record: { text } });
    }
    notify('follow', start + 10, { uri: `at://${bob}/app.bsky.graph.follow/${'x'.repeat(8_192)}` });
    notify('follow', start + 20);
    expect((await read()).events).toMatchObject([{ types: ['tweet.mention'] }, { type: 'user.follow' }]);
  });

  test('is refused if a page has more notifications than were asked for', async () => {
    cursor = (await session.activity({ count: 100, cursor: null })).cursor;
    for (let key = 1; key <= 26; key++) notify('like', start + key);
    server.extra = 1;
    await expect(read()).rejects.toMatchObject({ reason: 'platform_unreadable' });
    server.extra = 0;
    expect((await read()).events).toHaveLength(26);
  });

  test('has each notification once if several have the same time and if some are listed late', async () => {
    notify('like', start);
    await begin();
    const same = [notify('like', start + 5), notify('like', start + 5)].sort();
    expect(idsOf(await read())).toEqual(same);
    const alsoSame = notify('repost', start + 5);
    const late = notify('like', start - 59 * minute);
    expect(idsOf(await read())).toEqual([late, alsoSame]);
    notify('like', start - 61 * minute);
    expect(idsOf(await read())).toEqual([]);
  });

  test('finds within a minute what is listed late behind many others', async () => {
    await begin();
    for (let at = 0; at < 60; at += 1) notify('like', start + at * 1_000);
    expect((await read()).events).toHaveLength(60);
    expect(idsOf(await read())).toEqual([]);
    const late = notify('like', start + 500);
    expect(idsOf(await read())).toEqual([]);
    clock += minute;
    expect(idsOf(await read())).toEqual([late]);
    expect(idsOf(await read())).toEqual([]);
  });

  test('is read page by page, oldest first, without reading everything for each page', async () => {
    await begin();
    const all = Array.from({ length: 250 }, (_, at) => notify('like', start + at));
    server.limits = [];
    const first = await read();
    expect(idsOf(first)).toEqual(all.slice(0, 100));
    const requests = server.limits.length;
    // A page that is read again, as after a crash of the gateway, has the same events.
    const again = await session.activity({ count: 100, cursor: first.cursor });
    expect(idsOf(await read())).toEqual(idsOf(again));
    expect(idsOf(await read())).toEqual(all.slice(200));
    expect(server.limits).toHaveLength(requests);
    const added = notify('like', start + 251);
    expect(idsOf(await read())).toEqual([added]);
  });

  test('has a gap if more has happened than is read at once, and only once', async () => {
    notify('like', start);
    await begin();
    const all = Array.from({ length: 2_200 }, (_, at) => notify('like', start + 1 + at));
    const first = await read();
    expect(first.gap).toBe(true);
    const seen = idsOf(first);
    while (seen.length < 2_200) {
      const page = await read();
      expect(page.gap).toBe(false);
      if (page.events.length === 0) break;
      seen.push(...idsOf(page));
    }
    expect(seen.length).toBeGreaterThan(1_900);
    expect(seen).toEqual(all.slice(-seen.length));
  });

  test('keeps a cursor of bounded size, and each event once, for an account with many notifications', async () => {
    await begin();
    const seen: string[] = [];
    const all: string[] = [];
    for (let round = 0; round < 15; round += 1) {
      for (let at = 0; at < 100; at += 1) all.push(notify('like', start + round * 100 + at));
      clock += minute;
      seen.push(...idsOf(await read()));
      expect(cursor.length).toBeLessThan(21_000);
    }
    expect(seen).toEqual(all);
  });

  test('refuses a cursor of another platform', async () => {
    for (const wrong of ['', '12', 'n1.5', 'n1.0.abc', `n1.0.${'A'.repeat(30_000)}`]) {
      await expect(session.activity({ count: 1, cursor: wrong })).rejects.toMatchObject({ code: 'bad_input' });
    }
  });

  test('is not read again before the time that the server names, which is limited', async () => {
    await begin();
    const limited = { code: 'rate_limited' };
    server.refusal = { 'ratelimit-reset': String(start / 1_000 + 30) };
    await expect(read()).rejects.toMatchObject({ ...limited, retryAfterSeconds: 30 });
    server.refusal = null;
    server.limits = [];
    clock += 10_000;
    await expect(read()).rejects.toMatchObject({ ...limited, retryAfterSeconds: 20 });
    expect(server.limits).toEqual([]);
    clock += 20_000;
    expect(idsOf(await read())).toEqual([]);
    server.refusal = { 'retry-after': '999999' };
    await expect(read()).rejects.toMatchObject({ ...limited, retryAfterSeconds: 600 });
    server.refusal = null;
    clock += 600_000;
    expect(idsOf(await read())).toEqual([]);
  });

  test('of a quiet account reads one small page', async () => {
    for (let at = 0; at < 200; at += 1) notify('like', start - at * hour);
    await begin();
    server.limits = [];
    await read();
    await read();
    expect(server.limits).toEqual([25, 25]);
  });
});
