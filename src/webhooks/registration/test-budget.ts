import { PosternError } from '../../shared/errors/postern-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

const perMinute = 10;
const windowMs = 60_000;

/** Test events of each account: ten a minute, in each process. */
export class TestBudget {
  readonly #runtime: Runtime;
  readonly #sent = new Map<string, number[]>();

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Throws `rate_limited`. */
  take(account: string): void {
    const now = this.#runtime.now();
    for (const [each, times] of this.#sent) if ((times.at(-1) ?? 0) <= now - windowMs) this.#sent.delete(each);
    const recent = (this.#sent.get(account) ?? []).filter((at) => at > now - windowMs);
    if (recent.length >= perMinute) {
      const retryAfterSeconds = Math.ceil(((recent[0] ?? now) + windowMs - now) / 1_000);
      throw new PosternError('webhook_test_limit', `Only ${perMinute} test events a minute: wait`, {
        retryAfterSeconds,
      });
    }
    this.#sent.set(account, [...recent, now]);
  }
}
