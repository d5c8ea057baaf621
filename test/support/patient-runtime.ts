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

/** Begins a tick: a pause of 10 ms, followed by ten turns of the event loop. Each turn handles pending I/O. */
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
 * The system's runtime with other timers: a timer of up to a minute ends after a number of ticks of 10 ms. On a busy machine, ticks are late.
 * The thread reads responses that have arrived before it counts a tick, so no deadline expires before such a response is read.
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
