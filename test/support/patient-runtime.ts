import { type Runtime, systemRuntime } from '../../src/shared/runtime/runtime.ts';

// A test may replace the global functions by fake ones.
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

/** Begins a tick: a pause of 10 ms and then ten turns of the event loop, each of which reads what has arrived. */
function beginTick(): void {
  isTicking = true;
  setTimeout(() => passTurns(turnsInTick), tickMs).unref();
}

function passTurns(left: number): void {
  // The immediates are not unref'ed, because the event loop would then wait for other events.
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
 * The system's runtime with timers of up to a minute that count ticks of 10 ms. If the thread waits for a processor, ticks are late. Before each
 * tick, the thread reads what has arrived. A deadline therefore does not pass before a response that has arrived is read.
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
