/**
 * An event of a conversation as the platform returns it. Its kind is encrypted, so a message, an edit and a reaction look
 * alike until they are opened. All fields outside of `encoded` are unverified claims of the platform.
 */
export interface PlacedEvent {
  /** The id of the event. Later events of a conversation have higher ids. */
  readonly seqId: string;
  readonly senderId: string;
  /** In the canonical form of `conversation-id.ts`. */
  readonly conversationId: string;
  /** ISO 8601 with milliseconds. */
  readonly createdAt: string;
  /** The Thrift struct `MessageEvent` in base64. */
  readonly encoded: string;
}

/** Public chat keys as the platform returns them. They are not trusted until they are verified. */
export interface RegisteredChatKeys {
  readonly userId: string;
  readonly publicKeyVersion: string;
  readonly publicKey: string;
  readonly signingPublicKey: string;
  readonly identityPublicKeySignature: string;
  /** `null` if the platform does not return it. */
  readonly signingPublicKeySignature: string | null;
}
