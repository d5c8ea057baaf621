const fastestMs = 500;
const slowestMs = 60_000;
/** An account that was quiet for twenty minutes is polled once a minute. */
const quietPerPause = 20;
const longestFaultMs = 60_000;
const jitter = 0.1;

/**
 * Returns the pause before the next poll: short after recent events, long if nothing has happened for a while. `chance`, in
 * [0, 1), spreads pollers that began at the same time.
 */
export function pauseMs(quietMs: number, chance: number): number {
  const pause = Math.min(slowestMs, Math.max(fastestMs, quietMs / quietPerPause));
  return pause * (1 - 2 * jitter * chance);
}

/** Returns the pause after this number of faults in a row. `chance`, in [0, 1), spreads pollers that failed at the same time. */
export function pauseAfterFaultMs(faults: number, retryAfterSeconds: number | undefined, chance: number): number {
  const pause = Math.min(longestFaultMs, 1_000 * 2 ** Math.min(faults, 10)) * (0.5 + chance / 2);
  return Math.max(pause, (retryAfterSeconds ?? 0) * 1_000);
}
