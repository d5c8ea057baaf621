/** A conversation's key: 32 bytes, and the version that events name it by (milliseconds since the epoch, in decimal). */
export interface ConversationKey {
  version: string;
  key: Uint8Array;
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
   * Takes a key out of a key change that was opened, and says whether it did. An older version is for reading alone and
   * never becomes `latest`; another key under a known version is not taken.
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

/** Versions are decimal numbers that may be too long for a `number`. */
export function isNewer(version: string, than: string): boolean {
  return BigInt(version) > BigInt(than);
}
