import type { Operation } from '../http/operation.ts';

/** The scopes by path, for reads and for other methods. The first row that matches decides. */
const needs: readonly (readonly [path: RegExp, read: string | null, write: string])[] = [
  [/^\/2\/(?:media|chat\/media\/upload)\//, 'media.write', 'media.write'],
  [/^\/2\/chat\/|\/public_keys$/, 'dm.read', 'dm.write'],
  [/\/(?:likes|liking_users|liked_tweets)\b/, 'like.read', 'like.write'],
  [/\/bookmarks\b/, 'bookmark.read', 'bookmark.write'],
  [/\/(?:followers|following)/, 'follows.read', 'follows.write'],
  [/\/blocking\b/, 'block.read', 'block.write'],
  [/\/muting\b/, 'mute.read', 'mute.write'],
  [/^\/2\/lists\//, 'list.read', 'list.write'],
  [/\/(?:tweets|retweets|articles)\b/, null, 'tweet.write'],
];

/** Returns the scopes that X's document lists for an operation. */
export function scopesOf({ path, method }: Pick<Operation, 'path' | 'method'>): readonly string[] {
  const [, read, write] = needs.find(([pattern]) => pattern.test(path)) ?? [];
  const scope = method === 'GET' ? read : write;
  const base = /^\/2\/(?:media|articles)\//.test(path) ? [] : ['tweet.read', 'users.read'];
  return scope ? [...base, scope] : base;
}
