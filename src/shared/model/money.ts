/** An amount of money in whole millionths of a dollar. A JavaScript number represents such amounts exactly up to nine billion dollars. */
export type Micros = number;

export const microsPerDollar = 1_000_000;

/** The maximum credit of one account. A higher amount is treated as a typing error. JavaScript numbers are exact far beyond this limit. */
export const maxMicros: Micros = 1_000_000_000 * microsPerDollar;

/** Formats an amount as exact decimal dollars without trailing zeros: 1000 becomes `0.001`, 10000000 becomes `10`. */
export function formatDollars(micros: Micros): string {
  if (!Number.isSafeInteger(micros)) throw new RangeError(`not a whole number of micro-dollars: ${micros}`);
  const sign = micros < 0 ? '-' : '';
  const digits = Math.abs(micros).toString().padStart(7, '0');
  const fraction = digits.slice(-6).replace(/0+$/, '');
  return `${sign}${digits.slice(0, -6)}${fraction && `.${fraction}`}`;
}

/**
 * Parses decimal dollars with at most six decimals (`10`, `0.001`). Returns `null` for any other text and for amounts above the maximum.
 */
export function parseDollars(text: string): Micros | null {
  const match = /^(\d{1,10})(?:\.(\d{1,6}))?$/.exec(text);
  if (!match) return null;
  const micros = Number(match[1]) * microsPerDollar + Number((match[2] ?? '').padEnd(6, '0'));
  return micros <= maxMicros ? micros : null;
}
