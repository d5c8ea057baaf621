/** Formats dollars. Amounts below ten cents have up to six decimal places, because prices need them; larger amounts have two. */
export function dollars(amount: string | number): string {
  const value = Number(amount);
  const digits = value !== 0 && Math.abs(value) < 0.1 ? 6 : 2;
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency: 'USD',
    minimumFractionDigits: 2,
    maximumFractionDigits: digits,
  }).format(value);
}

export function count(value: number): string {
  return new Intl.NumberFormat('en').format(value);
}

export function milliseconds(value: number): string {
  if (value < 1_000) return `${count(Math.round(value))} ms`;
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(value / 1_000)} s`;
}

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

/** Formats a time relative to now, such as `5 minutes ago`. */
export function relative(time: string, now = Date.now()): string {
  const seconds = Math.round((Date.parse(time) - now) / 1_000);
  const [unit, size] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}

export function dateAndTime(time: string | number): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(time));
}

/** Formats the start of an hour or a day in a usage report. The times of reports are in UTC. */
export function period(time: number, unit: 'hour' | 'day'): string {
  const parts: Intl.DateTimeFormatOptions =
    unit === 'day' ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  return new Intl.DateTimeFormat('en', { ...parts, timeZone: 'UTC' }).format(time);
}

export function dateOnly(time: string): string {
  return new Intl.DateTimeFormat('en', { dateStyle: 'medium' }).format(new Date(time));
}

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={dateAndTime(at)}>
      {relative(at)}
    </time>
  );
}
