import type { Readable } from 'node:stream';
import type { Participant } from '../shared/model/direct-message.ts';
import type { Page } from '../shared/model/page.ts';
import type {
  PlacedEvent,
  PlacedKeyChange,
  PlacedMessage,
  RegisteredChatKeys,
  SealedEvent,
  SealedKind,
} from '../shared/model/sealed-event.ts';

/** The cursor of a list that changes while it is read: a snapshot of the order, and a position in it. */
export interface GraphCursor {
  cursorId: string;
  graphSnapshotId: string;
}

export interface SealedConversation {
  id: string;
  /** For example `one_to_one`. */
  kind: string;
  muted: boolean;
  hasMore: boolean;
  participants: Participant[];
  /** Empty, and `lastMessage` null, unless the call asked for last messages. */
  keyChanges: PlacedKeyChange[];
  lastMessage: PlacedMessage | null;
}

export interface ConversationPage {
  viewerId: string;
  hasMessageRequests: boolean;
  conversations: SealedConversation[];
  cursor: GraphCursor | null;
}

export interface SealedMessagePage extends Page<PlacedMessage> {
  /** All key changes of the conversation, oldest first. */
  keyChanges: PlacedKeyChange[];
}

/** Encrypted bytes. Each call of `open` may encrypt anew and give other bytes. */
export interface SealedMedia {
  size: number;
  open(): Readable;
}

/**
 * The encrypted messages of a platform. The platform knows who writes to whom and when. It cannot read the content, which the
 * caller encrypts. All methods throw `not_found` for a conversation that does not exist or does not include the actor.
 */
export interface PlatformMessages {
  /** Returns conversations by their newest message. All pages have the order of the moment of the first page. */
  conversations(request: {
    count: number;
    cursor: GraphCursor | null;
    withLastMessages: boolean;
  }): Promise<ConversationPage>;
  conversation(id: string): Promise<SealedConversation>;
  /** Returns messages, newest first. */
  messages(conversationId: string, page: { count: number; cursor: string | null }): Promise<SealedMessagePage>;
  message(
    conversationId: string,
    seqId: string,
  ): Promise<{ message: PlacedMessage; keyChanges: readonly PlacedKeyChange[] }>;
  /** Returns the keys of these users, oldest first. A user who is unknown or has no chat keys is left out. */
  publicKeys(userIds: readonly string[]): Promise<RegisteredChatKeys[]>;
  /** Registers the actor's keys. Throws `conflict` if the account has other keys. Idempotent for the same keys. */
  registerKeys(keys: Omit<RegisteredChatKeys, 'userId' | 'publicKeyVersion'>): Promise<RegisteredChatKeys[]>;
  /**
   * Starts a conversation (`previousVersion` null), or replaces its key. Throws `conflict` if somebody else did so first. A
   * repeated write returns the key change of the first attempt.
   */
  changeKey(change: SealedEvent, version: string, previousVersion: string | null): Promise<PlacedKeyChange>;
  /** Sends an event. A repeated write returns the event of the first attempt. */
  send(
    event: SealedEvent,
    about: { kind: Exclude<SealedKind, 'key_change'>; targetSeqId: string | null; forAll: boolean },
  ): Promise<PlacedEvent>;
  /** Returns the `media_hash_key` with which participants read the media. */
  uploadMedia(conversationId: string, media: SealedMedia): Promise<string>;
}
