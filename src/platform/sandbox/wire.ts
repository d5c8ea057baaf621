import type { Page } from '../../shared/model/page.ts';
import { formatTweetTime } from '../../shared/model/time.ts';
import type { UserCard } from '../../shared/model/user-card.ts';
import type { UserName } from '../port.ts';
import { readCard } from './read-user.ts';

/**
 * Reads the sandbox platform's JSON (`schema/platform.openapi.json`) field by field. A field that does not match the contract
 * throws a `NonsenseError` that names it, so that malformed responses never reach a caller as data.
 */
export class NonsenseError extends Error {
  override readonly name = 'NonsenseError';
}

export type Wire = Readonly<Record<string, unknown>>;

function nonsense(field: string, expected: string): never {
  throw new NonsenseError(`${field} is not ${expected}`);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new NonsenseError('the body is not JSON');
  }
}

export function asWire(value: unknown, field: string): Wire {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) nonsense(field, 'an object');
  return value as Wire;
}

export const object = (from: Wire, field: string): Wire => asWire(from[field], field);

export function list(from: Wire, field: string): readonly unknown[] {
  const value = from[field];
  return Array.isArray(value) ? value : nonsense(field, 'an array');
}

export function text(from: Wire, field: string): string {
  const value = from[field];
  return typeof value === 'string' ? value : nonsense(field, 'a string');
}

export function id(from: Wire, field: string): string {
  const value = from[field];
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? value : nonsense(field, 'an id');
}

export function flag(from: Wire, field: string): boolean {
  const value = from[field];
  return typeof value === 'boolean' ? value : nonsense(field, 'a boolean');
}

export function count(from: Wire, field: string): number {
  const value = from[field];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : nonsense(field, 'a count');
}

export function time(from: Wire, field: string): Date {
  const value = new Date(text(from, field));
  return Number.isNaN(value.getTime()) ? nonsense(field, 'a time') : value;
}

const canonicalTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Reads a time of anything but a tweet (docs/rest.md, Responses): ISO 8601 with milliseconds, as the sandbox sends it. */
export function isoTime(from: Wire, field: string): string {
  const written = text(from, field);
  return canonicalTime.test(written) ? written : time(from, field).toISOString();
}

const rememberedTimes = 10_000;
const tweetTimes = new Map<string, string>();

/**
 * Reads the time of a tweet or its author (docs/rest.md, Responses). The last times are cached, because the same ones recur
 * (an author's with each of the author's tweets).
 */
export function tweetTime(from: Wire, field: string): string {
  const written = from[field];
  const known = typeof written === 'string' ? tweetTimes.get(written) : undefined;
  if (known !== undefined) return known;
  const formatted = formatTweetTime(time(from, field));
  if (tweetTimes.size >= rememberedTimes) tweetTimes.clear();
  tweetTimes.set(text(from, field), formatted);
  return formatted;
}

export function nullable<T>(read: (from: Wire, field: string) => T, from: Wire, field: string): T | null {
  return from[field] === null ? null : read(from, field);
}

/** Reads a page: its items, the cursor of the next page, and the additional fields `more`. */
export function itemsAnd<Item, More extends object>(
  body: Wire,
  readItems: (page: Wire) => Item[],
  more: More,
): Page<Item> & More {
  return { ...more, items: readItems(body), cursor: nullable(text, body, 'next_cursor') };
}

export function readUserCards(page: Wire): UserCard[] {
  return list(page, 'users').map((user) => readCard(asWire(user, 'users[]')));
}

export function readOwner(page: Wire): { user: UserName } {
  const user = object(page, 'user');
  return { user: { id: id(user, 'id'), userName: text(user, 'screen_name') } };
}

export function readViewer(page: Wire): { viewerId: string } {
  return { viewerId: id(page, 'viewer_id') };
}
