import { createHash } from 'node:crypto';
import { systemRuntime } from '../../dist/shared/runtime/runtime.js';

/**
 * Bytes that look random and are the same in every run. Each length has a sequence of its own, because parts that run at the
 * same time ask in an order that varies, such as ids and initialization vectors.
 */
export function predictableBytes() {
  const callsOf = new Map();
  return (length) => {
    const calls = callsOf.get(length) ?? 0;
    callsOf.set(length, calls + 1);
    const blocks = [];
    for (let i = 0; i * 32 < length; i++) {
      blocks.push(createHash('sha256').update(`postern print ${length} ${calls} ${i}`).digest());
    }
    return Buffer.concat(blocks).subarray(0, length);
  };
}

/**
 * Timers of the background wait until they are let: what it does takes chance in an order that nobody knows, after which
 * nothing made by chance must be shown.
 */
export function heldTimers() {
  const longestHurryMs = 400;
  let held = new Set();
  return {
    after(delayMs, task) {
      if (held === null || delayMs < longestHurryMs) return systemRuntime.after(delayMs, task);
      const entry = { task };
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
