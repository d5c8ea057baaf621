import { notFound, Refusal } from '../refusal.ts';
import type { SandboxArticle } from './articles.ts';
import type { Dataset } from './dataset.ts';
import type { SandboxTweet, User } from './types.ts';

/** The user who reads. Null for a visitor without an account, who sees what everybody may see. */
export type Viewer = User | null;

/** Returns a tweet. Throws a refusal if the tweet does not exist or the viewer may not see it. */
export function visibleTweet(dataset: Dataset, id: string, viewer: Viewer): SandboxTweet {
  const tweet = dataset.tweet(id);
  if (tweet === undefined) throw notFound('tweet', id);
  const hidden = hiddenFrom(viewer, tweet);
  if (hidden !== undefined) throw hiddenRefusal(hidden, id);
  return tweet;
}

export function hiddenRefusal(hidden: HiddenReason, id: string): Refusal {
  switch (hidden) {
    case 'deleted':
      return new Refusal('tweet_deleted', 'That tweet was deleted', { id });
    case 'author_suspended':
      return new Refusal('user_suspended', 'The author of that tweet is suspended', { id });
    case 'author_deleted':
      return new Refusal('user_deleted', 'The author of that tweet was deleted', { id });
    case 'protected':
      return new Refusal('protected', 'The author of that tweet is protected: only followers can see it', { id });
    case 'blocked':
      return blockedRefusal(id);
  }
}

export function activeUser(user: User | undefined, asked: string): User {
  if (user === undefined) throw notFound('user', asked);
  if (user.state === 'suspended') throw new Refusal('user_suspended', 'That user is suspended', { id: asked });
  if (user.state === 'deleted') throw new Refusal('user_deleted', 'That user was deleted', { id: asked });
  return user;
}

export function activeUserNamed(dataset: Dataset, screenName: string): User {
  return activeUser(dataset.userNamed(screenName), screenName);
}

export function isActive(user: User): boolean {
  return user.state === 'active';
}

/** Returns true if everybody may see what the user writes and does. */
export function isPublic(user: User): boolean {
  return user.state === 'active' && !user.protected;
}

export function isShownTo(viewer: Viewer, user: User): boolean {
  if (isBlocked(viewer, user)) return false;
  return !user.protected || user === viewer || (viewer !== null && user.followers.has(viewer));
}

/** Returns true if one of two users blocks the other. Neither sees what the other writes and does. */
export function isBlocked(viewer: Viewer, user: User): boolean {
  return viewer !== null && (viewer.blocked.has(user) || viewer.blockedBy.has(user));
}

function blockedRefusal(id: string): Refusal {
  return new Refusal('blocked', 'One of you blocks the other, so this is hidden', { id });
}

/** Throws if only followers of `user` may see their lists. The profile itself is visible to everybody. */
export function checkShownTo(viewer: Viewer, user: User): void {
  if (isBlocked(viewer, user)) throw blockedRefusal(user.id);
  if (isShownTo(viewer, user)) return;
  throw new Refusal('protected', 'That user is protected: only followers can see this', { id: user.id });
}

export type HiddenReason = 'deleted' | 'author_suspended' | 'author_deleted' | 'protected' | 'blocked';

/** Returns why `viewer` may not see a tweet, or undefined if the viewer may. */
export function hiddenFrom(viewer: Viewer, tweet: SandboxTweet): HiddenReason | undefined {
  if (tweet.deleted) return 'deleted';
  const { author } = tweet;
  if (author.state === 'suspended') return 'author_suspended';
  if (author.state === 'deleted') return 'author_deleted';
  if (isBlocked(viewer, author)) return 'blocked';
  if (!isShownTo(viewer, author)) return 'protected';
  return undefined;
}

/** Returns an article that the viewer may read: its own, or a published one by an author whose tweets it may see. */
export function readableArticle(dataset: Dataset, viewer: Viewer, id: string): SandboxArticle {
  const article = dataset.articles.find(id);
  if (article?.author === viewer) return article;
  if (article === undefined || article.tweet === null) throw notFound('article', id);
  const hidden = hiddenFrom(viewer, article.tweet);
  if (hidden === 'blocked') throw blockedRefusal(id);
  if (hidden === 'protected') {
    throw new Refusal('protected', 'The author of that article is protected: only followers can see it', { id });
  }
  if (hidden === 'author_suspended') {
    throw new Refusal('user_suspended', 'The author of that article is suspended', { id });
  }
  if (hidden !== undefined) throw notFound('article', id);
  return article;
}

/** Returns an article of the actor. Throws `forbidden` for an article of another user. */
export function ownArticle(dataset: Dataset, actor: User, id: string): SandboxArticle {
  const article = readableArticle(dataset, actor, id);
  if (article.author === actor) return article;
  throw new Refusal('forbidden', 'Only its author can change an article', { id });
}
