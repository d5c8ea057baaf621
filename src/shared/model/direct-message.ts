import { z } from 'zod';
import { byteCount, count, isoTime, numericId, userId, userName } from './scalars.ts';

export const conversationId = z
  .string()
  .regex(/^\d{1,20}:\d{1,20}$/, 'must be <user_id>:<user_id>')
  .meta({ description: "The platform's id of the conversation.", examples: ['1089000000:1789000000'] });

export const messageId = z.string().meta({ description: 'Id of the message, made by its sender.' });
export const seqId = numericId.meta({ description: 'Id of the message for edits, deletions and reactions.' });
export const senderId = numericId.meta({ description: "The platform's id of the sender." });
const fromMe = z.boolean().meta({ description: 'True if the actor is the sender.' });

export const participant = z
  .object({
    type: z.literal('user'),
    id: userId,
    userName,
    name: z.string().meta({ description: 'Name of the user.' }),
    url: z.string().nullable().meta({ description: 'Website of the user.' }),
    profilePicture: z.string().nullable().meta({ description: 'Address of the profile picture.' }),
    isVerified: z.boolean().meta({ description: 'True if the platform verified the account.' }),
    isBlueVerified: z.boolean().meta({ description: 'True for a premium account.' }),
    canDm: z.boolean().meta({ description: 'True if the actor may write to the user.' }),
    hasPublicKey: z.boolean().meta({ description: 'False if no message can be encrypted for the user.' }),
    createdAt: isoTime.meta({ description: 'When the account was created.' }),
  })
  .meta({ id: 'Participant', description: 'A user who takes part in a conversation.' });

const text = z.string().meta({ description: 'Empty if the message has no text, was deleted, or cannot be decrypted.' });
const createdAt = isoTime.meta({ description: 'When the message was sent.' });

const lastMessage = z.object({ text, sender_id: senderId, from_me: fromMe, seq_id: seqId, createdAt });

/** A conversation between two users (docs/direct-messages.md, Conversation). */
export const conversation = z
  .object({
    conversation_id: conversationId,
    type: z.string().meta({ description: 'Kind of the conversation, such as `one_to_one`.', examples: ['one_to_one'] }),
    is_muted: z.boolean().meta({ description: 'True if the actor muted the conversation.' }),
    has_more: z.boolean().meta({ description: 'True if there are older messages than the last one.' }),
    last_message: lastMessage.optional().meta({ description: 'Present if `encryption_code` was given.' }),
    participant_count: count,
    participants: z.array(participant).meta({ description: 'Both users.' }),
  })
  .meta({ id: 'Conversation', description: 'The end-to-end encrypted messages between two users.' });

export type Participant = z.infer<typeof participant>;
export type ConversationView = z.infer<typeof conversation>;

export const mediaHashKey = z.string().meta({ description: "The platform's key of the encrypted file." });
export const attachmentType = count.meta({ description: '1 image, 2 GIF, 3 video, 4 audio, 5 file, 6 SVG.' });
export const attachmentSize = byteCount.meta({ description: 'Size in bytes before encryption.' });
export const filename = z.string().meta({ description: 'Name of the file.' });

export const attachment = z
  .object({
    media_hash_key: mediaHashKey,
    type: attachmentType,
    filename,
    size: attachmentSize,
    width: count.nullable().meta({ description: 'Width in pixels.' }),
    height: count.nullable().meta({ description: 'Height in pixels.' }),
  })
  .meta({ id: 'Attachment', description: 'An encrypted file that came with a message.' });

export const reaction = z
  .object({
    emoji: z.string().meta({ description: 'The emoji.' }),
    sender_id: senderId,
    from_me: fromMe,
  })
  .meta({ description: 'A reaction to a message.' });

/** A message as its reader sees it (docs/direct-messages.md, Message). */
export const directMessage = z
  .object({
    message_id: messageId,
    seq_id: seqId,
    sender_id: senderId,
    from_me: fromMe,
    text,
    createdAt,
    edited: z.boolean().meta({ description: 'True if the text was edited.' }),
    deleted: z.boolean().meta({ description: 'True if the message was deleted, for both users or for the actor.' }),
    reactions: z.array(reaction).meta({ description: 'The reactions to the message.' }),
    attachment: attachment.nullable().meta({ description: 'The file that came with the message.' }),
    undecryptable: z
      .string()
      .nullable()
      .meta({ description: 'Why the message cannot be decrypted, such as `bad_signature`; its text is empty then.' }),
  })
  .meta({ id: 'DirectMessage', description: 'A direct message, decrypted with the encryption code.' });

export type AttachmentView = z.infer<typeof attachment>;
export type DirectMessage = z.infer<typeof directMessage>;
