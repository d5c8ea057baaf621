import { mainSchema as listNotifications } from '@atcute/bluesky/types/app/notification/listNotifications';
import * as v from '@atcute/lexicons/validations';
import { type PlatformEvent, tweetEventTypes } from '../../shared/model/event.ts';
import { parseRecordUri } from './identifiers.ts';
import type { Ids } from './ids.ts';
import { matching } from './matching.ts';
import { postOf, referencesOf } from './post-references.ts';
import { collections } from './records.ts';

/**
 * The notifications that are events. All others are ignored: `like-via-repost`, `repost-via-repost`, `subscribed-post`,
 * `starterpack-joined`, `contact-match`, `verified`, `unverified`, and reasons that the network may add.
 */
const types = {
  mention: 'tweet.mention',
  reply: 'tweet.reply',
  quote: 'tweet.quote',
  like: 'tweet.like',
  repost: 'tweet.retweet',
  follow: 'user.follow',
} as const;

export const reasons = Object.keys(types);

const maxCursorBytes = 2_000;
const maxHandleBytes = 253;
const maxUriBytes = 8_192;

/**
 * `listNotifications` without the schema of a notification. One that does not match its lexicon must not make the rest
 * of the page unreadable.
 */
export const listRawNotifications = v.query('app.bsky.notification.listNotifications', {
  params: listNotifications.params,
  output: {
    type: 'lex',
    schema: v.object({
      cursor: v.optional(v.constrain(v.string(), [v.stringLength(0, maxCursorBytes)])),
      notifications: v.array(v.unknown()),
    }),
  },
});

/** The parts of a post that events contain, with the limits of `app.bsky.feed.post`. */
const postSchema = v.object({
  text: v.constrain(v.string(), [v.stringLength(0, 3_000), v.stringGraphemes(0, 300)]),
});

const notificationSchema = v.object({
  uri: v.constrain(v.resourceUriString(), [v.stringLength(0, maxUriBytes)]),
  reason: v.string(),
  reasonSubject: v.optional(v.constrain(v.resourceUriString(), [v.stringLength(0, maxUriBytes)])),
  author: v.object({
    did: v.didString(),
    handle: v.constrain(v.string(), [v.stringLength(0, maxHandleBytes)]),
    displayName: v.optional(v.constrain(v.string(), [v.stringLength(0, 640), v.stringGraphemes(0, 64)])),
  }),
  record: v.unknown(),
  indexedAt: v.datetimeString(),
});

/** A notification with its time, in milliseconds since the Unix epoch. */
export interface Notification {
  /** The at:// URI of the record that caused the notification, such as a like. */
  uri: string;
  at: number;
  reason: string;
  /** The URI of the record that was liked, reposted, quoted or replied to. */
  subject: string;
  author: { did: string; handle: string; displayName?: string | undefined };
  record: unknown;
}

/** Returns `null` if the notification does not match its lexicon. */
export function readNotification(raw: unknown): Notification | null {
  const parsed = matching(notificationSchema, raw);
  if (parsed === null) return null;
  const { reasonSubject: subject = '', indexedAt, ...rest } = parsed;
  const at = new Date(indexedAt).getTime();
  return Number.isNaN(at) ? null : { ...rest, subject, at };
}

/**
 * Returns the event of a notification for the account `did`, or `null` if there is none. A notification has only one
 * reason, so the other event types are derived from the post. Call `ids.save` as for `Ids.ofUser`.
 */
export function readEvent(
  { uri, at, reason, subject, author, record }: Notification,
  did: string,
  ids: Ids,
): PlatformEvent | null {
  const actorId = ids.ofUser(author.did);
  if (actorId === null) return null;
  const happened = {
    id: uri,
    createdAt: new Date(at).toISOString(),
    actor: { id: actorId, userName: author.handle, name: author.displayName || author.handle },
  };
  switch (reason) {
    case 'follow':
      return { ...happened, type: types[reason], tweet: null };
    case 'like':
    case 'repost': {
      // Feeds and lists can be liked too.
      if (parseRecordUri(subject)?.collection !== collections.post) return null;
      const id = ids.ofRecord(subject);
      return id === null ? null : { ...happened, type: types[reason], tweet: { id } };
    }
    case 'mention':
    case 'reply':
    case 'quote': {
      const post = matching(postSchema, record);
      const id = ids.ofRecord(uri);
      if (post === null || id === null) return null;
      const { parent, quoted, mentioned } = referencesOf(record);
      const [replied, quotedPost] = [postOf(parent), postOf(quoted ?? (reason === 'quote' ? subject : ''))];
      const applies = {
        'tweet.reply': replied?.did === did,
        'tweet.quote': quotedPost?.did === did,
        'tweet.mention': mentioned.includes(did),
      };
      return {
        ...happened,
        types: tweetEventTypes.filter((type) => type === types[reason] || applies[type]),
        tweet: {
          id,
          text: post.text,
          inReplyToId: replied && ids.ofRecord(replied.uri),
          quotedTweetId: quotedPost && ids.ofRecord(quotedPost.uri),
        },
      };
    }
    default:
      return null;
  }
}
