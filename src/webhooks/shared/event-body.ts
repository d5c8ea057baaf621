import type { MessageEvent, TypedEvent } from '../../shared/model/event.ts';
import type { EventBody } from '../../shared/model/event-bodies.ts';
import type { OpenedMessage } from './message-opener.ts';

type OpenEvent = Exclude<TypedEvent, MessageEvent>;

/** Returns the JSON body of an event that is not a message. */
export function eventBody(id: string, event: OpenEvent): string {
  return JSON.stringify(bodyOf(id, event));
}

function bodyOf(id: string, { type, createdAt: created_at, actor, tweet }: OpenEvent): EventBody {
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
  const said = {
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
    return { id, type, ...said, text, ...(attachment !== null && { attachment }), ...failure };
  }
  if (type === 'message.edited') return { id, type, ...said, text, target_seq_id, ...failure };
  if (type === 'message.deleted') {
    return { id, type, ...said, target_seq_id, target_seq_ids: [...opened.targetSeqIds], ...failure };
  }
  return { id, type, ...said, emoji, target_seq_id, ...failure };
}

/** Message events have timestamps in microseconds (docs/webhooks.md, Events), but the platform sends milliseconds. */
function withMicroseconds(time: string): string {
  return time.replace(/(\.\d{3})Z$/, '$1000Z');
}
