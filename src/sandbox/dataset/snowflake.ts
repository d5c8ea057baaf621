/** 2010-11-04T01:42:54.657Z, the usual epoch of snowflake ids. Ids since this epoch have 19 digits today. */
const EPOCH_MS = 1_288_834_974_657;

/** Returns a snowflake id: the upper bits are the time, and `low` (22 bits) orders ids of the same millisecond. */
export function snowflake(atMs: number, low: number): string {
  return String((BigInt(Math.max(1, Math.floor(atMs) - EPOCH_MS)) << 22n) | BigInt(low & 0x3f_ffff));
}

/** Returns a new id that is above `last`, even if the clock stands still or goes back. */
export function nextSnowflake(atMs: number, last: string | undefined, low = 0): string {
  const fresh = BigInt(snowflake(atMs, low));
  const least = last === undefined ? fresh : BigInt(last) + 1n;
  return String(fresh > least ? fresh : least);
}

/** Returns the time of a snowflake id. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + EPOCH_MS;
}

/** Compares two ids, which are decimal strings, by their numeric value. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
