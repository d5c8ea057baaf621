const LIFE_MS = 24 * 60 * 60 * 1000;

interface Remembered {
  readonly fingerprint: string;
  /** What the write was about: a tweet, an upload, an article or an event of a conversation. */
  readonly subjectId: string;
  readonly at: number;
}

/** The first result of each token, for a day. */
export class IdempotencyTokens {
  /** In the order of their time, so that the expired are at the front. */
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
