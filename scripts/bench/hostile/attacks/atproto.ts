// A personal data server (AT Protocol) of the caller.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeRecordUri } from '../../../../src/platform/atproto/identifiers.ts';
import type { Settings } from '../../processes.ts';
import { type Answer, type Attack, type Attacks, attacksOf, type Target } from '../target.ts';
import { deep } from './platform-answers.ts';

const did = 'did:plc:abcdefghijklmnopqrstuvwx';
const cid = 'bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a';
const at = '2026-11-21T10:00:00.000Z';
const rkey = '3m5zjuyswn22a';
const profile = { did, handle: 'alice.test', displayName: 'Alice' };
const notifications = 'app.bsky.notification.listNotifications';
type Route = object | string;
type Routes = Record<string, Route | (() => Route)>;

const honest: Routes = {
  'app.bsky.actor.getProfile': profile,
  'app.bsky.actor.getProfiles': { profiles: [profile] },
  [notifications]: { notifications: [] },
};
/** The answers of the personal data server by method; a function makes one for each request. */
let routes = { ...honest };
let answered = 0;

function routeOf(path: string): Route | undefined {
  const route = routes[path];
  return typeof route === 'function' ? (route as () => Route)() : route;
}

async function listen(answer: (path: string) => Route | undefined): Promise<string> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(/\?.*$/, '').replace('/xrpc/', '');
    const body = answer(path);
    response.writeHead(body === undefined ? 501 : 200, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? { error: 'MethodNotImplemented' }));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

let settings: Settings | null = null;
async function platform(): Promise<Settings> {
  if (settings) return settings;
  const data = await listen((path) => {
    if (routes[path] !== honest[path]) answered++;
    return routeOf(path);
  });
  const service = [{ id: '#atproto_pds', type: 'AtprotoPersonalDataServer', serviceEndpoint: data }];
  const directory = await listen((path) => (path === `/${did}` ? { id: did, service } : routeOf(path)));
  const logins = await listen(() => ({ did: 'did:web:localhost', availableUserDomains: ['.test'] }));
  settings = { PLATFORM_KIND: 'atproto', PLATFORM_URL: logins, ATPROTO_PLC_URL: directory };
  return settings;
}

const token = (seconds: number) =>
  [{ alg: 'none' }, { sub: did, exp: Math.floor(Date.now() / 1_000) + seconds }, 'signature']
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
const asAlice = (seconds = 36_000) => ({ actor: null, headers: { 'x-auth-token': token(seconds) } });
const post = (record = {}) => ({
  ...{ uri: `at://${did}/app.bsky.feed.post/${rkey}`, cid, author: profile, indexedAt: at },
  record: { $type: 'app.bsky.feed.post', text: 'A loom', createdAt: at, ...record },
});
const upTo = (bytes: number, one: string) => `${`${one},`.repeat(bytes / (one.length + 1) - 1)}${one}`;
const family = '👨‍👩‍👧‍👦'.repeat(118);
const link = { $type: 'app.bsky.richtext.facet#link', uri: 'a:b' };
const facets = [{ index: { byteStart: 0, byteEnd: Buffer.byteLength(family) }, features: Array(78_000).fill(link) }];
const linked = JSON.stringify({ feed: [{ post: post({ text: family, facets }) }] });
const view = 'app.bsky.feed.defs#threadViewPost';
const parents = (depth: number) => {
  const one = `{"$type":"${view}","post":${JSON.stringify(post())}`;
  return `{"thread":${`${one},"parent":`.repeat(depth)}${one}}${'}'.repeat(depth)}}`;
};
const article = (blobs: number, content: string) => ({
  ...{ uri: `at://${did}/com.whtwnd.blog.entry/${rkey}`, cid },
  value: {
    ...{ $type: 'com.whtwnd.blog.entry', content, title: 't', createdAt: at, visibility: 'author' },
    blobs: Array(blobs).fill({ blobref: { $type: 'blob', ref: { $link: cid }, mimeType: 'image/png', size: 1 } }),
  },
});

const idOf = (collection: string) => encodeRecordUri(`at://${did}/${collection}/${rkey}`)?.id ?? '';
const timeline = (target: Target) => target.rest('POST', '/user/home_timeline', { count: 20 }, asAlice());
const info = (target: Target) => target.rest('GET', '/user/info?userName=alice.test', undefined, asAlice());
const postId = idOf('app.bsky.feed.post');
const detail = (target: Target) => target.rest('GET', `/tweet/detail?tweet_id=${postId}`, undefined, asAlice());
const replies = (target: Target) => target.rest('GET', `/tweet/replies?tweet_id=${postId}`, undefined, asAlice());
const articleId = idOf('com.whtwnd.blog.entry');
const update = (target: Target) =>
  target.rest('POST', '/article/update', { article_id: articleId, title: 'x' }, asAlice());
const links = '{homeTimeline(first:5){nodes{id entities{urls{url displayUrl}}}}}';

const feed = 'app.bsky.feed.getTimeline';
const thread = 'app.bsky.feed.getPostThread';
const writes = { 'com.atproto.sync.getLatestCommit': { cid, rev: rkey }, 'com.atproto.repo.applyWrites': {} };

/** Runs `work` while the personal data server has hostile answers. */
const attack = (hostile: () => Routes, work: (target: Target) => Promise<Answer | undefined>): Attack =>
  Object.assign(
    async (target: Target) => {
      routes = { ...honest, [feed]: { feed: [{ post: post() }] } };
      for (let i = 0; i < 3; i++) await timeline(target);
      const answers = hostile();
      await target.begin();
      routes = { ...honest, ...answers };
      answered = 0;
      target.prove(false);
      const response = await work(target);
      if (response?.bytes) target.note(`${response.bytes} bytes`);
      target.prove(answered > 0);
      routes = { ...honest };
    },
    { platform },
  );

/** Registers webhooks, whose pollers then get `page` for ten seconds. */
const poll = (count: number, page: () => Route) =>
  attack(
    () => ({}),
    async (target) => {
      const receiver = await target.receiver({ answer: (_request, response) => response.writeHead(500).end() });
      for (let i = 0; i < count; i++) {
        const hook = { url: `${receiver.url}${i}` };
        const { id } = await target.setUp(target.rest('POST', '/webhooks', hook, asAlice(36_000 + i)));
        target.later(() => target.rest('DELETE', `/webhooks/${id}`, undefined, asAlice()));
      }
      await target.begin();
      routes[notifications] = page;
      await sleep(10_000);
      target.note(`${answered} pages`);
    },
  );

const alphabet = '234567abcdefghijklmnopqrstuvwxyz';
let notified = 0;
const mention = () => {
  let value = (BigInt(Date.now()) * 1_000n + BigInt(notified++ % 1_000)) << 10n;
  let key = '';
  for (let i = 0; i < 13; i++, value >>= 5n) key = alphabet[Number(value & 31n)] + key;
  const other = 'did:plc:zzzzzzzzzzzzzzzzzzzzzzzz';
  return {
    ...{ uri: `at://${other}/app.bsky.feed.post/${key}`, cid, reason: 'mention', isRead: false },
    ...{ author: { did: other, handle: 'm.test' }, indexedAt: new Date().toISOString() },
    record: { $type: 'app.bsky.feed.post', text: 'x'.repeat(41_000), createdAt: new Date().toISOString() },
  };
};

export const attacks: Attacks = {
  ...attacksOf('atproto: profile of 4 MB of ', deep, (body) =>
    attack(() => ({ 'app.bsky.actor.getProfile': body(4_190_000) }), info),
  ),
  'atproto: 78,000 links of a post': attack(() => ({ [feed]: linked }), timeline),
  'atproto: 78,000 links of a post, 14 at once': attack(
    () => ({ [feed]: linked }),
    (target) => target.many(14, 14, () => timeline(target)).then(() => undefined),
  ),
  'atproto: 78,000 links of a post, GraphQL': attack(
    () => ({ [feed]: linked }),
    (target) => target.graphql(links, undefined, asAlice()),
  ),
  'atproto: 4 MB of posts': attack(
    () => ({ [feed]: `{"feed":[${upTo(4_190_000, JSON.stringify({ post: post() }))}]}` }),
    timeline,
  ),
  'atproto: 4 MB of labels': attack(() => {
    const label = JSON.stringify({ src: did, uri: 'at://a.b', val: 'x', cts: at });
    const body = `{"did":"${did}","handle":"alice.test","labels":[${upTo(4_100_000, label)}]}`;
    return { 'app.bsky.actor.getProfile': body };
  }, info),
  'atproto: 5,000 nested parents': attack(() => ({ [thread]: parents(5_000) }), detail),
  'atproto: 9,500 replies': attack(() => {
    const reply = JSON.stringify({ $type: view, post: post() });
    return { [thread]: `{"thread":${reply.slice(0, -1)},"replies":[${upTo(4_000_000, reply)}]}}` };
  }, replies),
  'atproto: article of 12,000 blobs and 2 MB': attack(
    () => ({ ...writes, 'com.atproto.repo.getRecord': JSON.stringify(article(12_000, 'a'.repeat(2_000_000))) }),
    update,
  ),
  'atproto: pollers that get 4 MB of empty objects': poll(5, () => `{"notifications":[${upTo(4_100_000, '{}')}]}`),
  'atproto: events of 41 KB, full pages without end': poll(1, () => ({
    notifications: Array.from({ length: 98 }, mention),
    cursor: String(notified),
  })),
};
