import { eventForm as chatEventForm } from '../chat/render-chat.ts';
import type { ActivityEvent } from './activity.ts';

/** The wire form, as JSON text. */
export function eventsJson(events: readonly ActivityEvent[]): string {
  return JSON.stringify(events.map(eventForm));
}

function eventForm({ id, type, at, actor, tweet, chat }: ActivityEvent) {
  return {
    id,
    type,
    created_at: new Date(at).toISOString(),
    actor: { id: actor.id, screen_name: actor.screenName, name: actor.name },
    tweet: tweet && {
      id: tweet.id,
      text: tweet.text,
      in_reply_to_id: tweet.replyTo?.tweetId ?? null,
      quoted_tweet_id: tweet.quoteOf,
    },
    ...(chat && {
      chat: {
        conversation_id: chat.conversation.id,
        from_me: chat.fromMe,
        ...chatEventForm(chat.event, isReadable(chat)),
      },
    }),
  };
}

/** Deleting a message for both sides removes the ciphertext of the message and of everything about it except the deletion. */
function isReadable({ conversation, event }: NonNullable<ActivityEvent['chat']>): boolean {
  if (event.kind === 'deletion') return true;
  return conversation.message(event.target ?? event.seqId)?.deletedForAll === false;
}
