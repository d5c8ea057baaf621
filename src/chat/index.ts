/**
 * End-to-end encryption of direct messages: the published XChat scheme. Pure functions: clock and randomness are handed
 * in, nothing is stored or sent. Signatures first; the functions follow.
 */
import type { ConversationKey, ConversationKeys } from './conversation-keys.ts';
import type { Content, OpenedEvent, Placement, SignedEvent } from './event.ts';
import type { Opened } from './opened.ts';

export { type ConversationKey, ConversationKeys } from './conversation-keys.ts';
export * from './event.ts';
export { type Opened, type OpenFailure, openFailures } from './opened.ts';

/** `Runtime.randomBytes`. */
export type RandomBytes = (length: number) => Uint8Array;

export interface KeyPair {
  /** The scalar, 32 bytes. */
  privateKey: Uint8Array;
  /** The point, uncompressed: 65 bytes (SEC 1, section 2.3.3). */
  publicKey: Uint8Array;
}

/** A user's two key pairs: conversation keys are wrapped to `identity`, events are signed with `signing`. */
export interface ChatKeys {
  identity: KeyPair;
  signing: KeyPair;
}

/** Somebody who seals, signs and opens: their keys, and the version that these were registered under. */
export interface Self {
  userId: string;
  publicKeyVersion: string;
  keys: ChatKeys;
}

export declare function generateChatKeys(randomBytes: RandomBytes): ChatKeys;
/** 64 bytes: both scalars, identity first. This is what a PIN protects. The caller zeroises it. */
export declare function exportChatKeys(keys: ChatKeys): Uint8Array;
/** Undefined where these are not two scalars of the curve (a wrong secret was recovered). Copies `raw`. */
export declare function importChatKeys(raw: Uint8Array): ChatKeys | undefined;
/** Overwrites private scalars. */
export declare function zeroiseChatKeys(keys: ChatKeys): void;

/** A user's public keys as the platform keeps them: base64 of SPKI (RFC 5280), signatures base64 of r ‖ s. */
export interface KeyRegistration {
  /** The identity key. */
  publicKey: string;
  signingPublicKey: string;
  /** The signing key's signature of the identity key. */
  identityPublicKeySignature: string;
  /** The identity key's signature of the signing key. */
  signingPublicKeySignature: string;
}

/** A registration as the platform gives it out. Nothing in it is to be believed before `Peers` has checked it. */
export interface RegisteredKeys extends KeyRegistration {
  userId: string;
  publicKeyVersion: string;
}

export declare function registrationOf(keys: ChatKeys): KeyRegistration;
/** What two people compare out of band: SHA-256 of the identity key (SPKI), base64url. Undefined for what is no key. */
export declare function fingerprintOf(publicKey: string): string | undefined;

/** Public keys whose binding was checked. Made by `Peers` alone. */
export interface PeerKeys {
  readonly userId: string;
  readonly publicKeyVersion: string;
  readonly identityKey: Uint8Array;
  readonly signingKey: Uint8Array;
}

/** The public keys of a conversation's participants, oneself included, each checked before its first use. */
export declare class Peers {
  constructor(registered: readonly RegisteredKeys[]);
  find(userId: string, publicKeyVersion: string): Opened<PeerKeys>;
  /** The newest keys of a user: a conversation key is wrapped to them. */
  newestOf(userId: string): Opened<PeerKeys>;
}

/** `<user_id>:<user_id>`, the smaller number first. */
export declare function conversationIdOf(one: string, other: string): string;
/** Both user ids, smaller first; undefined for what is no one-to-one conversation's id in its one spelling. */
export declare function participantsOf(conversationId: string): readonly [string, string] | undefined;

export interface KeyChange {
  event: SignedEvent;
  key: ConversationKey;
}

/**
 * A new conversation key, wrapped to both participants: it establishes a conversation, or turns its key.
 * `newerThan` is the version that the conversation has reached. Fails where a participant's keys are missing or unbound.
 */
export declare function sealKeyChange(
  self: Self,
  conversationId: string,
  peers: Peers,
  options: { nowMs: number; newerThan?: string; randomBytes: RandomBytes },
): Opened<KeyChange>;

/** Seals and signs a message, an edit, or a reaction. */
export declare function sealContent(
  self: Self,
  conversationId: string,
  key: ConversationKey,
  content: Content,
  randomBytes: RandomBytes,
): SignedEvent;

/** Signs a deletion. */
export declare function signDelete(
  self: Self,
  conversationId: string,
  deletion: { sequenceIds: readonly string[]; forAll: boolean },
  randomBytes: RandomBytes,
): SignedEvent;

/** What the platform does with a signed event: the `MessageEvent` that everybody is given, in base64. */
export declare function placeEvent(event: SignedEvent, placement: Placement): string;

export interface Reader {
  self: Self;
  conversationId: string;
  peers: Peers;
  keys: ConversationKeys;
  /** The key version that the conversation had reached before this event: an older one is a `downgrade`. None for history. */
  floor?: string;
}

/** Checks that the sender signed it, in this conversation, and opens it. Does not adopt the key of a key change. */
export declare function openEvent(raw: string, reader: Reader): OpenedEvent;
/** A page: its key changes first, whose keys `reader.keys` adopts, then the rest. One answer for each, in the same order. */
export declare function openEvents(raw: readonly string[], reader: Reader): OpenedEvent[];

/** Remembers message ids within one conversation; a repeated one is a replay, to be ignored. Feed it in sequence order. */
export declare class SeenMessages {
  isReplay(event: { senderId: string; messageId: string }): boolean;
}

/** Sealed media that was cut short, reordered, altered or sealed with another key. */
export declare class MediaCorrupt extends Error {}
/** Seals a file chunk by chunk (1 KiB), in bounded memory. A file is never empty. */
export declare function sealMedia(
  file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  key: Uint8Array,
  randomBytes: RandomBytes,
): AsyncGenerator<Uint8Array>;
/** Opens what `sealMedia` made. Throws `MediaCorrupt`; what was yielded before that is not the whole file. */
export declare function openMedia(
  sealed: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  key: Uint8Array,
): AsyncGenerator<Uint8Array>;
/** How many bytes `sealMedia` makes of `size`. */
export declare function sealedSize(size: number): number;
/** base64url of SHA-256 over the sealed bytes: the `media_hash_key`. */
export declare class MediaHash {
  update(sealed: Uint8Array): void;
  key(): string;
}
export declare function mediaHashKey(sealed: Uint8Array): string;
