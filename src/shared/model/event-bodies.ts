import { z } from 'zod';
import { attachment } from './direct-message.ts';
import { type EventType, eventTypes } from './event.ts';
import { numericId, tweetId } from './scalars.ts';

const id = z.string().meta({
  description: 'The id of the event. It is the same on every retry and replay.',
  examples: ['evt_q5gY39RwgUpV-FKEfZU8ZRdN'],
});
const at = z.string().meta({ description: 'When it happened, ISO 8601.', examples: ['2026-11-21T09:26:41.000Z'] });

const authored = {
  tweet_id: tweetId,
  text: z.string().meta({ description: 'The text of the tweet.' }),
  author_id: numericId.meta({ description: "The platform's id of the author." }),
  author_screen_name: z.string().meta({ description: 'Screen name of the author.', examples: ['grace'] }),
  author_name: z.string().meta({ description: 'Name of the author.', examples: ['Grace'] }),
};

const actors = {
  actor_ids: z.array(numericId).meta({ description: "The platform's ids of the users who did it." }),
  actor_screen_names: z
    .array(z.string())
    .meta({ description: 'Screen names of the users who did it, in the same order.' }),
};

const message = {
  // Message events have microseconds (docs/webhooks.md, Events).
  created_at: at.meta({
    description: 'When it happened, ISO 8601 with microseconds.',
    examples: ['2026-11-21T09:26:41.705000Z'],
  }),
  conversation_id: z.string().meta({ description: 'The conversation.', examples: ['1089000000:1789000000'] }),
  message_id: z.string().meta({ description: 'Id of the message, made by its sender.' }),
  seq_id: z.string().meta({ description: 'The position among all events of the platform’s conversations.' }),
  sender_id: numericId.meta({ description: "The platform's id of the sender." }),
  from_me: z.boolean().meta({ description: 'True if the account of the webhook or stream is the sender.' }),
};

const undecryptable = z
  .string()
  .optional()
  .meta({
    description:
      'Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. ' +
      '`text` or `emoji` is empty then. Left out if the event was opened.',
  });
const target_seq_id = z.string().meta({ description: '`seq_id` of the message that the event is about.' });
const text = z.string().meta({ description: 'The text of the message.' });
const emoji = z.string().meta({ description: 'The reaction.', examples: ['❤️'] });

const { type, filename, size } = attachment.shape;

export const eventAttachment = z
  .strictObject({ type, filename, size })
  .meta({ id: 'EventAttachment', description: 'A file that came with a message, as its sender describes it.' });

const newMessage = {
  ...message,
  text,
  attachment: eventAttachment.optional().meta({
    description: 'The file that came with the message, as its sender describes it; left out if there is none.',
  }),
  undecryptable,
};

const reaction = { ...message, emoji, target_seq_id, undecryptable };

/** `message.reactionAdded` → `MessageReactionAddedEvent`: the name of the type in every description of events. */
export function eventTypeName(type: string): string {
  return `${type.replaceAll(/(?:^|\.)(\w)/g, (_match, letter: string) => letter.toUpperCase())}Event`;
}

function body<const Type extends EventType | 'webhook.test', Fields extends z.ZodRawShape>(
  type: Type,
  about: string,
  fields: Fields,
) {
  return z
    .strictObject({
      id,
      type: z.literal(type).meta({ description: 'The type of the event.' }),
      created_at: at,
      ...fields,
    })
    .meta({ id: eventTypeName(type), description: about });
}

/**
 * The bodies of all events (docs/webhooks.md, Events). Everything else that describes them derives from here: the
 * code that writes them, the types of `postern/webhooks`, GraphQL, schema/events.json, OpenAPI and AsyncAPI.
 */
export const eventBodies = {
  'message.received': body('message.received', 'A direct message is received.', newMessage),
  'message.sent': body('message.sent', 'A direct message is sent.', newMessage),
  'message.edited': body('message.edited', 'A direct message is edited.', {
    ...message,
    text,
    target_seq_id,
    undecryptable,
  }),
  'message.deleted': body('message.deleted', 'A direct message is deleted.', {
    ...message,
    target_seq_id,
    undecryptable,
  }),
  'message.reactionAdded': body('message.reactionAdded', 'A reaction is added to a direct message.', reaction),
  'message.reactionRemoved': body('message.reactionRemoved', 'A reaction is removed from a direct message.', reaction),
  'tweet.mention': body('tweet.mention', 'Someone mentions the account.', authored),
  'tweet.reply': body('tweet.reply', 'Someone replies to one of its tweets.', {
    ...authored,
    in_reply_to_id: numericId
      .nullable()
      .meta({ description: 'Id of the tweet that it answers, if the platform says.' }),
  }),
  'tweet.quote': body('tweet.quote', 'Someone quotes one of its tweets.', {
    ...authored,
    quoted_tweet_id: numericId.nullable().meta({ description: 'Id of the quoted tweet, if the platform says.' }),
  }),
  'tweet.like': body('tweet.like', 'Someone likes one of its tweets.', { tweet_id: tweetId, ...actors }),
  'tweet.retweet': body('tweet.retweet', 'Someone retweets one of its tweets.', { tweet_id: tweetId, ...actors }),
  'user.follow': body('user.follow', 'Someone follows the account.', actors),
  'webhook.test': body('webhook.test', 'Sent by `POST /webhooks/{id}/test`.', {
    webhook_id: z.string().meta({ description: 'The webhook.', examples: ['wh_Q5bX2m'] }),
  }),
} satisfies Record<EventType | 'webhook.test', z.ZodObject>;

/** The body of an event of this type, or of any. */
export type EventBody<Type extends keyof typeof eventBodies = keyof typeof eventBodies> = {
  [Each in Type]: z.output<(typeof eventBodies)[Each]>;
}[Type];

/** The body of any event that a stream can carry. */
export const streamedEvent = z.union(eventTypes.map((each) => eventBodies[each]));
