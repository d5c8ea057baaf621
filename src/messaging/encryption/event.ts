import type { ConversationKey } from './conversation-keys.ts';
import type { OpenFailure } from './opened.ts';

/** What an attachment is, as the scheme numbers it (`MediaType` of the official SDK, 0.4.3). */
export const mediaTypes = { image: 1, gif: 2, video: 3, audio: 4, file: 5, svg: 6 } as const;

export type MediaType = (typeof mediaTypes)[keyof typeof mediaTypes];

/** A sealed file that a message points at. Every part of it is sealed and signed with the message. */
export interface Attachment {
  /** `mediaHashKey` of the sealed bytes: where the platform keeps them, and the proof that they are the ones meant. */
  mediaHashKey: string;
  type: MediaType;
  filename: string;
  /** Bytes before sealing. */
  size: number;
  width?: number;
  height?: number;
}

/** What a sender says, and nobody but the participants can read. */
export type MessageContent =
  | { kind: 'message'; text: string; attachments: readonly Attachment[] }
  | { kind: 'edit'; targetSequenceId: string; text: string }
  | { kind: 'reactionAdded' | 'reactionRemoved'; targetSequenceId: string; emoji: string };

/** What a sender says in the open: the platform has to act on it. It is signed all the same. */
export type MessageAction =
  | { kind: 'delete'; sequenceIds: readonly string[]; forAll: boolean }
  | { kind: 'keyChange'; key: ConversationKey };

/**
 * An event as its sender hands it to the platform. `detail` and `signature` are the Thrift structs `MessageEventDetail`
 * and `MessageEventSignature` in base64. Send the same one again when an attempt's outcome is unknown: its id is part
 * of what is signed.
 */
export interface SignedEvent {
  messageId: string;
  senderId: string;
  conversationId: string;
  detail: string;
  signature: string;
}

/** What the platform adds when it gives an event its place. Nobody signs it. */
export interface Placement {
  sequenceId: string;
  createdAtMs: number;
}

/** What an event says about itself. Believe `messageId`, `senderId` and `conversationId` only where it was opened. */
export interface EventEnvelope extends Placement {
  messageId: string;
  senderId: string;
  conversationId: string;
}

/** An event that its sender signed, opened. */
export type SignedChatEvent = EventEnvelope & (MessageContent | MessageAction);

/** An event of a page: opened, or the reason why not, beside what it says about itself where that can be read. */
export type OpenedEvent =
  | { readonly ok: true; readonly value: SignedChatEvent }
  | { readonly ok: false; readonly reason: OpenFailure; readonly envelope?: EventEnvelope };
