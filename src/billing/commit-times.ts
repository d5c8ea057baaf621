interface RunningCommit {
  account: string;
  since: number;
}

/**
 * Measures commits to the ledger. The store is saturated if even the shortest ones take longer than `maxMs`. The commits of a single account do
 * not show that, because they run one after the other and may wait for another gateway.
 */
export class CommitTimes {
  readonly #maxMs: number;
  readonly #now: () => number;
  readonly #running = new Set<RunningCommit>();
  /** The accounts whose commits have ended since the last measurement, and the shortest of these commits. */
  readonly #accounts = new Set<string>();
  #shortestMs = Number.POSITIVE_INFINITY;

  /** `now` returns milliseconds of a clock that is never set. */
  constructor(maxMs: number, now: () => number = () => performance.now()) {
    this.#maxMs = maxMs;
    this.#now = now;
  }

  /** Must be called when a commit is sent. Returns a function that must be called when its attempt ends. */
  start(account: string): (failed: boolean) => void {
    const commit = { account, since: this.#now() };
    this.#running.add(commit);
    return (failed) => {
      this.#running.delete(commit);
      const ms = this.#now() - commit.since;
      // A store that is away refuses at once, which does not mean that it is fast.
      if (failed && ms <= this.#maxMs) return;
      this.#accounts.add(account);
      this.#shortestMs = Math.min(this.#shortestMs, ms);
    };
  }

  /** Returns the duration of the shortest commit since the last call, divided by `maxMs`. `null` if all commits still run. */
  measure(): number | null {
    const shortestMs = this.#shortestMs;
    const ended = [...this.#accounts];
    this.#shortestMs = Number.POSITIVE_INFINITY;
    this.#accounts.clear();
    if (ended.length > 1 || shortestMs <= this.#maxMs) return shortestMs / this.#maxMs;
    const running = [...this.#running];
    if (new Set([...ended, ...running.map(({ account }) => account)]).size < 2) return 0;
    // Commits that hang are late too, although none of them ends.
    const youngestMs = this.#now() - Math.max(...running.map(({ since }) => since));
    return youngestMs > this.#maxMs ? youngestMs / this.#maxMs : null;
  }
}
