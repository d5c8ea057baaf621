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

/** Both parts of the cursor of a list that may move while it is read: a moment, and the place in its order. */
export interface GraphCursor {
  cursorId: string;
  graphSnapshotId: string;
}

export interface SealedConversation {
  id: string;
  /** Such as `one_to_one`. */
  kind: string;
  muted: boolean;
  hasMore: boolean;
  participants: Participant[];
  /** These two where they were asked for; else none, and `null`. */
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
  /** All of the conversation, oldest first. */
  keyChanges: PlacedKeyChange[];
}

/** Bytes that were sealed. Each opening may be other ones. */
export interface SealedMedia {
  size: number;
  open(): Readable;
}

/**
 * What can be asked of a platform that carries encrypted messages. It knows who writes to whom and when, and nothing of what;
 * what is sealed is the caller's affair. A conversation that is not established, or not the actor's, is `not_found`.
 */
export interface PlatformMessages {
  /** Newest message first, as of the moment of the first page. */
  conversations(request: {
    count: number;
    cursor: GraphCursor | null;
    withLastMessages: boolean;
  }): Promise<ConversationPage>;
  conversation(id: string): Promise<SealedConversation>;
  /** Newest first. */
  messages(conversationId: string, page: { count: number; cursor: string | null }): Promise<SealedMessagePage>;
  message(
    conversationId: string,
    seqId: string,
  ): Promise<{ message: PlacedMessage; keyChanges: readonly PlacedKeyChange[] }>;
  /** Of all of these, the oldest of each first; none of one who is unknown or has no chat keys. */
  publicKeys(userIds: readonly string[]): Promise<RegisteredChatKeys[]>;
  /** For an account that has none, else `conflict`. Registering the same again is no harm. */
  registerKeys(keys: Omit<RegisteredChatKeys, 'userId' | 'publicKeyVersion'>): Promise<RegisteredChatKeys[]>;
  /**
   * Begins a conversation (`previousVersion` null), or turns its key. `conflict` where somebody else did so meanwhile. What
   * comes back may be what the first attempt of the same write sealed.
   */
  changeKey(change: SealedEvent, version: string, previousVersion: string | null): Promise<PlacedKeyChange>;
  /** The same: what comes back may have been sealed by an earlier attempt. */
  send(
    event: SealedEvent,
    about: { kind: Exclude<SealedKind, 'key_change'>; targetSeqId: string | null; forAll: boolean },
  ): Promise<PlacedEvent>;
  /** Answers the `media_hash_key` under which participants find it. */
  uploadMedia(conversationId: string, media: SealedMedia): Promise<string>;
}
