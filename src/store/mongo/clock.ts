import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import { repeat } from '../../shared/runtime/runtime.ts';

const refreshMs = 10_000;
/** An estimate older than this many milliseconds is not accurate enough to decide about claims. */
const staleMs = 15_000;

/**
 * The server's clock, estimated from its offset to this machine's monotonic clock. The clocks of the gateways may differ by an hour, so all
 * of them use the server's clock.
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

  /** `adjust` lets tests change the time, because they cannot set a server's clock. */
  constructor(ask: () => Promise<Date>, runtime: Runtime, adjust: (serverMs: number) => number) {
    this.#ask = ask;
    this.#runtime = runtime;
    this.#adjust = adjust;
  }

  /** Keeps the estimate fresh until `stop` is called. */
  start(): void {
    this.#timer = repeat(this.#runtime, refreshMs, async () => {
      // If the server is unavailable, the next run tries again.
      if (performance.now() - this.#learntAt >= refreshMs) await this.read().catch(() => undefined);
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  now(): number {
    return this.#adjust(Math.round(performance.now() + this.#offset));
  }

  /** Reads the server's time. */
  async read(): Promise<number> {
    const sent = performance.now();
    return this.learn(await this.#ask(), sent);
  }

  /**
   * Returns the estimated time if the estimate is fresh, otherwise reads the server's time. The monotonic clock stops while a machine is
   * suspended.
   */
  async recent(): Promise<number> {
    const age = performance.now() - this.#learntAt;
    const slept = Math.abs(this.#runtime.now() - this.#learntWall - age);
    return age < staleMs && slept < 1_000 ? this.now() : this.read();
  }

  /** Updates the estimate from a time in a response of the server. `sent` is the time of the request (`performance.now()`). */
  learn(server: Date, sent: number): number {
    const now = performance.now();
    const roundTripMs = now - sent;
    const offset = server.getTime() - (now + sent) / 2;
    const better = roundTripMs <= this.#roundTripMs * 1.5 || now - this.#learntAt >= refreshMs;
    // A larger difference than the round trips can explain means that one of the clocks was set.
    if (better || Math.abs(offset - this.#offset) > roundTripMs + this.#roundTripMs) {
      this.#offset = offset;
      this.#roundTripMs = roundTripMs;
      this.#learntAt = now;
      this.#learntWall = this.#runtime.now();
    }
    return this.#adjust(server.getTime());
  }
}
