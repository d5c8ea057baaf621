import { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';

const failuresToOpen = 10;
const openMs = 1_000;

/**
 * Refuses calls after ten consecutive calls without a response. Once per second, one call is let through to test
 * whether the other side has recovered.
 */
export class CircuitBreaker {
  readonly #runtime: Runtime;
  readonly #reason: ErrorReason;
  readonly #message: string;
  #failures = 0;
  #nextTryAt = 0;

  /** `reason` and `message` describe the refusals. */
  constructor(runtime: Runtime, reason: 'platform_paused' | 'proxy_paused', message: string) {
    this.#runtime = runtime;
    this.#reason = reason;
    this.#message = message;
  }

  /** Throws `platform_unavailable` while calls are refused. */
  enter(): void {
    if (this.#failures < failuresToOpen) return;
    const now = this.#runtime.now();
    // A time further away than `openMs` was noted before the clock was set back.
    if (now < this.#nextTryAt && this.#nextTryAt - now <= openMs) throw new PosternError(this.#reason, this.#message);
    this.#nextTryAt = now + openMs;
  }

  answered(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#failures === failuresToOpen) this.#nextTryAt = this.#runtime.now() + openMs;
  }
}
