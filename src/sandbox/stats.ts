/** Counts of requests and writes since the start or the last reset. */
export class Stats {
  #requests = new Map<string, number>();
  tweetsCreated = 0;
  likes = 0;

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
  }
}
