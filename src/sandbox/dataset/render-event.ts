import { eventForm as chatEventForm } from '../chat/render-chat.ts';
import type { ActivityEvent } from './activity.ts';
import type { User } from './types.ts';

/** Builds the JSON form of an activity event of a user. */
export function eventForm({ id, type, types, at, actor, tweet, chat }: ActivityEvent, viewer: User) {
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
      chat: { ...chatEventForm(chat.conversation, chat.event, viewer), from_me: chat.event.sender === viewer },
    }),
  };
}
