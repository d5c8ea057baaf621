const LIFE_MS = 24 * 60 * 60 * 1000;

interface Remembered {
  readonly fingerprint: string;
  /** The id of the tweet, upload, article or chat event that the write created or changed. */
  readonly subjectId: string;
  readonly at: number;
}

/** Remembers the first result of each idempotency token for one day. */
export class IdempotencyTokens {
  /** Ordered by time, so that expired tokens come first. */
  #tokens = new Map<string, Remembered>();

  remember(actorId: string, token: string, fingerprint: string, subjectId: string, at: number): void {
    const key = `${actorId} ${token}`;
    this.#tokens.delete(key);
    this.#tokens.set(key, { fingerprint, subjectId, at });
  }

  find(actorId: string, token: string, now: number): Remembered | undefined {
    for (const [key, remembered] of this.#tokens) {
      if (remembered.at + LIFE_MS > now) break;
      this.#tokens.delete(key);
    }
    return this.#tokens.get(`${actorId} ${token}`);
  }

  clear(): void {
    this.#tokens = new Map();
  }
}
