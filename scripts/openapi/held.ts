import { createHash } from 'node:crypto';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';

/**
 * Returns pseudorandom bytes that are the same in every run. Each length has its own sequence, because concurrent code requests random
 * bytes of different lengths, such as ids and initialization vectors, in a varying order.
 */
export function predictableBytes(): (length: number) => Buffer {
  const callsOf = new Map<number, number>();
  return (length: number) => {
    const calls = callsOf.get(length) ?? 0;
    callsOf.set(length, calls + 1);
    const blocks = [];
    for (let i = 0; i * 32 < length; i++) {
      blocks.push(createHash('sha256').update(`postern print ${length} ${calls} ${i}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, length);
  };
}

interface HeldTask {
  task: () => void;
  started?: { cancel(): void };
}

export type HeldTimers = ReturnType<typeof heldTimers>;

/**
 * Background timers wait until they are released, because they use random bytes in an unpredictable order. After the release, no example
 * may contain random values.
 */
export function heldTimers() {
  const longestHurryMs = 400;
  let held: Set<HeldTask> | null = new Set();
  return {
    after(delayMs: number, task: () => void) {
      if (held === null || delayMs < longestHurryMs) return systemRuntime.after(delayMs, task);
      const entry: HeldTask = { task };
      held.add(entry);
      return {
        cancel: () => {
          held?.delete(entry);
          entry.started?.cancel();
        },
      };
    },
    letRun() {
      const waiting = held ?? [];
      held = null;
      for (const entry of waiting) entry.started = systemRuntime.after(0, entry.task);
    },
  };
}
