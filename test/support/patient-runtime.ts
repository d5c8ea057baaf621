import { type Runtime, systemRuntime } from '../../src/shared/runtime/runtime.ts';

// Tests may install fake timers (`vi.useFakeTimers`). This module keeps the real functions.
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

/** Begins a tick: a pause of 10 ms and then ten turns of the event loop, each of which handles pending I/O. */
function beginTick(): void {
  isTicking = true;
  setTimeout(() => passTurns(turnsInTick), tickMs).unref();
}

function passTurns(left: number): void {
  // Do not call `unref` on these immediates: with `unref`, the event loop sleeps until another event before it runs them.
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
 * The system's runtime, in which timers of up to a minute count ticks of 10 ms. While the thread waits for a processor, ticks are late. Before each
 * tick, the thread handles pending I/O. A response that has already arrived is therefore read before its deadline expires.
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
