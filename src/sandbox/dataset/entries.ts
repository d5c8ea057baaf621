import { applyChatEntry, type By, type ChatEntry, type Tokened } from '../chat/entries.ts';
import type { OAuthEntry } from '../oauth/grants.ts';
import { type ArticleEntry, applyArticleEntry } from './article-entries.ts';
import type { Dataset, NewUser } from './dataset.ts';
import { compareIds } from './snowflake.ts';
import type { User } from './types.ts';
import { mediaOf, uploadIdOf } from './uploads.ts';

export type PostMark = 'like' | 'unlike' | 'retweet' | 'unretweet' | 'bookmark' | 'unbookmark';
export type UserMark = 'follow' | 'request_follow' | 'unfollow' | 'block' | 'unblock' | 'mute' | 'unmute';

/**
 * A journal entry for an accepted write. A restart replays the entries of earlier versions, so fields may be added but
 * not removed or changed.
 */
export type Entry =
  | ChatEntry
  | (Tokened & {
      readonly kind: 'tweet';
      readonly id: string;
      readonly author: string;
      readonly text: string;
      readonly at: number;
      readonly replyTo?: string;
      readonly quoteOf?: string;
      /** The ids of attached uploads. */
      readonly media?: readonly string[];
      /** Set if the activity simulator created the tweet. */
      readonly unasked?: true;
    })
  | (By & { readonly kind: PostMark; readonly tweet: string })
  | (By & Tokened & { readonly kind: 'delete'; readonly tweet: string })
  | (By & { readonly kind: UserMark; readonly target: string })
  | (By &
      Tokened & {
        readonly kind: 'media';
        readonly id: string;
        readonly format: 'photo' | 'animated_gif' | 'video';
        readonly extension: string;
        readonly width: number;
        readonly height: number;
        readonly durationMs: number | null;
      })
  | (By & { readonly kind: 'describe_media'; readonly id: string; readonly text: string })
  | ArticleEntry
  | OAuthEntry
  | (By & { readonly kind: 'followers'; readonly count: number })
  | { readonly kind: 'accounts'; readonly accounts: readonly MintedAccount[]; readonly at: number }
  | {
      readonly kind: 'reset';
      readonly at: number;
      /**
       * Identifies the dataset that this reset creates. Cursors of earlier datasets have another mark, so they are
       * refused.
       */
      readonly mark?: string;
      /** The id of the last activity event before the reset. Later events get higher ids. */
      readonly lastEvent?: string;
    };

/**
 * An account created by a control call. Its credentials derive from its number. Older journals also contain the
 * encryption code, which is ignored.
 */
export interface MintedAccount {
  readonly id: string;
  readonly userName: string;
  readonly name: string;
  readonly token: string;
  /** False: the account has no chat keys until it enrolls. */
  readonly chatKeys?: false;
  readonly premium: boolean;
  readonly protected: boolean;
}

/** The first id of added followers. Created accounts with credentials have lower ids. */
const FIRST_FOLLOWER_ID = 2_100_000_000_000_000_000n;

/** Returns the label from which the credentials of a created account derive. `number` counts from 0. */
export function mintedLabel(number: number): string {
  return `minted:${number}`;
}

/**
 * Returns the idempotency token of an entry and the id of the tweet, upload, article or chat event that the entry
 * created or changed.
 */
export function tokenOf(entry: Entry) {
  if (entry.kind === 'chat_key' || entry.kind === 'chat_event') {
    const { user: actorId, token, fingerprint = '', seq: subjectId, at } = entry;
    return token === undefined ? undefined : { actorId, token, fingerprint, subjectId, at };
  }
  if (!('token' in entry) || entry.token === undefined) return undefined;
  const { token, fingerprint = '', at } = entry;
  const actorId = 'author' in entry ? entry.author : entry.user;
  const subjectId = 'tweet' in entry ? entry.tweet : 'article' in entry ? entry.article : entry.id;
  return { actorId, token, fingerprint, subjectId, at };
}

/**
 * Applies an entry to the dataset. Returns false and changes nothing if the entry refers to an object that does not
 * exist. This happens during a replay, because the seed of an older version made other users and tweets.
 */
export function applyEntry(dataset: Dataset, entry: Entry): boolean {
  switch (entry.kind) {
    case 'tweet': {
      const author = dataset.users.get(entry.author);
      const last = dataset.lastTweetId;
      if (author === undefined || (last !== undefined && compareIds(entry.id, last) <= 0)) return false;
      const tweet = dataset.addTweet({
        id: entry.id,
        author,
        text: entry.text,
        createdAt: entry.at,
        lang: 'en',
        source: 'Web App',
        replyTo: entry.replyTo === undefined ? undefined : dataset.tweet(entry.replyTo),
        quoteOf: entry.quoteOf === undefined ? undefined : dataset.tweet(entry.quoteOf),
        media: (entry.media ?? []).flatMap((id) => dataset.uploads.attach(id) ?? []).map(mediaOf),
        score: 0,
        createdByCall: entry.unasked !== true,
      });
      dataset.activity.recordTweet(tweet);
      return true;
    }
    case 'like':
    case 'unlike':
    case 'retweet':
    case 'unretweet':
    case 'bookmark':
    case 'unbookmark': {
      const user = dataset.users.get(entry.user);
      const tweet = dataset.tweet(entry.tweet);
      if (user === undefined || tweet === undefined) return false;
      const isNew = dataset[entry.kind](user, tweet, entry.at);
      if (isNew && (entry.kind === 'like' || entry.kind === 'retweet')) {
        dataset.activity.record(tweet.author, entry.kind, user, tweet, entry.at);
      }
      return true;
    }
    case 'delete': {
      const tweet = dataset.tweet(entry.tweet);
      if (tweet === undefined) return false;
      if (tweet.deleted) return true;
      dataset.remove(tweet);
      for (const media of tweet.media) dataset.uploads.release(uploadIdOf(media), entry.at);
      return true;
    }
    case 'follow':
    case 'request_follow':
    case 'unfollow':
    case 'block':
    case 'unblock':
    case 'mute':
    case 'unmute': {
      const user = dataset.users.get(entry.user);
      const target = dataset.users.get(entry.target);
      if (user === undefined || target === undefined) return false;
      if (entry.kind === 'request_follow') user.requested.add(target);
      else if (entry.kind === 'mute') user.muted.add(target);
      else if (entry.kind === 'unmute') user.muted.delete(target);
      else if (entry.kind !== 'follow') dataset[entry.kind](user, target);
      else if (dataset.follow(user, target)) dataset.activity.record(target, 'follow', user, null, entry.at);
      return true;
    }
    case 'media': {
      const owner = dataset.users.get(entry.user);
      if (owner === undefined) return false;
      const { id, extension, width, height, durationMs, at } = entry;
      dataset.uploads.add({ id, owner, kind: entry.format, extension, width, height, durationMs, idleSince: at });
      return true;
    }
    case 'describe_media': {
      const upload = dataset.uploads.shown(entry.id, entry.at);
      if (upload === undefined) return false;
      upload.altText = entry.text;
      return true;
    }
    case 'article':
    case 'edit_article':
    case 'publish_article':
    case 'unpublish_article':
    case 'delete_article':
      return applyArticleEntry(dataset, entry);
    case 'accounts':
      for (const { id, userName, name, token, premium, protected: isProtected, chatKeys } of entry.accounts) {
        const chatLabel = mintedLabel(dataset.minted++);
        const credentials = { token, chatLabel, hasChatKeys: chatKeys !== false };
        addAccount(dataset, entry.at, id, userName, name, { premium, protected: isProtected, ...credentials });
      }
      return true;
    case 'followers': {
      const user = dataset.users.get(entry.user);
      if (user === undefined) return false;
      for (let left = entry.count; left > 0; ) {
        const number = ++dataset.addedFollowers;
        const userName = `follower${number}`;
        if (dataset.userNamed(userName) !== undefined) continue;
        left--;
        const id = String(FIRST_FOLLOWER_ID + BigInt(number));
        dataset.follow(addAccount(dataset, entry.at, id, userName, `Follower ${number}`), user);
      }
      return true;
    }
    case 'chat_key':
    case 'chat_event':
    case 'chat_mute':
    case 'chat_unmute':
    case 'chat_public_keys':
    case 'chat_media':
      return applyChatEntry(dataset, entry);
    case 'oauth_grant':
    case 'oauth_client':
      return dataset.oauth.apply(dataset.users, entry);
    case 'reset':
      if (entry.lastEvent !== undefined) dataset.activity.continueAfter(entry.lastEvent);
      return true;
  }
}

/** Adds an account that a control call created. By default it has no credentials. */
function addAccount(
  dataset: Dataset,
  createdAt: number,
  id: string,
  screenName: string,
  name: string,
  more: Partial<Pick<NewUser, 'premium' | 'protected' | 'token' | 'chatLabel' | 'hasChatKeys'>> = {},
): User {
  return dataset.addUser({
    id,
    screenName,
    name,
    description: '',
    location: null,
    website: null,
    createdAt,
    verified: false,
    premium: false,
    verificationKind: null,
    avatar: null,
    banner: null,
    protected: false,
    openDms: true,
    state: 'active',
    token: null,
    chatLabel: null,
    hasChatKeys: false,
    ...more,
  });
}
