import { describe, expect, test } from 'vitest';
import { InvalidResponseError } from '../../../src/platform/http/errors.ts';
import { xFeatures } from '../../../src/platform/x/features.ts';
import { allNeeds } from '../../../src/platform/x/fields.ts';
import { PostReader } from '../../../src/platform/x/read-post.ts';

const copies = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);
const tag = { start: 0, end: 1, tag: 'a' };
const ada = { id: '1', username: 'ada', name: 'Ada' };

function read(post: object, user: object = {}) {
  const reader = new PostReader(allNeeds, xFeatures);
  reader.add({ data: undefined, includes: { users: [{ ...ada, ...user }] }, meta: {}, errors: [] });
  return reader.tweet({ id: '9', text: 'a loom', author_id: '1', ...post });
}

describe('a post of an untrusted platform', () => {
  test.each([
    ['a hashtag of 1 MB', { entities: { hashtags: [{ ...tag, tag: 'a'.repeat(1_000_000) }] } }],
    ['more hashtags than characters', { entities: { hashtags: copies(7, tag) } }],
    ['more than 16 media', { attachments: { media_keys: copies(17, '7_1') } }],
    ['a text of more than 200,000 characters', { text: 'a'.repeat(200_001) }],
    ['a negative count', { public_metrics: { like_count: -1 } }],
    ['an id of letters', { id: 'x' }],
    ['a time that is none', { created_at: 'yesterday' }],
    ['an author with a name of 1 MB', {}, { name: 'a'.repeat(1_000_000) }],
    ['an author with more than 16 pinned posts', {}, { pinned_post_ids: copies(17, '1') }],
  ])('is unreadable with %s', (_name, post: object, user: object = {}) => {
    expect(() => read(post, user)).toThrow(InvalidResponseError);
  });

  test('may have as many hashtags as characters', () => {
    expect(read({ entities: { hashtags: copies(6, tag) } })?.entities.hashtags).toHaveLength(6);
  });
});
