import { type Runtime, systemRuntime } from '../../src/shared/runtime/runtime.ts';

// Keeps the real functions, because tests may replace the global ones with fake timers (`vi.useFakeTimers`).
const { setTimeout, setImmediate } = globalThis;

const tickMs = 10;
const turnsInTick = 10;
const longestMs = 60_000;

interface Pending {
  readonly dueTick: number;
  readonly task: () => void;
}

const pending = new Set<Pending>();
let ticks = 0;
let isTicking = false;

/** Waits 10 ms, then lets the event loop turn ten times to handle pending I/O, and then counts one tick. */
function beginTick(): void {
  isTicking = true;
  setTimeout(() => passTurns(turnsInTick), tickMs).unref();
}

function passTurns(left: number): void {
  // These immediates must not be unref'd: the event loop would wait for another event before it runs them.
  if (left > 0) setImmediate(passTurns, left - 1);
  else endTick();
}

function endTick(): void {
  ticks += 1;
  const due = [...pending].filter(({ dueTick }) => dueTick <= ticks).sort((a, b) => a.dueTick - b.dueTick);
  try {
    for (const timer of due) if (pending.delete(timer)) timer.task();
  } finally {
    isTicking = pending.size > 0;
    if (isTicking) beginTick();
  }
}

/**
 * The system's runtime, except that timers of up to a minute count ticks instead of elapsed time. A tick takes at least 10 ms, and longer on a
 * busy machine. The event loop handles pending I/O before each tick, so a response that has arrived is read before its deadline expires.
 */
export const patientRuntime: Runtime = {
  ...systemRuntime,
  after(delayMs, task) {
    if (delayMs <= tickMs || delayMs > longestMs) return systemRuntime.after(delayMs, task);
    const timer = { dueTick: ticks + Math.ceil(delayMs / tickMs), task };
    pending.add(timer);
    if (!isTicking) beginTick();
    return { cancel: () => void pending.delete(timer) };
  },
};
