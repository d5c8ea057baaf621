import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Runtime } from '../../src/shared/runtime/runtime.ts';

/** A clock that only advances on demand, and random bytes that depend only on the seed. */
export interface ManualRuntime extends Runtime {
  /** Advances the clock and runs due timers at their times. */
  advance(ms: number): Promise<void>;
  /** Moves the clock, forwards or backwards, without running timers, as after a suspension or a change of the clock. */
  leap(ms: number): void;
  /** The number of pending timers. */
  readonly pending: number;
}

/** Lets pending promises and the grouped writes of the stores run. */
export async function settleTurns(turns = 6): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await nextTurn();
}

export function manualRuntime(seed = 0, start = Date.UTC(2026, 0, 1)): ManualRuntime {
  /** The difference between the clock and `start + elapsed`. */
  let offset = 0;
  let elapsed = 0;
  let drawn = 0;
  let order = 0;
  const timers = new Map<number, { due: number; task: () => void }>();
  const nextDue = (until: number) => {
    let first: [id: number, due: number] | null = null;
    for (const [id, { due }] of timers) if (due <= until && (!first || due < first[1])) first = [id, due];
    return first;
  };
  return {
    now: () => start + elapsed + offset,
    randomBytes(length) {
      const blocks: Buffer[] = [];
      for (let size = 0; size < length; size += 32) {
        blocks.push(createHash('sha256').update(`${seed} ${drawn++}`).digest());
      }
      return Buffer.concat(blocks).subarray(0, length);
    },
    after(delayMs, task) {
      const id = order++;
      timers.set(id, { due: elapsed + delayMs, task });
      return { cancel: () => void timers.delete(id) };
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settleTurns();
      for (let next = nextDue(until); next; next = nextDue(until)) {
        const [id, due] = next;
        const task = timers.get(id)?.task;
        timers.delete(id);
        elapsed = due;
        task?.();
        await settleTurns();
      }
      elapsed = until;
    },
    leap(ms) {
      offset += ms;
    },
    get pending() {
      return timers.size;
    },
  };
}
