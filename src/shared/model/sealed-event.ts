/** What somebody said in a conversation, as the platform carries it: sealed and signed, in base64. */
export interface SealedEvent {
  readonly messageId: string;
  readonly senderId: string;
  readonly conversationId: string;
  readonly detail: string;
  readonly signature: string;
}

/** What the platform is told of an event, so that it can bring it along with what it is about. */
export type SealedKind = 'message' | 'edit' | 'reaction_added' | 'reaction_removed' | 'deletion' | 'key_change';

/** An event with its place. All but the sealed part is the platform's word alone. */
export interface PlacedEvent {
  readonly kind: SealedKind;
  readonly seqId: string;
  readonly messageId: string;
  readonly senderId: string;
  readonly conversationId: string;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  /** `seqId` of the message that it is about. */
  readonly targetSeqId: string | null;
  /** `null` where it was deleted. */
  readonly sealed: SealedEvent | null;
}

/** A message, and what was said of it since. */
export interface PlacedMessage extends PlacedEvent {
  /** For both sides, or for the reader alone. */
  readonly deleted: 'all' | 'self' | null;
  /** Oldest first. */
  readonly about: readonly PlacedEvent[];
}

/** A new conversation key, sealed to each participant. */
export interface PlacedKeyChange extends PlacedEvent {
  readonly version: string;
}

/** Public chat keys as the platform gives them out. Nothing in them is to be believed unchecked. */
export interface RegisteredChatKeys {
  readonly userId: string;
  readonly publicKeyVersion: string;
  readonly publicKey: string;
  readonly signingPublicKey: string;
  readonly identityPublicKeySignature: string;
  readonly signingPublicKeySignature: string;
}
