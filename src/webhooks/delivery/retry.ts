const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The delay before each retry, in order (docs/webhooks.md, Deliveries). A delivery that fails after the last delay is not
 * retried.
 */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  30 * second,
  2 * minute,
  10 * minute,
  30 * minute,
  hour,
  2 * hour,
  4 * hour,
  8 * hour,
];

const jitter = 0.2;
const maxRetryAfterMs = hour;

/**
 * Returns the milliseconds from a failed attempt to the next one; `null` if there is no next one. `attempts` includes the failed
 * attempt; `chance` is in [0, 1). `retryAfterMs` can make the delay longer, up to an hour, but never shorter: a receiver asks
 * with it for a minimum (RFC 9110 section 10.2.3), and ten attempts a second apart would be over in ten seconds.
 */
export function retryDelayMs(attempts: number, chance: number, retryAfterMs: number | null): number | null {
  const delay = retryDelaysMs[attempts - 1];
  if (delay === undefined) return null;
  const step = Math.round(delay * (1 - jitter + 2 * jitter * chance));
  return Math.max(step, Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
}

/** Reads `Retry-After` (RFC 9110 section 10.2.3): seconds or a date. Returns milliseconds, or `null` for anything else. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * second;
  const date = /^[A-Z][a-z]{2}, \d{2} /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
