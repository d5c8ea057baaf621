// Answers and events of a caller's proxy in the name of an http:// platform.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Attack,
  type Attacks,
  attacksOf,
  fresh,
  type Headers,
  many,
  receiverSecret,
  type Target,
} from '../target.ts';

const keys = (count: number) => Array.from({ length: count }, (_, i) => `"k${i.toString(36)}":0`).join();
export const deep: Record<string, (bytes: number) => string> = {
  'open brackets': (bytes) => '['.repeat(bytes),
  'nested lists': (bytes) => `{"x":${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}}`,
  'nested objects': (bytes) => `{"x":${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}}`,
  'empty objects': (bytes) => `{"tweets":[${'{},'.repeat(bytes / 3 - 10)}{}],"next_cursor":null}`,
  numbers: (bytes) => `{"x":[${'1,'.repeat(bytes / 2 - 10)}1],"next_cursor":null}`,
  keys: (bytes) => `{${keys(bytes / 10)}}`,
  escapes: (bytes) => `{"x":"${'\\u0061'.repeat(bytes / 6 - 10)}"}`,
};

const respond = (body: () => string) => (socket: Socket) => {
  const text = body();
  socket.write(
    `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n`,
  );
  socket.write(text);
};

/** Registers webhooks through an honest proxy, which then answers their polls with `body` for ten seconds. */
const poll =
  (count: number, body: () => string): Attack =>
  async (target) => {
    const receiver = await target.receiver({ answer: (_request, response) => response.writeHead(500).end() });
    const proxy = await target.fakeProxy(respond(body));
    proxy.isHonest = true;
    for (let i = 0; i < count; i++) {
      const hook = { url: `${receiver.url}${i}`, secret: receiverSecret };
      const { id } = await target.setUp(
        target.rest('POST', '/webhooks', hook, { headers: proxy.headers, actor: i % 3 }),
      );
      target.later(() => target.rest('DELETE', `/webhooks/${id}`));
    }
    await sleep(1_500);
    await target.begin();
    proxy.isHonest = false;
    proxy.breakAll();
    await sleep(10_000);
    target.note(`${proxy.answered} answers`);
  };

let eventId = 1_000_000;
const page = (count: number, text?: string) => () => {
  const event = () => ({
    id: String(eventId++),
    type: text ? 'mention' : 'follow',
    created_at: new Date().toISOString(),
    actor: { id: '1', screen_name: 'a', name: 'a' },
    ...(text && { tweet: { id: '5', text, in_reply_to_id: null, quoted_tweet_id: null } }),
  });
  return JSON.stringify({ events: Array.from({ length: count }, event), next_cursor: String(eventId), gap: false });
};

const at = '2026-11-21T10:00:00.000Z';
const verification = { verified: false, premium: false, kind: null };
const counts = { followers: 0, following: 0, favourites: 0, tweets: 0, media: 0, listed: 0 };
const author = {
  ...{ id: '1', screen_name: 'a', name: 'a', website: null, page_url: '', avatar_url: null, banner_url: null },
  ...{ description: '', location: null, created_at: at, pinned_tweet_ids: [], viewer: { can_dm: true } },
  ...{ verification, counts, protected: false },
};
const tweet = (text: string, quoted: object | null = null) => ({
  ...{ kind: 'tweet', id: '1', page_url: '', text, source: null, created_at: at, lang: 'en', in_reply_to: null },
  ...{ conversation_id: null, media: [], author, quoted },
  entities: { hashtags: [], symbols: [], timestamps: [], urls: [], user_mentions: [] },
  counts: { retweets: 0, replies: 0, likes: 0, quotes: 0, bookmarks: 0, views: null },
});
const long = 'x'.repeat(25_000);
/** Pages of 3.9 MB. */
const pages = {
  'a text of 3.9 MB': JSON.stringify({ tweets: [tweet('x'.repeat(3_900_000))], next_cursor: null, viewer_id: '1' }),
  '78 long tweets': JSON.stringify({
    tweets: Array(78).fill(tweet(long, tweet(long))),
    next_cursor: null,
    viewer_id: '1',
  }),
};

/** Requests for 100 pages over each API. */
const ask = {
  GraphQL: (target: Target, headers: Headers) => {
    const search = (i: number) => `a${i}:searchTweets(q:"${i}",first:100){nodes{id}}`;
    const timeline = (i: number) => `b${i}:homeTimeline(first:${100 - i}){nodes{id}}`;
    return target.graphql(`{${many(50, search)} ${many(50, timeline)}}`, undefined, { headers });
  },
  REST: (target: Target, headers: Headers) =>
    target.many(100, 30, (i) => target.rest('GET', `/tweet/advanced_search?q=${i}&count=100`, undefined, { headers })),
};

const requested = Object.fromEntries(
  Object.entries(pages).flatMap(([name, body]) =>
    Object.entries(ask).map(([api, run]) => [`${name}, ${api}`, { body, run }] as const),
  ),
);

export const attacks: Attacks = {
  ...attacksOf('platform: 100 answers with ', requested, ({ body, run }) => async (target) => {
    const proxy = await target.fakeProxy(respond(() => body));
    await target.begin();
    const response = await run(target, proxy.headers);
    target.note(`${proxy.answered} answers`);
    if (response?.json) target.note(JSON.stringify(response.json).slice(0, 70));
  }),
  ...attacksOf('platform: 15 MB of ', deep, (body) => async (target) => {
    const text = body(15_000_000);
    const { headers } = await target.fakeProxy(respond(() => text));
    await target.begin();
    const { json } = await target.rest('GET', '/tweet/advanced_search?q=a', undefined, { headers });
    target.note(String(json?.error).slice(0, 70));
  }),
  'platform: pollers that get 15 MB of open brackets': poll(3, () => '['.repeat(15_000_000)),
  'events: full pages without end': poll(3, page(100)),
  'events: pages of 75,000': poll(3, page(75_000)),
  // The refused pages of the attack before would still delay the pollers of the account.
  'events: texts of 150 KB': fresh(poll(3, page(100, 'x'.repeat(150_000)))),
};
