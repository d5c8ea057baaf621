const slowestMs = 60_000;
/**
 * The time since the last event divided by this number is the pause between polls: an account without events for twenty minutes is polled
 * once a minute.
 */
const quietPerPause = 20;
const quickPages = 5;
const fullPageMs = 50;
const maxBackoffMs = 60_000;
/** A longer `Retry-After` of the platform is shortened to this. */
const maxRetryAfterMs = 3_600_000;
const jitter = 0.1;

/**
 * Returns the pause in milliseconds before the next poll. The pause is short after recent events and long after a quiet period. `fastestMs`
 * is the shortest pause. `chance` in [0, 1) spreads pollers that began at the same time.
 */
export function pollDelayMs(quietMs: number, fastestMs: number, chance: number): number {
  const pause = Math.min(slowestMs, Math.max(fastestMs, quietMs / quietPerPause));
  return pause * (1 - 2 * jitter * chance);
}

/**
 * Returns the time in milliseconds after its last event for which an actor counts as active. It is chosen so that polls that wait for
 * `waitMs` are not more frequent than polls with the pauses above.
 */
export function activeMs(waitMs: number): number {
  return quietPerPause * waitMs;
}

/**
 * Returns the pause in milliseconds after a number of consecutive full pages of `count` events. There is none after the first few, so that
 * a backlog is read quickly. Later it doubles up to half of the time that `perMinute` allows for a page.
 */
export function fullPagePauseMs(pages: number, count: number, perMinute: number): number {
  if (pages <= quickPages) return 0;
  return Math.min((60_000 * count) / perMinute / 2, fullPageMs * 2 ** (pages - quickPages));
}

/**
 * Returns the pause in milliseconds after a number of consecutive failures. `chance` in [0, 1) spreads pollers that failed at the same
 * time.
 */
export function backoffMs(failures: number, retryAfterSeconds: number | undefined, chance: number): number {
  const pause = Math.min(maxBackoffMs, 1_000 * 2 ** Math.min(failures, 10)) * (0.5 + chance / 2);
  const retryAfterMs = Math.min(maxRetryAfterMs, (retryAfterSeconds ?? 0) * 1_000);
  return Math.max(pause, retryAfterMs * (1 + jitter * chance));
}
