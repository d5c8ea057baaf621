import type * as Feed from '@atcute/bluesky/types/app/feed/defs';
import { expect, test } from 'vitest';
import { HashedIds, Ids } from '../../../src/platform/atproto/ids.ts';
import { readPost } from '../../../src/platform/atproto/read-post.ts';
import { expectQuick } from '../../support/processor-time.ts';

const did = 'did:plc:abcdefghijklmnopqrstuvwx';
const ids = new Ids(new HashedIds({ find: async () => null, save: async () => {} }));
const createdAt = '2026-11-21T10:00:00.000Z';

function postWith(text: string, facets: readonly unknown[]): Feed.PostView {
  return {
    uri: `at://${did}/app.bsky.feed.post/3m5555555555p`,
    author: { did, handle: 'alice.test' },
    record: { $type: 'app.bsky.feed.post', text, facets, createdAt },
    indexedAt: createdAt,
  } as unknown as Feed.PostView;
}

const linkAt = (byteStart: number, byteEnd: number) => ({
  index: { byteStart, byteEnd },
  features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://example.org' }],
});

test('the entities of a post count code points, and the facets bytes', () => {
  const text = 'é😀 loom and more';
  const tweet = readPost(
    postWith(text, [linkAt(7, 11), linkAt(2, 6), linkAt(12, 9_999), linkAt(9_999, 9_999)]),
    new Map(),
    ids,
  );
  expect(tweet?.entities.urls.map(({ url, indices }) => [url, ...indices])).toEqual([
    ['loom', 3, 7],
    ['😀', 1, 2],
    ['and more', 8, 16],
    ['', 16, 16],
  ]);
});

test('the time to read a post grows no faster than its number of facets', async () => {
  const text = '👨‍👩‍👧‍👦'.repeat(120);
  const post = postWith(
    text,
    Array.from({ length: 60_000 }, () => linkAt(3_000, 3_000)),
  );
  expect(readPost(post, new Map(), ids)?.text).toBe(text);
  await expectQuick(1_000, () => readPost(post, new Map(), ids));
});
