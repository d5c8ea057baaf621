import type { Runtime } from '../../src/shared/runtime/runtime.ts';
import { patientRuntime } from './patient-runtime.ts';

/** A patient runtime whose clock can leap forward, which runs the timers that are due by then. */
export class AdjustableRuntime implements Runtime {
  #ahead = 0;
  readonly #pending = new Set<{ at: number; run: () => void }>();

  now(): number {
    return Date.now() + this.#ahead;
  }

  randomBytes(length: number): Buffer {
    return patientRuntime.randomBytes(length);
  }

  after(delayMs: number, task: () => void) {
    const one = {
      at: this.now() + delayMs,
      run: () => {
        cancel();
        task();
      },
    };
    const timer = patientRuntime.after(Math.min(delayMs, 2 ** 31 - 1), one.run);
    const cancel = () => {
      timer.cancel();
      this.#pending.delete(one);
    };
    this.#pending.add(one);
    return { cancel };
  }

  leap(ms: number): void {
    this.#ahead += ms;
    for (const one of [...this.#pending].sort((a, b) => a.at - b.at)) {
      if (one.at <= this.now() && this.#pending.has(one)) one.run();
    }
  }
}
