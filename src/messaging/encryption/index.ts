/**
 * End-to-end encryption of direct messages: the published XChat scheme, compatible with the official
 * `@xdevplatform/chat-xdk` 0.4.3. The functions are pure: callers pass in the time and the source of random bytes.
 *
 * The scheme has no forward secrecy: an identity key can decrypt all messages that were ever encrypted for it.
 */

export { canonicalConversationId, conversationIdOf, participantsOf } from '../../shared/model/conversation-id.ts';
export { type ConversationKey, ConversationKeys, conversationKeyLength } from './conversation-keys.ts';
export { MalformedError } from './encoding.ts';
export {
  type Attachment,
  type MediaType,
  type MessageContent as Content,
  mediaTypes,
  type OpenedEvent,
  type SignedChatEvent as ChatEvent,
  type SignedEvent,
} from './event.ts';
export {
  type ChatKeys,
  exportChatKeys,
  fingerprintOf,
  generateChatKeys,
  importChatKeys,
  registrationOf,
  type Self,
  zeroiseChatKeys,
} from './keys.ts';
export { sealedSize, sealMedia } from './media.ts';
export { encodeMessageEvent as placeEvent, envelopeOf } from './message-event.ts';
export { mayAct, SeenMessages } from './message-rules.ts';
export { isKeyChange, openEvent, type Reader } from './open.ts';
export { type OpenedContent as Opened, type OpenFailure, openFailures } from './opened.ts';
export type { RandomBytes } from './p256.ts';
export { Peers, type RegisteredKeys } from './peers.ts';
export {
  createEventOf,
  deletionIn,
  detailOfCreateEvent,
  keyChangeIn,
  signatureOf,
  signaturePartsOf,
} from './platform-forms.ts';
export { sealContent, sealKeyChange, signDelete } from './seal.ts';
