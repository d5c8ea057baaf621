/** An encrypted and signed event of a conversation, in base64, as the platform stores it. */
export interface SealedEvent {
  readonly messageId: string;
  readonly senderId: string;
  readonly conversationId: string;
  readonly detail: string;
  readonly signature: string;
}

/** The unencrypted type of an event. The platform needs it to deliver an edit or a reaction together with its message. */
export type SealedKind = 'message' | 'edit' | 'reaction_added' | 'reaction_removed' | 'deletion' | 'key_change';

/**
 * An event with the data that the platform adds. Only `sealed` is authenticated; all other fields are unverified claims of the platform.
 */
export interface PlacedEvent {
  readonly kind: SealedKind;
  readonly seqId: string;
  readonly messageId: string;
  readonly senderId: string;
  readonly conversationId: string;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  /** The `seqId` of the message that the event refers to. */
  readonly targetSeqId: string | null;
  /** The encrypted event; `null` if the event was deleted. */
  readonly sealed: SealedEvent | null;
}

/** A message with the later events that refer to it. */
export interface PlacedMessage extends PlacedEvent {
  /** Set if the message was deleted, either for both users or only for the reader. */
  readonly deleted: 'all' | 'self' | null;
  /** The events that refer to this message, oldest first. */
  readonly about: readonly PlacedEvent[];
}

/** A new conversation key, encrypted for each participant. */
export interface PlacedKeyChange extends PlacedEvent {
  readonly version: string;
}

/** Public chat keys as the platform returns them. They are not trusted until they are verified. */
export interface RegisteredChatKeys {
  readonly userId: string;
  readonly publicKeyVersion: string;
  readonly publicKey: string;
  readonly signingPublicKey: string;
  readonly identityPublicKeySignature: string;
  readonly signingPublicKeySignature: string;
}
