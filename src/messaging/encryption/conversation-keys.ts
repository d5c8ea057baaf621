import type { RandomBytes } from './p256.ts';

/** The key length of XSalsa20-Poly1305, and of XChaCha20-Poly1305 for media. */
export const conversationKeyLength = 32;

/**
 * A key that encrypts a conversation: 32 bytes and a version. Events refer to the key by its version, a time in
 * milliseconds since the epoch in decimal.
 */
export interface ConversationKey {
  version: string;
  key: Uint8Array;
}

/** Creates a conversation key. Its version is the current time, as in the official SDK (0.4.3). */
export function newConversationKey(nowMs: number, randomBytes: RandomBytes): ConversationKey {
  return { version: String(Math.floor(nowMs)), key: Uint8Array.from(randomBytes(conversationKeyLength)) };
}

/** The keys of one conversation by version. Older keys are kept to decrypt older messages. */
export class ConversationKeys {
  readonly #keys = new Map<string, Uint8Array>();
  #latest: string | undefined;

  /** The newest key, which encrypts new messages. Undefined if the conversation has no key yet. */
  get latest(): ConversationKey | undefined {
    const key = this.#latest === undefined ? undefined : this.#keys.get(this.#latest);
    return this.#latest === undefined || key === undefined ? undefined : { version: this.#latest, key };
  }

  get(version: string): Uint8Array | undefined {
    return this.#keys.get(version);
  }

  /**
   * Adds a key from a decrypted key change. An older version can be used only to decrypt, and never becomes `latest`.
   * Returns false if another key already has this version.
   */
  adopt({ version, key }: ConversationKey): boolean {
    const known = this.#keys.get(version);
    if (known !== undefined) return Buffer.compare(known, key) === 0;
    this.#keys.set(version, Uint8Array.from(key));
    if (this.#latest === undefined || isNewer(version, this.#latest)) this.#latest = version;
    return true;
  }

  /** Overwrites the keys with zeros and removes them. */
  zeroise(): void {
    for (const key of this.#keys.values()) key.fill(0);
    this.#keys.clear();
    this.#latest = undefined;
  }
}

/**
 * Compares two versions. Versions may exceed the range of `number`, so they are compared by length first and then as
 * text.
 */
export function isNewer(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length;
}
