import { z } from 'zod';
import { attachment } from './direct-message.ts';
import type { EventType } from './event.ts';
import { numericId } from './scalars.ts';

const at = z.string().meta({ description: 'ISO 8601.', examples: ['2026-11-21T09:26:41.000Z'] });
/** Of messages: microseconds, as SPEC.md has it. */
const finely = at.meta({ description: 'ISO 8601, with microseconds.', examples: ['2026-11-21T09:26:41.705000Z'] });
const id = z.string().meta({ description: 'The same on every retry and replay.' });

const authored = {
  tweet_id: numericId,
  text: z.string(),
  author_id: numericId,
  author_screen_name: z.string(),
  author_name: z.string(),
};

const actors = { actor_ids: z.array(numericId), actor_screen_names: z.array(z.string()) };

const message = {
  created_at: finely,
  conversation_id: z.string(),
  message_id: z.string(),
  seq_id: z.string(),
  sender_id: numericId,
  from_me: z.boolean(),
  undecryptable: z.string().optional().meta({
    description:
      'Why the event cannot be opened, such as `bad_signature`; `deleted` if the message was deleted before it was read. `text` or `emoji` is empty then.',
  }),
};

const { type, filename, size } = attachment.shape;

const newMessage = {
  ...message,
  text: z.string(),
  attachment: z.strictObject({ type, filename, size }).optional().meta({
    description: 'The file that came with the message, as its sender describes it; left out if there is none.',
  }),
};

function body<Fields extends z.ZodRawShape>(type: EventType | 'webhook.test', about: string, fields: Fields) {
  return z
    .strictObject({ id, type: z.literal(type), created_at: at, ...fields })
    .meta({ title: type, description: about });
}

/** The bodies of all events (SPEC.md, Payload shapes; DECISIONS.md). */
export const eventBodies = {
  'message.received': body('message.received', 'A direct message is received.', newMessage),
  'message.sent': body('message.sent', 'A direct message is sent.', newMessage),
  'message.edited': body('message.edited', 'A direct message is edited.', {
    ...{ ...message, text: z.string(), target_seq_id: z.string() },
  }),
  'message.deleted': body('message.deleted', 'A direct message is deleted.', { ...message, target_seq_id: z.string() }),
  'message.reactionAdded': body('message.reactionAdded', 'A reaction is added to a direct message.', {
    ...{ ...message, emoji: z.string(), target_seq_id: z.string() },
  }),
  'message.reactionRemoved': body('message.reactionRemoved', 'A reaction is removed from a direct message.', {
    ...{ ...message, emoji: z.string(), target_seq_id: z.string() },
  }),
  'tweet.mention': body('tweet.mention', 'Someone mentions the account.', authored),
  'tweet.reply': body('tweet.reply', 'Someone replies to its tweet.', {
    ...authored,
    in_reply_to_id: numericId.nullable(),
  }),
  'tweet.quote': body('tweet.quote', 'Someone quotes its tweet.', {
    ...authored,
    quoted_tweet_id: numericId.nullable(),
  }),
  'tweet.like': body('tweet.like', 'Someone likes its tweet.', { tweet_id: numericId, ...actors }),
  'tweet.retweet': body('tweet.retweet', 'Someone retweets it.', { tweet_id: numericId, ...actors }),
  'user.follow': body('user.follow', 'Someone follows the account.', actors),
  'webhook.test': body('webhook.test', 'Sent by POST /webhooks/{id}/test.', { webhook_id: z.string() }),
} satisfies Record<EventType | 'webhook.test', z.ZodObject>;

/** The same as one JSON Schema (draft 2020-12): any body is one of them. */
export function eventSchema(): object {
  const oneOf = Object.values(eventBodies).map((each) => {
    const { $schema: _schema, ...schema } = z.toJSONSchema(each);
    return schema;
  });
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Postern events',
    description:
      'What a webhook is sent, and what GET /v1/events streams. Message events come where an encryption_code was given.',
    oneOf,
  };
}
