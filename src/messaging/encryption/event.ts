import type { ConversationKey } from './conversation-keys.ts';
import type { OpenFailure } from './opened.ts';

/** The types of attachments, with their numbers in `MediaType` of the official SDK (0.4.3). */
export const mediaTypes = { image: 1, gif: 2, video: 3, audio: 4, file: 5, svg: 6 } as const;

export type MediaType = (typeof mediaTypes)[keyof typeof mediaTypes];

/** An encrypted file that a message refers to. All these fields are encrypted and signed with the message. */
export interface Attachment {
  /** The id of the encrypted file, which the platform chooses. */
  mediaHashKey: string;
  type: MediaType;
  filename: string;
  /** The size of the file before encryption, in bytes. */
  size: number;
  width?: number;
  height?: number;
}

/** The content of a message, edit or reaction, which only the participants can decrypt. */
export type MessageContent =
  | { kind: 'message'; text: string; attachments: readonly Attachment[] }
  | { kind: 'edit'; targetSequenceId: string; text: string }
  | { kind: 'reactionAdded' | 'reactionRemoved'; targetSequenceId: string; emoji: string };

/** An event whose fields the platform must be able to read. The fields are signed, but not encrypted. */
export type MessageAction =
  | { kind: 'delete'; sequenceIds: readonly string[]; forAll: boolean }
  | { kind: 'keyChange'; key: ConversationKey };

/**
 * An encrypted and signed event. `detail` and `signature` are the Thrift structs `MessageEventDetail` and
 * `MessageEventSignature` in base64. If the outcome of sending an event is unknown, send the same event again, because
 * its signed id lets the platform detect the repetition.
 */
export interface SignedEvent {
  messageId: string;
  senderId: string;
  conversationId: string;
  detail: string;
  signature: string;
}

/** The fields that the platform adds to an event. They are not signed. */
export interface Placement {
  sequenceId: string;
  createdAtMs: number;
}

/**
 * The identifying fields of an event. `messageId`, `senderId` and `conversationId` are verified only after the event
 * was opened.
 */
export interface EventEnvelope extends Placement {
  messageId: string;
  senderId: string;
  conversationId: string;
}

/** An event that was verified and decrypted. */
export type SignedChatEvent = EventEnvelope & (MessageContent | MessageAction);

/**
 * The result of opening an event: the event, or the reason why it cannot be opened. The reason comes with the
 * unverified fields of the event, if they can be read.
 */
export type OpenedEvent =
  | { readonly ok: true; readonly value: SignedChatEvent }
  | { readonly ok: false; readonly reason: OpenFailure; readonly envelope?: EventEnvelope };
