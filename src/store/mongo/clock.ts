import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import { repeat } from '../../shared/runtime/runtime.ts';

const refreshMs = 10_000;
/** Older than this, an estimate is not good enough to judge a claim by. */
const staleMs = 15_000;

/**
 * The server's clock: the offset of its times against this machine's monotonic clock. Gateways may have clocks an hour
 * apart; what they decide by is this one.
 */
export class ServerClock {
  readonly #ask: () => Promise<Date>;
  readonly #runtime: Runtime;
  readonly #adjust: (serverMs: number) => number;
  #offset = 0;
  #roundTripMs = Number.POSITIVE_INFINITY;
  #learntAt = Number.NEGATIVE_INFINITY;
  #learntWall = 0;
  #timer: Timer | undefined;

  /** `adjust` is a seam for tests, which cannot set a server's clock. */
  constructor(ask: () => Promise<Date>, runtime: Runtime, adjust: (serverMs: number) => number) {
    this.#ask = ask;
    this.#runtime = runtime;
    this.#adjust = adjust;
  }

  /** Keeps the estimate fresh until `stop`. */
  start(): void {
    this.#timer = repeat(this.#runtime, refreshMs, async () => {
      // A server that is away now will be asked again.
      if (performance.now() - this.#learntAt >= refreshMs) await this.read().catch(() => undefined);
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  now(): number {
    return this.#adjust(Math.round(performance.now() + this.#offset));
  }

  /** Asks the server. */
  async read(): Promise<number> {
    const sent = performance.now();
    return this.learn(await this.#ask(), sent);
  }

  /** The estimate where it is fresh; else asks. The monotonic clock stands still while a machine sleeps. */
  async recent(): Promise<number> {
    const age = performance.now() - this.#learntAt;
    const slept = Math.abs(this.#runtime.now() - this.#learntWall - age);
    return age < staleMs && slept < 1_000 ? this.now() : this.read();
  }

  /** Takes a time that the server told in answer to what was sent at `sent` (`performance.now()`). */
  learn(server: Date, sent: number): number {
    const now = performance.now();
    const roundTripMs = now - sent;
    const offset = server.getTime() - (now + sent) / 2;
    const better = roundTripMs <= this.#roundTripMs * 1.5 || now - this.#learntAt >= refreshMs;
    // Further off than a round trip explains: one of the clocks was set.
    if (better || Math.abs(offset - this.#offset) > roundTripMs + this.#roundTripMs) {
      this.#offset = offset;
      this.#roundTripMs = roundTripMs;
      this.#learntAt = now;
      this.#learntWall = this.#runtime.now();
    }
    return this.#adjust(server.getTime());
  }
}
