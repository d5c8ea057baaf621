import { rateLimited } from './problem.ts';

export interface RateLimitRule {
  /** The number of requests that one actor may send in a window. */
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * The rate limit of the simulated platform, applied to each actor. The limit is off until a control call sets it, and
 * it does not survive a restart.
 */
export class ActorRateLimiter {
  #rule: RateLimitRule | null = null;
  /** Keyed by actor id, ordered by the end of the window. */
  #windows = new Map<string, { endsAt: number; used: number }>();

  set(rule: RateLimitRule | null): void {
    this.#rule = rule;
    this.#windows = new Map();
  }

  /**
   * Counts a request and returns the headers in which X sends the state of its limits, or throws if the actor has reached
   * the limit. A window starts with the first request after the previous window ended.
   */
  consume(actorId: string, now: number): Record<string, string> | undefined {
    if (this.#rule === null) return undefined;
    for (const [id, { endsAt }] of this.#windows) {
      if (endsAt > now) break;
      this.#windows.delete(id);
    }
    let window = this.#windows.get(actorId);
    if (window === undefined) {
      window = { endsAt: now + this.#rule.windowMs, used: 0 };
      this.#windows.set(actorId, window);
    }
    if (window.used >= this.#rule.limit) throw rateLimited(Math.max(1, Math.ceil((window.endsAt - now) / 1000)));
    window.used++;
    return {
      'x-rate-limit-limit': String(this.#rule.limit),
      'x-rate-limit-remaining': String(this.#rule.limit - window.used),
      'x-rate-limit-reset': String(Math.ceil(window.endsAt / 1_000)),
    };
  }
}
