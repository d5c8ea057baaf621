import type { MessageEvent, PlatformEvent } from '../model/event.ts';
import type { OpenedMessage } from './message-opener.ts';

type OpenEvent = Exclude<PlatformEvent, MessageEvent>;

/** The JSON of an event (SPEC.md, Payload shapes; DECISIONS.md has those of the other types). */
export function eventBody(id: string, event: OpenEvent): string {
  return JSON.stringify({ id, type: event.type, created_at: event.createdAt, ...fieldsOf(event) });
}

function fieldsOf({ type, actor, tweet }: OpenEvent): Record<string, unknown> {
  const actors = { actor_ids: [actor.id], actor_screen_names: [actor.userName] };
  if (tweet === null) return actors;
  if (type === 'tweet.like' || type === 'tweet.retweet') return { tweet_id: tweet.id, ...actors };
  return {
    tweet_id: tweet.id,
    text: tweet.text,
    author_id: actor.id,
    author_screen_name: actor.userName,
    author_name: actor.name,
    ...(type === 'tweet.reply' && { in_reply_to_id: tweet.inReplyToId }),
    ...(type === 'tweet.quote' && { quoted_tweet_id: tweet.quotedTweetId }),
  };
}

/** The same for a message that was opened. The same event makes the same bytes, whoever opened it. */
export function messageBody(id: string, event: MessageEvent, opened: OpenedMessage): string {
  const { text, emoji, attachment, undecryptable } = opened;
  const { type, message, fromMe } = event;
  const isReaction = type === 'message.reactionAdded' || type === 'message.reactionRemoved';
  return JSON.stringify({
    id,
    type,
    created_at: withMicroseconds(event.createdAt),
    conversation_id: message.conversationId,
    message_id: message.messageId,
    seq_id: message.seqId,
    sender_id: message.senderId,
    from_me: fromMe,
    ...(type !== 'message.deleted' && !isReaction && { text }),
    ...(attachment !== null && { attachment }),
    ...(isReaction && { emoji }),
    ...(message.targetSeqId !== null && { target_seq_id: message.targetSeqId }),
    ...(undecryptable !== null && { undecryptable }),
  });
}

/** SPEC.md has them for messages; the platform tells milliseconds. */
function withMicroseconds(time: string): string {
  return time.replace(/(\.\d{3})Z$/, '$1000Z');
}
