import { eventForm as chatEventForm } from '../chat/render-chat.ts';
import type { ActivityEvent } from './activity.ts';

/** Builds the JSON text of activity events. */
export function eventsJson(events: readonly ActivityEvent[]): string {
  return JSON.stringify(events.map(eventForm));
}

function eventForm({ id, type, types, at, actor, tweet, chat }: ActivityEvent) {
  return {
    id,
    type,
    ...(types && { types }),
    created_at: new Date(at).toISOString(),
    actor: { id: actor.id, screen_name: actor.screenName, name: actor.name },
    tweet: tweet && {
      id: tweet.id,
      text: tweet.text,
      in_reply_to_id: tweet.replyTo?.id ?? null,
      quoted_tweet_id: tweet.quoteOf?.id ?? null,
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

/**
 * Returns false if the message was deleted for both participants, because the deletion removes the encrypted content of
 * the message, its edits and its reactions.
 */
function isReadable({ conversation, event }: NonNullable<ActivityEvent['chat']>): boolean {
  if (event.kind === 'deletion') return true;
  return conversation.findMessage(event.target ?? event.seqId)?.deletedForAll === false;
}
