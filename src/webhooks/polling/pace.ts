const fastestMs = 500;
const slowestMs = 60_000;
/** An account that was quiet for twenty minutes is asked about once a minute. */
const quietPerPause = 20;
const longestFaultMs = 60_000;
const jitter = 0.1;

/**
 * How long to wait before the platform is asked again: soon while things happen, seldom once nothing does. `chance` is in
 * [0, 1): pollers that began together, as after a start, come apart.
 */
export function pauseMs(quietMs: number, chance: number): number {
  const pause = Math.min(slowestMs, Math.max(fastestMs, quietMs / quietPerPause));
  return pause * (1 - 2 * jitter * chance);
}

/** The same after so many faults in a row. `chance` is in [0, 1): pollers that failed together come back apart. */
export function pauseAfterFaultMs(faults: number, retryAfterSeconds: number | undefined, chance: number): number {
  const pause = Math.min(longestFaultMs, 1_000 * 2 ** Math.min(faults, 10)) * (0.5 + chance / 2);
  return Math.max(pause, (retryAfterSeconds ?? 0) * 1_000);
}
