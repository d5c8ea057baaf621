import { canonicalConversationId } from '../../shared/model/conversation-id.ts';
import {
  type LikeEvent,
  type PlatformEvent,
  type RetweetEvent,
  type TweetEventType,
  tweetEventTypes,
} from '../../shared/model/event.ts';
import { pageLimits } from '../http/answer.ts';
import { flag, InvalidResponseError, id, list, nullable, object, readIsoTime, text, type Wire } from '../http/wire.ts';
import type { ActivityPage } from '../port.ts';
import type { XBody } from '../x/client.ts';
import { maxEventLength, messageEvent, readEvent as readChatEvent } from '../x/messages.ts';

const tweetTypes = new Map<unknown, TweetEventType>([
  ['mention', 'tweet.mention'],
  ['reply', 'tweet.reply'],
  ['quote', 'tweet.quote'],
]);

const reactionTypes = new Map<string, (LikeEvent | RetweetEvent)['type']>([
  ['like', 'tweet.like'],
  ['retweet', 'tweet.retweet'],
]);

/**
 * The maximum length of the text of an event in UTF-16 code units. 25,000 weighted characters have more only if they contain long URLs or
 * sequences of emoji. A longer text is cut instead of refused, because the cursor cannot move past a refused event.
 */
const maxTextLength = 25_000;
/** More than the types of any tweet. */
const maxTypes = 16;
/** The maximum length of names, in UTF-16 code units. The platform allows at most 50 characters. */
const maxNameLength = 200;
const maxCursorLength = 4_096;

/** Returns the limits of a page of events. */
export const eventLimits = (count: number) => pageLimits(count, maxEventLength);

/** Reads a page of at most `count` events. A longer page is refused, because its cursor is after the events that were not asked for. */
export function readActivity({ data, meta }: XBody, count: number): ActivityPage {
  const items = list(data, 'data');
  if (items.length > count) throw new InvalidResponseError('data has more items than the request allows');
  const events: PlatformEvent[] = [];
  for (const item of items) {
    const event = readEvent(object(item, 'data[]'));
    if (event !== null) events.push(event);
  }
  return { events, cursor: text(meta.next_token, 'next_token', maxCursorLength), gap: flag(meta.gap, 'gap') };
}

/** Converts an event. Returns `null` if its type is not known. */
function readEvent(event: Wire): PlatformEvent | null {
  const wireType = text(event.type, 'type');
  const type = tweetTypes.get(wireType);
  const reaction = reactionTypes.get(wireType);
  if (type === undefined && reaction === undefined && wireType !== 'follow' && wireType !== 'chat') return null;
  const actor = object(event.actor, 'actor');
  const happened = {
    id: id(event.id, 'id'),
    createdAt: readIsoTime(event.created_at, 'created_at'),
    actor: {
      id: id(actor.id, 'id'),
      userName: text(actor.screen_name, 'screen_name', maxNameLength),
      name: text(actor.name, 'name', maxNameLength),
    },
  };
  if (wireType === 'chat') return { ...happened, ...readChat(object(event.chat, 'chat')) };
  if (wireType === 'follow') return { ...happened, type: 'user.follow', tweet: null };
  const tweet = object(event.tweet, 'tweet');
  if (reaction !== undefined) return { ...happened, type: reaction, tweet: { id: id(tweet.id, 'id') } };
  if (type === undefined) return null;
  const types = [type, ...list(event.types ?? [], 'types', maxTypes).map((each) => tweetTypes.get(each))];
  return {
    ...happened,
    types: tweetEventTypes.filter((each) => types.includes(each)),
    tweet: {
      id: id(tweet.id, 'id'),
      text: cut(text(tweet.text, 'text', Number.POSITIVE_INFINITY)),
      inReplyToId: nullable(id, tweet.in_reply_to_id, 'in_reply_to_id'),
      quotedTweetId: nullable(id, tweet.quoted_tweet_id, 'quoted_tweet_id'),
    },
  };
}

/** Cuts a text before a surrogate pair that would be split. */
function cut(read: string): string {
  return read.length <= maxTextLength ? read : read.slice(0, maxTextLength).replace(/[\ud800-\udbff]$/, '');
}

function readChat(chat: Wire): ReturnType<typeof messageEvent> {
  const conversationId = canonicalConversationId(text(chat.conversation_id, 'conversation_id', maxNameLength));
  const event = conversationId === undefined ? null : readChatEvent(chat, conversationId);
  if (event === null) throw new InvalidResponseError('the message is not one of two users, or lacks a field');
  return messageEvent(event, flag(chat.from_me, 'from_me'));
}
