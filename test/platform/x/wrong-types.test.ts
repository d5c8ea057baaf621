import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import type { XSession } from '../../../src/platform/x/writes.ts';
import { PosternError } from '../../../src/shared/errors/postern-error.ts';
import type { TakenMedia } from '../../../src/shared/model/taken-media.ts';
import { fakeX, runtime } from './fake-x.ts';

const user = {
  ...{ id: '1', username: 'ada', name: 'Ada', created_at: '2009-11-21T12:00:00.000Z', verified_type: 'business' },
  ...{ description: 'Weaves', location: 'London', protected: true, receives_your_dm: true, is_identity_verified: true },
  ...{
    profile_image_url: 'https://p.example/a_normal.jpg',
    profile_banner_url: 'https://p.example/b',
    url: 'https://t.co/a',
  },
  public_metrics: {
    ...{ followers_count: 1, following_count: 2, post_count: 3, listed_count: 4, like_count: 5, media_count: 6 },
  },
  entities: { url: { urls: [{ start: 0, end: 23, url: 'https://t.co/a', expanded_url: 'https://ada.example' }] } },
  pinned_post_id: '31',
};
const span = { start: 1, end: 2 };
const post = {
  ...{ id: '30', text: 'a loom', author_id: '1', created_at: '2026-11-20T10:00:00.000Z', lang: 'en', source: 'Web' },
  ...{ conversation_id: '20', in_reply_to_user_id: '2' },
  public_metrics: {
    ...{ repost_count: 1, reply_count: 2, like_count: 3, quote_count: 4, bookmark_count: 5, impression_count: 6 },
  },
  referenced_posts: [
    { type: 'replied_to', id: '20' },
    { type: 'quoted', id: '21' },
  ],
  attachments: { media_keys: ['7_1'] },
  entities: {
    hashtags: [{ ...span, tag: 'loom' }],
    cashtags: [{ ...span, tag: 'LOOM' }],
    timestamps: [{ ...span, text: '0:01' }],
    mentions: [{ ...span, username: 'grace', id: '2' }],
    urls: [
      { ...span, url: 'https://t.co/v', expanded_url: 'https://x.com/ada/v', media_key: '7_1' },
      { ...span, url: 'https://t.co/w', expanded_url: 'https://w.example', display_url: 'w.example' },
    ],
  },
};
const media = {
  ...{ media_key: '7_1', type: 'video', preview_image_url: 'https://p.example/p', width: 4, height: 3, duration_ms: 9 },
  variants: [
    { content_type: 'video/mp4', bit_rate: 1, url: 'https://v.example/small' },
    { content_type: 'video/mp4', bit_rate: 2, url: 'https://v.example/large' },
  ],
};
const quoted = { id: '21', text: 'quoted', author_id: '2', note_post: { text: 'quoted at length' } };
const grace = { id: '2', username: 'grace', name: 'Grace' };
const includes = { users: [user, grace], posts: [quoted], media: [media] };
const meta = {
  result_count: 1,
  next_token: 'a-token-of-the-next-page',
  viewer_id: '1',
  owner: { id: '1', username: 'ada' },
};
const page = { count: 10, cursor: null };
const me = { '/2/users/me': { body: { data: user } } };
const byId = { '/2/users/2': { body: { data: { ...grace, protected: true } } } };

const picture: TakenMedia = {
  ...{ kind: 'photo', type: 'image/png', size: 1, width: 1, height: 1, durationMs: null },
  open: () => Readable.from([Buffer.alloc(1)]),
  discard: async () => {},
};
const video: TakenMedia = { ...picture, kind: 'video', type: 'video/mp4' };
const processing = (state: string) => ({ data: { id: '12', processing_info: { state, check_after_secs: 2 } } });
const segments = {
  'POST /2/media/upload/initialize': { body: { data: { id: '12' } } },
  'POST /2/media/upload/12/append': { status: 204 },
  'POST /2/media/upload/12/finalize': { body: processing('pending') },
  '/2/media/upload': { body: processing('succeeded') },
};

type Reader = [name: string, path: string, body: object, read: (session: XSession) => Promise<unknown>];

/** A good body of each operation whose body is read, with a value in each field. */
const readers: Reader[] = [
  ['a post', '/2/tweets/30', { data: post, includes }, (x) => x.tweet('30')],
  ['posts by id', '/2/tweets', { data: [post], includes }, (x) => x.tweets(['30'])],
  [
    'a search',
    '/2/tweets/search/recent',
    { data: [post], includes, meta },
    (x) => x.searchTweets({ q: 'a', product: 'Top', ...page }),
  ],
  [
    'a timeline',
    '/2/users/1/timelines/reverse_chronological',
    {
      data: [{ id: '40', text: 'RT', author_id: '2', referenced_posts: [{ type: 'retweeted', id: '21' }] }],
      includes,
      meta,
    },
    (x) => x.homeTimeline(page),
  ],
  ['a profile', '/2/users/1', { data: user }, (x) => x.userProfile({ userId: '1' })],
  ['users by id', '/2/users', { data: [user] }, (x) => x.users([{ userId: '1' }])],
  ['users by name', '/2/users/by', { data: [user] }, (x) => x.users([{ userName: 'ada' }])],
  ['what is known about a user', '/2/users/1', { data: user }, (x) => x.userAbout({ userId: '1' })],
  ['followers', '/2/users/1/followers', { data: [user], meta }, (x) => x.followers({ userId: '1' }, page)],
  [
    'who may publish',
    '/2/users/me',
    { data: { ...user, subscription_type: 'Premium' } },
    (x) => x.articles.mayPublish(),
  ],
  [
    'a created post',
    'POST /2/tweets',
    { data: { id: '41', text: 'b' } },
    (x) => x.createTweet({ text: 'a', replyToTweetId: null, quoteTweetId: null }),
  ],
  ['a deleted post', 'DELETE /2/tweets/30', { data: { deleted: true } }, (x) => x.deleteTweet('30')],
  ['a like', 'POST /2/users/1/likes', { data: { liked: true } }, (x) => x.likeTweet('30')],
  ['a bookmark', 'POST /2/users/1/bookmarks', { data: { bookmarked: true } }, (x) => x.bookmarkTweet('30')],
  ['a repost', 'POST /2/users/1/retweets', { data: { retweeted: true } }, (x) => x.retweet('30')],
  [
    'a follow',
    'POST /2/users/1/following',
    { data: { following: true, pending_follow: true } },
    (x) => x.follow({ userId: '2' }),
  ],
  ['a block', 'POST /2/users/1/blocking', { data: { blocking: true } }, (x) => x.block({ userId: '2' })],
  ['a mute', 'POST /2/users/1/muting', { data: { muting: true } }, (x) => x.mute({ userId: '2' })],
  ['a published article', 'POST /2/articles/50/publish', { data: { post_id: '51' } }, (x) => x.articles.publish('50')],
  ['a picture', 'POST /2/media/upload', { data: { id: '12' } }, (x) => x.media.upload(picture)],
  ['a video', 'POST /2/media/upload/12/finalize', processing('pending'), (x) => x.media.upload(video)],
  ['a processed video', '/2/media/upload', processing('succeeded'), (x) => x.media.upload(video)],
  [
    'an article',
    '/2/tweets/61',
    { data: { ...post, article: { title: 'Looms', plain_text: 'One\nTwo' } } },
    (x) => x.articles.article('60'),
  ],
];

/** No pause is waited for. The deadline of a request is five seconds. */
const clock = { ...runtime, after: (ms: number, task: () => void) => runtime.after(ms < 5_000 ? 0 : ms, task) };

/** One value of each type of JSON. */
const samples: readonly unknown[] = [5, 'x', true, [5], { x: 5 }];
type Path = readonly (string | number)[];

function typeOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

function pathsIn(value: unknown, path: Path = []): Path[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([key, each]) => pathsIn(each, [...path, key]))];
}

function valueAt(body: unknown, path: Path): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], body);
}

/** Returns a copy of the body with another value at a path. The value `undefined` removes the field. */
function changed(body: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(body)) return body.map((each, at) => (String(at) === key ? changed(each, rest, value) : each));
  const fields = body as Record<string, unknown>;
  return { ...fields, [key]: changed(fields[key], rest, value) };
}

test.each(readers)(
  '%s: refuses each wrong type with 502, and takes null for a missing field',
  async (_name, path, good, read) => {
    let body: unknown = good;
    const { session } = await fakeX(
      { ...me, ...byId, ...segments, [path]: () => ({ body }) },
      { clock, stored: { 'x article 60 ': '61' } },
    );
    const outcome = async (sent: unknown) => {
      body = sent;
      try {
        return [await read(session() as XSession)];
      } catch (error) {
        return error instanceof PosternError ? error.reason : error;
      }
    };
    const whole = await outcome(good);
    expect(whole).toBeInstanceOf(Array);
    const wrong: string[] = [];
    const note = (at: Path, sent: unknown, found: unknown) =>
      wrong.push(`${at.join('.')} = ${JSON.stringify(sent)}: ${Array.isArray(found) ? 'is accepted' : String(found)}`);
    for (const at of pathsIn(good)) {
      const type = typeOf(valueAt(good, at));
      for (const sample of samples) {
        if (typeOf(sample) === type) continue;
        const found = await outcome(changed(good, at, sample));
        if (found !== 'platform_unreadable' && !isDeepStrictEqual(found, whole)) note(at, sample, found);
      }
      const missing = await outcome(changed(good, at, undefined));
      const isKnown = Array.isArray(missing) || missing === 'platform_unreadable' || missing === 'resource_not_found';
      if (!isKnown) note(at, 'missing', missing);
      const none = await outcome(changed(good, at, null));
      if (none !== 'platform_unreadable' && !isDeepStrictEqual(none, missing)) note(at, null, none);
    }
    expect(wrong).toEqual([]);
  },
);
