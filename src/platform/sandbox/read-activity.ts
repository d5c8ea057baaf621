import type { LikeEvent, MessageEvent, PlatformEvent, RetweetEvent, TweetEvent } from '../../shared/model/event.ts';
import type { SealedKind } from '../../shared/model/sealed-event.ts';
import type { ActivityPage } from '../port.ts';
import { readPlaced } from './read-messages.ts';
import { flag, id, list, nullable, object, readIsoTime, text, type Wire } from './wire.ts';

const tweetTypes = new Map<string, TweetEvent['type']>([
  ['mention', 'tweet.mention'],
  ['reply', 'tweet.reply'],
  ['quote', 'tweet.quote'],
]);

const reactionTypes = new Map<string, (LikeEvent | RetweetEvent)['type']>([
  ['like', 'tweet.like'],
  ['retweet', 'tweet.retweet'],
]);

/** Reads a page of up to `count` events. If the platform sends more, the others are left out and count as a gap. */
export function readActivity(body: Wire, count: number): ActivityPage {
  const events: PlatformEvent[] = [];
  const items = list(body.events, 'events');
  for (const item of items.slice(0, count)) {
    const event = readEvent(object(item, 'events[]'));
    if (event !== null) events.push(event);
  }
  const gap = flag(body.gap, 'gap') || items.length > count;
  return { events, cursor: text(body.next_cursor, 'next_cursor'), gap };
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
    actor: { id: id(actor.id, 'id'), userName: text(actor.screen_name, 'screen_name'), name: text(actor.name, 'name') },
  };
  if (wireType === 'chat') return { ...happened, ...readChat(object(event.chat, 'chat')) };
  if (wireType === 'follow') return { ...happened, type: 'user.follow', tweet: null };
  const tweet = object(event.tweet, 'tweet');
  if (reaction !== undefined) return { ...happened, type: reaction, tweet: { id: id(tweet.id, 'id') } };
  if (type === undefined) return null;
  return {
    ...happened,
    type,
    tweet: {
      id: id(tweet.id, 'id'),
      text: text(tweet.text, 'text'),
      inReplyToId: nullable(id, tweet.in_reply_to_id, 'in_reply_to_id'),
      quotedTweetId: nullable(id, tweet.quoted_tweet_id, 'quoted_tweet_id'),
    },
  };
}

const messageTypes: Record<Exclude<SealedKind, 'message' | 'key_change'>, MessageEvent['type']> = {
  edit: 'message.edited',
  deletion: 'message.deleted',
  reaction_added: 'message.reactionAdded',
  reaction_removed: 'message.reactionRemoved',
};

function readChat(chat: Wire): Pick<MessageEvent, 'type' | 'tweet' | 'message' | 'fromMe'> {
  const message = readPlaced(chat, text(chat.conversation_id, 'conversation_id'));
  const fromMe = flag(chat.from_me, 'from_me');
  const { kind } = message;
  const type =
    kind === 'message' || kind === 'key_change' ? (fromMe ? 'message.sent' : 'message.received') : messageTypes[kind];
  return { type, tweet: null, message, fromMe };
}
