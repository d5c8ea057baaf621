/** Whole millionths of a dollar. A JavaScript number holds them exactly up to nine billion dollars. */
export type Micros = number;

export const microsPerDollar = 1_000_000;

/** The most credit of one account. More is surely a typing error. JavaScript numbers are exact far beyond this limit. */
export const maxMicros: Micros = 1_000_000_000 * microsPerDollar;

/** Exact decimal dollars without trailing zeros: 1000 → `0.001`, 10000000 → `10`. */
export function formatDollars(micros: Micros): string {
  if (!Number.isSafeInteger(micros)) throw new RangeError(`not a whole number of micro-dollars: ${micros}`);
  const sign = micros < 0 ? '-' : '';
  const digits = Math.abs(micros).toString().padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -6)}${fraction && `.${fraction}`}`;
}

/** Reads decimal dollars with at most six decimals (`10`, `0.001`); `null` for anything else, or for too much. */
export function parseDollars(text: string): Micros | null {
  const match = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return null;
  const micros = Number(match[1]) * microsPerDollar + Number((match[2] ?? '').padEnd(6, '0'));
  return micros <= maxMicros ? micros : null;
}
