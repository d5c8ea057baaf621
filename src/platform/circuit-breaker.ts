import { PosternError } from '../errors/postern-error.ts';
import type { Runtime } from '../runtime/runtime.ts';

const failuresToOpen = 10;
const openMs = 1_000;

/**
 * Spares callers the wait for a platform that is dead: after ten calls in a row without any answer, further ones are
 * refused at once, save for one a second that tries whether it is back.
 */
export class CircuitBreaker {
  readonly #runtime: Runtime;
  #failures = 0;
  #nextTryAt = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Throws `platform_unavailable` while the platform is taken for dead. */
  enter(): void {
    if (this.#failures < failuresToOpen) return;
    const now = this.#runtime.now();
    if (now < this.#nextTryAt) {
      throw new PosternError('platform_unavailable', 'The platform does not answer; it is tried again every second');
    }
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
