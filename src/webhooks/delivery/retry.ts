const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The delay before each retry, in order (docs/webhooks.md, Deliveries). A delivery that fails after the last delay is not retried. */
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
 * Returns the delay in milliseconds between a failed attempt and the next one. Returns `null` if there are no more attempts. `attempts`
 * includes the failed attempt; `chance` is in [0, 1). `retryAfterMs` can extend the delay to at most an hour. It never shortens the delay,
 * because it is the minimum that the receiver asks for (RFC 9110 section 10.2.3), and short delays would use up all attempts within
 * seconds.
 */
export function retryDelayMs(attempts: number, chance: number, retryAfterMs: number | null): number | null {
  const delay = retryDelaysMs[attempts - 1];
  if (delay === undefined) return null;
  const step = Math.round(delay * (1 - jitter + 2 * jitter * chance));
  return Math.max(step, Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
}

/** Parses `Retry-After` (RFC 9110 section 10.2.3), either seconds or a date. Returns milliseconds, or `null` for any other value. */
export function readRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value) * second;
  const date = /^[A-Z][a-z]{2}, \d{2} /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
