/**
 * End-to-end encryption of direct messages: the published XChat scheme, as the official `@xdevplatform/chat-xdk` 0.4.3 speaks
 * it. Pure functions: clock and randomness are handed in, nothing is kept or sent.
 *
 * It has no forward secrecy: who gets hold of an identity key can read all that was ever sealed for it.
 */
export { mayAct } from './authority.ts';
export { conversationIdOf, participantsOf } from './conversation-id.ts';
export { type ConversationKey, ConversationKeys } from './conversation-keys.ts';
export {
  type Attachment,
  type EventEnvelope as Envelope,
  type MediaType,
  type MessageAction as Action,
  type MessageContent as Content,
  mediaTypes,
  type OpenedEvent,
  type Placement,
  type SignedChatEvent as ChatEvent,
  type SignedEvent,
} from './event.ts';
export {
  type ChatKeys,
  exportChatKeys,
  fingerprintOf,
  generateChatKeys,
  importChatKeys,
  type KeyRegistration,
  registrationOf,
  type Self,
  zeroiseChatKeys,
} from './keys.ts';
export { MediaCorrupt, MediaHash, mediaHashKey, openMedia, sealedSize, sealMedia } from './media.ts';
export { openEvent, openEvents, type Reader } from './open.ts';
export { type OpenedContent as Opened, type OpenFailure, openFailures } from './opened.ts';
export type { KeyPair, RandomBytes } from './p256.ts';
export { type PeerKeys, Peers, type RegisteredKeys } from './peers.ts';
export { type Inspected, inspectEvent, placeEvent } from './placed.ts';
export { type SealedKeyChange as KeyChange, sealContent, sealKeyChange, signDelete } from './seal.ts';
export { SeenMessages } from './seen-messages.ts';
