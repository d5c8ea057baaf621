import type { Readable } from 'node:stream';
import type { Participant } from '../shared/model/direct-message.ts';
import type { Page } from '../shared/model/page.ts';
import type { PlacedEvent, RegisteredChatKeys } from '../shared/model/sealed-event.ts';

export interface ChatConversation {
  id: string;
  /** The kind of conversation, such as `one_to_one`. */
  kind: string;
  muted: boolean;
  /** True if there are older messages than the last one. False if the platform does not tell. */
  hasMore: boolean;
  participants: Participant[];
}

export interface ConversationPage extends Page<ChatConversation> {
  viewerId: string;
  hasMessageRequests: boolean;
}

/** A page of the events of a conversation, newest first. */
export interface EventPage extends Page<PlacedEvent> {
  /** The key changes that these events need, as `PlacedEvent.encoded`. */
  keyChanges: readonly string[];
}

/** Encrypted media for upload. Each call of `open` may encrypt the file again and return different bytes. */
export interface SealedMedia {
  size: number;
  open(): Readable;
}

/** A message, an edit or a reaction: Thrift structs in base64. A platform keeps only one event of each message id. */
export interface SealedMessage {
  messageId: string;
  conversationId: string;
  createEvent: string;
  signature: string;
}

/** An event whose content the platform reads. `detail` is the signed Thrift struct in base64. */
export interface SignedAction {
  messageId: string;
  conversationId: string;
  detail: string;
  signature: string;
  publicKeyVersion: string;
  signatureVersion: string;
}

export interface SealedKeyChange extends SignedAction {
  version: string;
  /** The key, encrypted for each participant. */
  copies: readonly { userId: string; publicKeyVersion: string; encryptedKey: string }[];
}

export interface SignedDeletion extends SignedAction {
  sequenceIds: readonly string[];
  forAll: boolean;
}

/**
 * The messaging operations of a platform. The platform knows the sender, recipient and time of each message, but it
 * stores encrypted content only. All methods throw `not_found` if the conversation does not exist or the actor does not
 * take part in it. Conversation ids have their canonical form.
 */
export interface PlatformMessages {
  /** Returns one-to-one conversations, ordered by their newest event. */
  conversations(page: { count: number; cursor: string | null }): Promise<ConversationPage>;
  /** Returns events of all kinds, newest first. A page may have fewer events than `count`. */
  events(conversationId: string, page: { count: number; cursor: string | null }): Promise<EventPage>;
  /** Returns the public keys of these users, oldest first. Users who do not exist or have no chat keys are left out. */
  publicKeys(userIds: readonly string[]): Promise<RegisteredChatKeys[]>;
  /**
   * Starts a conversation or replaces its key. Returns the sequence id of the change. Throws `conflict` if another client
   * has changed the key to this version or a newer one.
   */
  changeKey(change: SealedKeyChange): Promise<string>;
  /**
   * Sends a message, an edit or a reaction. Returns the event as `PlacedEvent.encoded`. A repeated write returns the event
   * of the first attempt.
   */
  send(message: SealedMessage): Promise<string>;
  delete(deletion: SignedDeletion): Promise<void>;
  /** Uploads encrypted media. Returns the `media_hash_key` with which participants download it. */
  uploadMedia(conversationId: string, media: SealedMedia): Promise<string>;
}
