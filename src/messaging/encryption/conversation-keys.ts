import type { RandomBytes } from './p256.ts';

/** Of XSalsa20-Poly1305, and of XChaCha20-Poly1305 for media. */
export const conversationKeyLength = 32;

/** A conversation's key: 32 bytes, and the version that events name it by (milliseconds since the epoch, in decimal). */
export interface ConversationKey {
  version: string;
  key: Uint8Array;
}

/** A new key. Its version is the time, as in the official SDK (0.4.3), and newer than `newerThan` whatever the clock says. */
export function newConversationKey(
  nowMs: number,
  newerThan: string | undefined,
  randomBytes: RandomBytes,
): ConversationKey {
  const now = BigInt(Math.floor(nowMs));
  const least = newerThan === undefined ? 0n : BigInt(newerThan) + 1n;
  const version = String(now > least ? now : least);
  return { version, key: Uint8Array.from(randomBytes(conversationKeyLength)) };
}

/** The keys of one conversation that a reader holds, by version. Older ones stay, to read what was sealed with them. */
export class ConversationKeys {
  readonly #keys = new Map<string, Uint8Array>();
  #latest: string | undefined;

  /** The newest: what is sealed from now on is sealed with it. Undefined while the conversation is not established. */
  get latest(): ConversationKey | undefined {
    const key = this.#latest === undefined ? undefined : this.#keys.get(this.#latest);
    return this.#latest === undefined || key === undefined ? undefined : { version: this.#latest, key };
  }

  get(version: string): Uint8Array | undefined {
    return this.#keys.get(version);
  }

  /**
   * Takes a key out of a key change that was opened, and says whether it is held now. An older version is for reading alone
   * and never becomes `latest`; another key under a known version is not taken.
   */
  adopt({ version, key }: ConversationKey): boolean {
    const known = this.#keys.get(version);
    if (known !== undefined) return Buffer.compare(known, key) === 0;
    this.#keys.set(version, Uint8Array.from(key));
    if (this.#latest === undefined || isNewer(version, this.#latest)) this.#latest = version;
    return true;
  }

  /** Overwrites the keys, and forgets them. */
  zeroise(): void {
    for (const key of this.#keys.values()) key.fill(0);
    this.#keys.clear();
    this.#latest = undefined;
  }
}

/** Versions are decimals that may be too long for a `number`: the longer one is the newer. */
export function isNewer(version: string, than: string): boolean {
  return version.length === than.length ? version > than : version.length > than.length;
}
