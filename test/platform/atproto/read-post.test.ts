import type * as Feed from '@atcute/bluesky/types/app/feed/defs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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

describe('entities of a post', () => {
  test('count code points, while facets count bytes', () => {
    const text = 'é😀 loom and more';
    const facets = [linkAt(7, 11), linkAt(2, 6), linkAt(12, 9_999), linkAt(9_999, 9_999)];
    const tweet = readPost(postWith(text, facets), new Map(), ids);
    expect(tweet?.entities.urls.map(({ url, indices }) => [url, ...indices])).toEqual([
      ['😀', 1, 2],
      ['loom', 3, 7],
      ['and more', 8, 16],
    ]);
  });

  test('never overlap, are never empty, and repeat at most the text', () => {
    const position = fc.integer({ min: -1, max: 40 });
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    fc.assert(
      fc.property(text, fc.array(fc.tuple(position, position), { maxLength: 30 }), (text, places) => {
        const facets = places.map(([start, end]) => linkAt(start, end));
        const points = [...text];
        let endBefore = 0;
        for (const { url, indices } of readPost(postWith(text, facets), new Map(), ids)?.entities.urls ?? []) {
          const [start, end] = indices;
          expect(start).toBeGreaterThanOrEqual(endBefore);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(points.length);
          expect(url).toBe(points.slice(start, end).join(''));
          endBefore = end;
        }
      }),
    );
  });

  test('are at most as many as the graphemes that a post may have, and three for a facet', async () => {
    const text = 'a'.repeat(300);
    const features = Array.from({ length: 200 }, () => linkAt(0, 1).features).flat();
    const facets = Array.from({ length: 60_000 }, (_, at) => ({ index: { byteStart: at, byteEnd: at + 1 }, features }));
    const post = postWith(text, facets);
    expect(readPost(post, new Map(), ids)?.entities.urls).toHaveLength(900);
    await expectQuick(300, () => readPost(post, new Map(), ids));
  });

  test('keep the first of two facets that overlap', () => {
    const tweet = readPost(postWith('a loom', [linkAt(2, 6), linkAt(0, 3), linkAt(0, 6)]), new Map(), ids);
    expect(tweet?.entities.urls.map(({ url }) => url)).toEqual(['a l']);
  });
});

test('readPost leaves out a post whose text is longer than the lexicon allows', () => {
  expect(readPost(postWith('a'.repeat(301), []), new Map(), ids)).toBeNull();
  expect(readPost(postWith('a'.repeat(300), []), new Map(), ids)?.text).toHaveLength(300);
});

test('readPost reads one embed, and one level of quotes', () => {
  const image = { fullsize: 'https://cdn.example/a.jpg', thumb: 'https://cdn.example/b.jpg', alt: '' };
  const images = { $type: 'app.bsky.embed.images#view', images: [image] };
  const combined = (media: unknown) => ({ $type: 'app.bsky.embed.recordWithMedia#view', record: {}, media });
  const record = { ...postWith('quoted', []), $type: 'app.bsky.embed.record#viewRecord' };
  const quote = { ...record, value: record.record, embeds: [combined(images), images, images] };
  const embed = { $type: 'app.bsky.embed.record#view', record: quote };
  const tweet = readPost({ ...postWith('outer', []), embed } as never, new Map(), ids);
  expect(tweet?.quoted_tweet).toMatchObject({ text: 'quoted', quoted_tweet: null });
  expect(tweet?.quoted_tweet?.media).toHaveLength(1);
  const nested = readPost({ ...postWith('outer', []), embed: combined(combined(images)) } as never, new Map(), ids);
  expect(nested?.media).toEqual([]);
});

test('readPost: returns the id of a quoted post, also if that post is deleted or quoted by a quoted post', () => {
  const uri = 'at://did:plc:abcdefghijklmnopqrstuvwx/app.bsky.feed.post/3kaaaaaaaaaa2';
  const quoting = (embed: object) => {
    const post = postWith('a quote', []);
    return { ...post, record: { ...(post.record as object), embed } };
  };
  const cid = 'bafyreihffx5a2e7k5uwrmmgofbvzujc5cmw5h4espouwuxt3liqoflx3ee';
  const plain = quoting({ $type: 'app.bsky.embed.record', record: { uri, cid } });
  const gone = {
    $type: 'app.bsky.embed.record#view',
    record: { $type: 'app.bsky.embed.record#viewNotFound', uri, notFound: true },
  };
  const quoted_tweet_id = ids.ofRecord(uri);
  expect(readPost({ ...plain, embed: gone } as never, new Map(), ids)).toMatchObject({
    quoted_tweet_id,
    quoted_tweet: null,
  });
  const record = { ...plain, value: plain.record, $type: 'app.bsky.embed.record#viewRecord' };
  const outer = { ...plain, embed: { $type: 'app.bsky.embed.record#view', record } };
  expect(readPost(outer as never, new Map(), ids)?.quoted_tweet).toMatchObject({ quoted_tweet_id });
  expect(readPost(postWith('no quote', []), new Map(), ids)).toMatchObject({ quoted_tweet_id: null });
});

test('readPost leaves out a language that is longer than any', async () => {
  const { record, ...post } = postWith('a loom', []);
  const long = `aa${'-abcde'.repeat(600_000)}`;
  const withLangs = (langs: readonly string[]) => ({ ...post, record: { ...(record as object), langs } }) as never;
  expect(readPost(withLangs([long, 'pt-BR']), new Map(), ids)?.lang).toBe('pt-BR');
  await expectQuick(50, () => readPost(withLangs([long]), new Map(), ids));
});

test('readPost leaves out addresses of an author that are longer than 2,000 characters', () => {
  const author = { did, handle: 'alice.test', avatar: `https://${'a'.repeat(2_000)}`, banner: 'https://cdn.example/b' };
  const tweet = readPost({ ...postWith('a loom', []), author } as never, new Map(), ids);
  expect(tweet?.author).toMatchObject({ profilePicture: null, coverPicture: 'https://cdn.example/b' });
});
