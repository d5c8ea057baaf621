/** An event of a conversation as the platform carries it: encrypted and signed, in base64. */
export interface SealedEvent {
  readonly messageId: string;
  readonly senderId: string;
  readonly conversationId: string;
  readonly detail: string;
  readonly signature: string;
}

/** The unencrypted part of an event. With it the platform delivers an edit or reaction together with its message. */
export type SealedKind = 'message' | 'edit' | 'reaction_added' | 'reaction_removed' | 'deletion' | 'key_change';

/** An event with its place. Only the encrypted part is authenticated; the other fields are claims of the platform. */
export interface PlacedEvent {
  readonly kind: SealedKind;
  readonly seqId: string;
  readonly messageId: string;
  readonly senderId: string;
  readonly conversationId: string;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  /** `seqId` of the message that the event is about. */
  readonly targetSeqId: string | null;
  /** `null` if the event was deleted. */
  readonly sealed: SealedEvent | null;
}

/** A message with the later events about it. */
export interface PlacedMessage extends PlacedEvent {
  /** True if the message was deleted, for both users or for the reader only. */
  readonly deleted: 'all' | 'self' | null;
  /** Oldest first. */
  readonly about: readonly PlacedEvent[];
}

/** A new conversation key, encrypted for each participant. */
export interface PlacedKeyChange extends PlacedEvent {
  readonly version: string;
}

/** Public chat keys as the platform returns them. They are not trusted before they are verified. */
export interface RegisteredChatKeys {
  readonly userId: string;
  readonly publicKeyVersion: string;
  readonly publicKey: string;
  readonly signingPublicKey: string;
  readonly identityPublicKeySignature: string;
  readonly signingPublicKeySignature: string;
}
