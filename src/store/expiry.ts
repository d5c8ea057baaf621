/**
 * The times between which a row with an end, such as a lease, is live: `after < end <= latest`. An end further away than a new row could have
 * was written before the clock was set back, so the row counts as expired. Otherwise a dead process would keep its leases for as long as the
 * clock was set back. The factor of 2 tolerates small differences between the estimates of the store's clock in several processes.
 */
export function liveRange(now: number, ttlMs: number): { after: number; latest: number } {
  return { after: now, latest: now + 2 * ttlMs };
}

/** Returns true if a row with this end is not live. */
export function hasExpired(end: number, now: number, ttlMs: number): boolean {
  const { after, latest } = liveRange(now, ttlMs);
  return end <= after || end > latest;
}
