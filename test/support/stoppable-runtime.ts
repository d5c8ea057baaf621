import type { Runtime } from '../../src/shared/runtime/runtime.ts';
import { patientRuntime } from './patient-runtime.ts';

/** A patient runtime whose clock can be stopped. */
export class StoppableRuntime implements Runtime {
  readonly randomBytes = patientRuntime.randomBytes;
  readonly after = patientRuntime.after;
  #stoppedAt: number | undefined;

  now(): number {
    return this.#stoppedAt ?? Date.now();
  }

  /** Returns the result of `run`, during which the clock stands still. */
  async stopDuring<Result>(run: () => Promise<Result>): Promise<Result> {
    this.#stoppedAt = Date.now();
    try {
      return await run();
    } finally {
      this.#stoppedAt = undefined;
    }
  }
}
