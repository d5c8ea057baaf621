/** 2010-11-04T01:42:54.657Z, the epoch that ids of this shape usually count from; it gives 19 digits. */
const EPOCH_MS = 1_288_834_974_657;

/** An id whose upper bits are its time. `low` (22 bits) orders those of one millisecond. */
export function snowflake(atMs: number, low: number): string {
  return String((BigInt(Math.max(1, Math.floor(atMs) - EPOCH_MS)) << 22n) | BigInt(low & 0x3f_ffff));
}

/** The id that follows `last`, and is later than it even when the clock stands still or goes back. */
export function nextSnowflake(atMs: number, last: string | undefined): string {
  const fresh = BigInt(snowflake(atMs, 0));
  const least = last === undefined ? fresh : BigInt(last) + 1n;
  return String(fresh > least ? fresh : least);
}

/** Numeric order of ids that are decimal strings. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
