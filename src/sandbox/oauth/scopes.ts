import type { RoutedOperation } from '../http/operation.ts';

/** The scopes of X, in the words of the consent page. */
export const scopeTexts: Readonly<Record<string, string>> = {
  'tweet.read': 'See posts, also those of protected accounts that you may see',
  'tweet.write': 'Post, repost and delete posts and articles for you',
  'tweet.moderate.write': 'Hide replies to your posts, and show them again',
  'users.read': 'See your profile, and any account that you may see',
  'users.email': 'See your email address',
  'follows.read': 'See who follows you, and whom you follow',
  'follows.write': 'Follow and unfollow accounts for you',
  'like.read': 'See the posts that you like',
  'like.write': 'Like posts for you, and take likes back',
  'bookmark.read': 'See your bookmarks',
  'bookmark.write': 'Add and remove your bookmarks',
  'list.read': 'See lists and their members, also private ones',
  'list.write': 'Create and change lists for you',
  'block.read': 'See whom you block',
  'block.write': 'Block and unblock accounts for you',
  'mute.read': 'See whom you mute',
  'mute.write': 'Mute and unmute accounts for you',
  'space.read': 'See spaces that you may see',
  'media.write': 'Upload pictures and videos for you',
  'dm.read': 'Read your direct messages',
  'dm.write': 'Send and delete direct messages for you',
  'offline.access': 'Stay signed in until you remove its access',
};

/** The scopes by path, for reads and for other methods. The first row that matches decides. */
const needs: readonly (readonly [path: RegExp, read: string | null, write: string])[] = [
  [/^\/2\/media\//, 'media.write', 'media.write'],
  [/^\/sandbox\/realms\//, 'dm.read', 'dm.read'],
  [/^\/sandbox\/chat\//, 'dm.read', 'dm.write'],
  [/\/(?:likes|liking_users|liked_tweets)\b/, 'like.read', 'like.write'],
  [/\/bookmarks\b/, 'bookmark.read', 'bookmark.write'],
  [/\/(?:followers|following)/, 'follows.read', 'follows.write'],
  [/\/blocking\b/, 'block.read', 'block.write'],
  [/\/muting\b/, 'mute.read', 'mute.write'],
  [/^\/2\/lists\//, 'list.read', 'list.write'],
  [/\/(?:tweets|retweets|articles)\b/, null, 'tweet.write'],
];

/** Returns the scopes that X's document lists for an operation. */
export function scopesOf({ path, method }: Pick<RoutedOperation, 'path' | 'method'>): readonly string[] {
  const [, read, write] = needs.find(([pattern]) => pattern.test(path)) ?? [];
  const scope = method === 'GET' ? read : write;
  const base = /^\/2\/(?:media|articles)\//.test(path) ? [] : ['tweet.read', 'users.read'];
  return scope ? [...base, scope] : base;
}
