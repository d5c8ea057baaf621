import type { Tweet, User } from './types.ts';

export type Hidden = 'deleted' | 'author_suspended' | 'author_deleted' | 'protected';

/** Why `viewer` may not see a tweet, or undefined. */
export function hiddenFrom(viewer: User, tweet: Tweet): Hidden | undefined {
  if (tweet.deleted) return 'deleted';
  const { author } = tweet;
  if (author.state === 'suspended') return 'author_suspended';
  if (author.state === 'deleted') return 'author_deleted';
  if (author.protected && author !== viewer && !author.followers.has(viewer)) return 'protected';
  return undefined;
}
