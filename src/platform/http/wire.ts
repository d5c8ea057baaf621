import { formatTweetTime } from '../../shared/model/time.ts';
import { InvalidResponseError } from './errors.ts';

export { InvalidResponseError };

export type Wire = Readonly<Record<string, unknown>>;

function invalidField(field: string, expected: string): never {
  throw new InvalidResponseError(`${field} is not ${expected}`);
}

/*
 * The functions below check one value. They get the value and not its object, because V8 then optimises each property access on its own.
 * Converting 20 tweets takes 8 µs instead of 22 µs.
 */

export function object(value: unknown, field: string): Wire {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) invalidField(field, 'an object');
  return value as Wire;
}

export function list(value: unknown, field: string, max = Number.POSITIVE_INFINITY): readonly unknown[] {
  if (!Array.isArray(value)) invalidField(field, 'an array');
  return value.length <= max ? value : invalidField(field, `an array of at most ${max} items`);
}

/** The default limit. Only texts of tweets, messages and articles are longer. */
const usualLength = 4_096;

/** Reads a string of at most `max` UTF-16 code units. */
export function text(value: unknown, field: string, max = usualLength): string {
  return typeof value === 'string' && value.length <= max
    ? value
    : invalidField(field, `a string of at most ${max} characters`);
}

export function id(value: unknown, field: string): string {
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : invalidField(field, 'an id');
}

/** Reads a value that a platform leaves out if it is empty, or if it was not asked for. */
export function optional<T, Missing>(
  read: (value: unknown, field: string, max?: number) => T,
  value: unknown,
  field: string,
  missing: Missing,
  max?: number,
): T | Missing {
  return value === undefined || value === null ? missing : read(value, field, max);
}

/** Reads one of the known strings. */
export function oneOf<const Known extends string>(value: unknown, field: string, known: readonly Known[]): Known {
  const named = text(value, field);
  return known.find((each) => each === named) ?? invalidField(field, `one of ${known.join(', ')}`);
}

export function flag(value: unknown, field: string): boolean {
  return typeof value === 'boolean' ? value : invalidField(field, 'a boolean');
}

export function readCount(value: unknown, field: string): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : invalidField(field, 'a count');
}

/** The maximum length of a time. V8 ignores text in parentheses after a time, and times are cached below. */
const maxTimeLength = 40;

export function time(value: unknown, field: string): Date {
  const read = new Date(text(value, field, maxTimeLength));
  return Number.isNaN(read.getTime()) ? invalidField(field, 'a time') : read;
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Reads a time in ISO 8601 with milliseconds. Times of tweets have another format (docs/rest.md, Responses). */
export function readIsoTime(value: unknown, field: string): string {
  const written = text(value, field);
  return canonicalTime.test(written) ? written : time(written, field).toISOString();
}

const rememberedTimes = 10_000;
const tweetTimes = new Map<string, string>();

/**
 * Reads a time and converts it to the format of tweets (docs/rest.md, Responses). The latest results are cached,
 * because the creation time of an author is repeated in each of the author's tweets.
 */
export function readTweetTime(value: unknown, field: string): string {
  const written = text(value, field);
  const known = tweetTimes.get(written);
  if (known !== undefined) return known;
  const formatted = formatTweetTime(time(written, field));
  if (tweetTimes.size >= rememberedTimes) tweetTimes.clear();
  tweetTimes.set(written, formatted);
  return formatted;
}

export function nullable<T>(read: (value: unknown, field: string) => T, value: unknown, field: string): T | null {
  return value === null ? null : read(value, field);
}
