import { type Runtime, systemRuntime } from '../../src/shared/runtime/runtime.ts';

const tickMs = 10;
const longestMs = 60_000;

interface Pending {
  readonly dueTick: number;
  readonly task: () => void;
}

const pending = new Set<Pending>();
let ticks = 0;
let ticker: NodeJS.Timeout | undefined;

function tick(): void {
  ticks += 1;
  const due = [...pending].filter(({ dueTick }) => dueTick <= ticks).sort((a, b) => a.dueTick - b.dueTick);
  for (const timer of due) if (pending.delete(timer)) timer.task();
  if (pending.size > 0) return;
  clearInterval(ticker);
  ticker = undefined;
}

/**
 * The system's runtime with timers of up to a minute that count ticks of 10 ms. Ticks are late while the thread waits for a processor, so
 * a deadline does not pass before a slow machine could respond.
 */
export const patientRuntime: Runtime = {
  ...systemRuntime,
  after(delayMs, task) {
    if (delayMs <= tickMs || delayMs > longestMs) return systemRuntime.after(delayMs, task);
    const timer = { dueTick: ticks + Math.ceil(delayMs / tickMs), task };
    pending.add(timer);
    ticker ??= setInterval(tick, tickMs).unref();
    return { cancel: () => void pending.delete(timer) };
  },
};
