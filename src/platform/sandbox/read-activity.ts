import type { MessageEvent, PlatformEvent, TweetEvent } from '../../shared/model/event.ts';
import type { SealedKind } from '../../shared/model/sealed-event.ts';
import type { ActivityPage } from '../port.ts';
import { readPlaced } from './read-messages.ts';
import { asWire, flag, id, isoTime, list, nullable, object, text, type Wire } from './wire.ts';

const tweetTypes = new Map<string, TweetEvent['type']>([
  ['mention', 'tweet.mention'],
  ['reply', 'tweet.reply'],
  ['quote', 'tweet.quote'],
  ['like', 'tweet.like'],
  ['retweet', 'tweet.retweet'],
]);

export function readActivity(body: Wire): ActivityPage {
  const events: PlatformEvent[] = [];
  for (const item of list(body, 'events')) {
    const event = readEvent(asWire(item, 'events[]'));
    if (event !== null) events.push(event);
  }
  return { events, cursor: text(body, 'next_cursor'), gap: flag(body, 'gap') };
}

/** Returns `null` for a type that this version does not know. */
function readEvent(event: Wire): PlatformEvent | null {
  const wireType = text(event, 'type');
  const type = tweetTypes.get(wireType);
  if (type === undefined && wireType !== 'follow' && wireType !== 'chat') return null;
  const actor = object(event, 'actor');
  const happened = {
    id: id(event, 'id'),
    createdAt: isoTime(event, 'created_at'),
    actor: { id: id(actor, 'id'), userName: text(actor, 'screen_name'), name: text(actor, 'name') },
  };
  if (wireType === 'chat') return { ...happened, ...readChat(object(event, 'chat')) };
  if (wireType === 'follow') return { ...happened, type: 'user.follow', tweet: null };
  if (type === undefined) return null;
  const tweet = object(event, 'tweet');
  return {
    ...happened,
    type,
    tweet: {
      id: id(tweet, 'id'),
      text: text(tweet, 'text'),
      inReplyToId: nullable(id, tweet, 'in_reply_to_id'),
      quotedTweetId: nullable(id, tweet, 'quoted_tweet_id'),
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
  const message = readPlaced(chat, text(chat, 'conversation_id'));
  const fromMe = flag(chat, 'from_me');
  const { kind } = message;
  const type =
    kind === 'message' || kind === 'key_change' ? (fromMe ? 'message.sent' : 'message.received') : messageTypes[kind];
  return { type, tweet: null, message, fromMe };
}
