import {
  type EventType,
  isMessageEvent,
  isTweetEventType,
  type MessageEvent,
  type TypedEvent,
} from '../../shared/model/event.ts';
import type { EventBody } from '../../shared/model/event-bodies.ts';
import type { OpenedMessage } from './message-opener.ts';

/**
 * The stored form of an event. For a message it contains the platform's ciphertext, which streams decrypt with their own code, and the
 * body, if the code of a webhook has opened the message.
 */
export interface StoredEvent {
  body: string | null;
  message: MessageEvent | null;
}

/** Bodies are JSON objects, so no body starts with this prefix. */
const messagePrefix = 'message ';

export function packMessage(body: string | null, message: MessageEvent): string {
  return messagePrefix + JSON.stringify({ body, message });
}

export function unpackEvent(text: string): StoredEvent {
  return text.startsWith(messagePrefix)
    ? (JSON.parse(text.slice(messagePrefix.length)) as StoredEvent)
    : { body: text, message: null };
}

/** A message that was opened with the codes of some webhooks. */
export interface OpenedForWebhooks {
  type: EventType;
  body: string;
  /** The webhooks whose own code opened the message. */
  webhooks: ReadonlySet<string>;
}

/** An event of the platform before it is appended to the store. */
export interface NewEvent {
  id: string;
  type: string;
  body: string;
  /** The text that is encrypted and stored. `unpackEvent` parses it. */
  kept: string;
  createdAt: number;
  /** The webhooks that may receive the event; `null` for all webhooks. */
  only: ReadonlySet<string> | null;
}

/** `opened` is given if the code of a webhook has opened the message. */
export function newEvent(id: string, event: TypedEvent, opened: OpenedForWebhooks | undefined): NewEvent {
  const type = opened?.type ?? event.type;
  const createdAt = Date.parse(event.createdAt);
  if (!isMessageEvent(event)) {
    const body = JSON.stringify(eventBody(id, event));
    return { id, type, body, kept: body, createdAt, only: null };
  }
  const kept = packMessage(opened?.body ?? null, event);
  return { id, type, body: opened?.body ?? '', kept, createdAt, only: opened?.webhooks ?? new Set() };
}

/** Returns the tweet id of an event about a tweet by another user; `null` for other events. */
export function tweetOf(kept: string): string | null {
  if (kept.startsWith(messagePrefix)) return null;
  const { type, tweet_id } = JSON.parse(kept) as { type?: unknown; tweet_id?: string };
  return isTweetEventType(type) ? (tweet_id ?? null) : null;
}

/** The type of a stored event that informs live streams about missing earlier events. Webhooks do not receive it. */
export const gapType = 'gap';

export function gapEvent(id: string): Pick<NewEvent, 'id' | 'type' | 'kept'> {
  return {
    id,
    type: gapType,
    kept: JSON.stringify({ reason: 'The platform did not keep all events, so some are missing' }),
  };
}

export function readGap(kept: string): string {
  return (JSON.parse(kept) as { reason: string }).reason;
}

/** The maximum number of characters in one append. MongoDB first writes an append into one document, which is limited to 16 MiB. */
export const maxAppendChars = 4 * 1024 * 1024;

/**
 * Splits events, in their order, into parts that fit into one append. The events of a group stay together, because
 * each receiver gets only one of them. A group that exceeds the limit is a part of its own. Returns at least one part,
 * which may be empty.
 */
export function splitForAppend<Event extends { sealed: string }>(groups: readonly (readonly Event[])[]): Event[][] {
  let part: Event[] = [];
  let size = 0;
  const parts = [part];
  for (const group of groups) {
    const added = group.reduce((sum, { sealed }) => sum + sealed.length, 0);
    if (part.length > 0 && size + added > maxAppendChars) {
      part = [];
      parts.push(part);
      size = 0;
    }
    part.push(...group);
    size += added;
  }
  return parts;
}

type OpenEvent = Exclude<TypedEvent, MessageEvent>;

/** Returns the body of an event that is not a message. */
function eventBody(id: string, { type, createdAt: created_at, actor, tweet }: OpenEvent): EventBody {
  const actors = { actor_ids: [actor.id], actor_screen_names: [actor.userName] };
  if (type === 'user.follow') return { id, type, created_at, ...actors };
  if (type === 'tweet.like' || type === 'tweet.retweet') return { id, type, created_at, tweet_id: tweet.id, ...actors };
  const authored = {
    tweet_id: tweet.id,
    text: tweet.text,
    author_id: actor.id,
    author_screen_name: actor.userName,
    author_name: actor.name,
  };
  if (type === 'tweet.reply') return { id, type, created_at, ...authored, in_reply_to_id: tweet.inReplyToId };
  if (type === 'tweet.quote') return { id, type, created_at, ...authored, quoted_tweet_id: tweet.quotedTweetId };
  return { id, type, created_at, ...authored };
}

/** Returns the JSON body of an opened message. The same event always gives the same bytes, no matter which code opened it. */
export function messageBody(id: string, event: MessageEvent, opened: OpenedMessage): string {
  return JSON.stringify(openedBody(id, event, opened));
}

function openedBody(id: string, { createdAt, message, fromMe }: MessageEvent, opened: OpenedMessage): EventBody {
  const { type, text, emoji, attachment, undecryptable } = opened;
  const fields = {
    created_at: withMicroseconds(createdAt),
    conversation_id: message.conversationId,
    message_id: opened.messageId,
    seq_id: message.seqId,
    sender_id: message.senderId,
    from_me: fromMe,
  };
  const failure = undecryptable === null ? {} : { undecryptable };
  const [target_seq_id = ''] = opened.targetSeqIds;
  if (type === 'message.received' || type === 'message.sent') {
    return { id, type, ...fields, text, ...(attachment !== null && { attachment }), ...failure };
  }
  if (type === 'message.edited') return { id, type, ...fields, text, target_seq_id, ...failure };
  if (type === 'message.deleted') {
    return { id, type, ...fields, target_seq_id, target_seq_ids: [...opened.targetSeqIds], ...failure };
  }
  return { id, type, ...fields, emoji, target_seq_id, ...failure };
}

/** Message events have timestamps in microseconds (docs/webhooks.md, Events), but the platform sends milliseconds. */
function withMicroseconds(time: string): string {
  return time.replace(/(\.\d{3})Z$/, '$1000Z');
}
