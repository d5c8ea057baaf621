import { z } from 'zod';
import { count, isoTime, numericId } from './scalars.ts';

export const conversationId = z
  .string()
  .regex(/^\d{1,20}:\d{1,20}$/, 'must be <user_id>:<user_id>')
  .meta({ examples: ['1089000000:1789000000'] });

const participant = z
  .object({
    type: z.literal('user'),
    id: numericId,
    userName: z.string(),
    name: z.string(),
    url: z.string().nullable(),
    profilePicture: z.string().nullable(),
    isVerified: z.boolean(),
    isBlueVerified: z.boolean(),
    canDm: z.boolean(),
    hasPublicKey: z.boolean().meta({ description: 'False: cannot be written to.' }),
    createdAt: isoTime,
  })
  .meta({ id: 'Participant' });

const lastMessage = z.object({
  text: z.string().meta({ description: 'Empty where it has none, was deleted, or cannot be opened.' }),
  sender_id: numericId,
  from_me: z.boolean(),
  seq_id: numericId,
  createdAt: isoTime,
});

/** SPEC.md, DM conversation. */
export const conversation = z
  .object({
    conversation_id: conversationId,
    type: z.string().meta({ examples: ['one_to_one'] }),
    is_muted: z.boolean(),
    has_more: z.boolean().meta({ description: 'There are older messages than the last.' }),
    last_message: lastMessage.optional().meta({ description: 'Where `encryption_code` was given.' }),
    participant_count: count,
    participants: z.array(participant),
  })
  .meta({ id: 'Conversation' });

export type Participant = z.infer<typeof participant>;
export type ConversationView = z.infer<typeof conversation>;

export const attachment = z
  .object({
    media_hash_key: z.string(),
    type: count.meta({ description: '1 image, 2 gif, 3 video, 4 audio, 5 file, 6 svg.' }),
    filename: z.string(),
    size: count.meta({ description: 'Bytes before they were sealed.' }),
    width: count.nullable(),
    height: count.nullable(),
  })
  .meta({ id: 'Attachment' });

/** A message as its reader sees it (DECISIONS.md, `dm/messages`). */
export const directMessage = z
  .object({
    message_id: z.string(),
    seq_id: numericId.meta({ description: 'Names it in edits, deletions and reactions.' }),
    sender_id: numericId,
    from_me: z.boolean(),
    text: z.string(),
    createdAt: isoTime,
    edited: z.boolean(),
    deleted: z.boolean(),
    reactions: z.array(z.object({ emoji: z.string(), sender_id: numericId, from_me: z.boolean() })),
    attachment: attachment.nullable(),
    undecryptable: z
      .string()
      .nullable()
      .meta({ description: 'Why it cannot be opened, such as `bad_signature`; its text is empty then.' }),
  })
  .meta({ id: 'DirectMessage' });

export type AttachmentView = z.infer<typeof attachment>;
export type DirectMessage = z.infer<typeof directMessage>;
