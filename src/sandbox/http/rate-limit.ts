import { rateLimited } from './problem.ts';

export interface RateLimitRule {
  /** Requests of one actor in a window. */
  readonly limit: number;
  readonly windowMs: number;
}

/** The platform's own limit for each actor. Off unless control switches it on, and forgotten when the sandbox stops. */
export class RateLimit {
  #rule: RateLimitRule | null = null;
  /** By actor, in the order in which the windows end. */
  #windows = new Map<string, { endsAt: number; used: number }>();

  set(rule: RateLimitRule | null): void {
    this.#rule = rule;
    this.#windows = new Map();
  }

  /** Counts a request, or refuses it. An actor's window begins with the first request after the one before ended. */
  take(actorId: string, now: number): void {
    if (this.#rule === null) return;
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
  }
}
