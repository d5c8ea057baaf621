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

/**
 * The cursor of a list that changes while a client pages through it. It consists of a snapshot of the order and a
 * position in it.
 */
export interface GraphCursor {
  cursorId: string;
  graphSnapshotId: string;
}

export interface SealedConversation {
  id: string;
  /** The kind of conversation, such as `one_to_one`. */
  kind: string;
  muted: boolean;
  hasMore: boolean;
  participants: Participant[];
  /** The key changes. Empty if the call did not ask for last messages. `lastMessage` is null in that case. */
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

/** Encrypted media for upload. Each call of `open` may encrypt the file again and return different bytes. */
export interface SealedMedia {
  size: number;
  open(): Readable;
}

/**
 * The messaging operations of a platform. The platform knows the sender, recipient and time of each message, but it
 * stores encrypted content only. All methods throw `not_found` if the conversation does not exist or the actor does not
 * take part in it.
 */
export interface PlatformMessages {
  /** Returns conversations, ordered by their newest message. All pages show the order at the time of the first page. */
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
  /** Returns the public keys of these users, oldest first. Users who do not exist or have no chat keys are left out. */
  publicKeys(userIds: readonly string[]): Promise<RegisteredChatKeys[]>;
  /**
   * Registers the actor's public keys. Throws `conflict` if the account has other keys. Registering the same keys again
   * succeeds.
   */
  registerKeys(keys: Omit<RegisteredChatKeys, 'userId' | 'publicKeyVersion'>): Promise<RegisteredChatKeys[]>;
  /**
   * Starts a conversation (`previousVersion` is null) or replaces its key. Throws `conflict` if another client did so
   * first. A repeated write returns the key change of the first attempt.
   */
  changeKey(change: SealedEvent, version: string, previousVersion: string | null): Promise<PlacedKeyChange>;
  /** Sends an event. A repeated write returns the event of the first attempt. */
  send(
    event: SealedEvent,
    about: { kind: Exclude<SealedKind, 'key_change'>; targetSeqId: string | null; forAll: boolean },
  ): Promise<PlacedEvent>;
  /** Uploads encrypted media. Returns the `media_hash_key` with which participants download it. */
  uploadMedia(conversationId: string, media: SealedMedia): Promise<string>;
}
