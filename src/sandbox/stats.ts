/** Counts of requests and writes since the start or the last reset. */
export class Stats {
  #requests = new Map<string, number>();
  tweetsCreated = 0;
  likes = 0;
  oauth = noTokens();
  /** How often each refresh token was used, by its fingerprint. The latest 10,000. */
  #refreshTokens = new Map<string, number>();

  noteRefreshToken(fingerprint: string): void {
    this.#refreshTokens.set(fingerprint, (this.#refreshTokens.get(fingerprint) ?? 0) + 1);
    const [oldest = ''] = this.#refreshTokens.keys();
    if (this.#refreshTokens.size > 10_000) this.#refreshTokens.delete(oldest);
  }

  get repeatedRefreshTokens(): Record<string, number> {
    return Object.fromEntries([...this.#refreshTokens].filter(([, times]) => times > 1));
  }

  count(operation: string): void {
    this.#requests.set(operation, (this.#requests.get(operation) ?? 0) + 1);
  }

  get requests(): Record<string, number> {
    return Object.fromEntries(this.#requests);
  }

  clear(): void {
    this.#requests = new Map();
    this.tweetsCreated = 0;
    this.likes = 0;
    this.oauth = noTokens();
    this.#refreshTokens = new Map();
  }
}

const noTokens = () => ({
  codes_exchanged: 0,
  refused_codes: 0,
  refreshes: 0,
  refused_refreshes: 0,
  reused_refresh_tokens: 0,
  revocations: 0,
});
