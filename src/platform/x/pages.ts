import { malformedField } from '../../shared/errors/fields.ts';
import type { Page } from '../../shared/model/page.ts';
import type { PageRequest } from '../port.ts';

/** A position in a list of X. */
export interface Position {
  /** X's token of the page; `null` for the first one. */
  token: string | null;
  /** The number of objects of the page that earlier pages have shown, because X's pages have a minimum size. */
  offset: number;
  /** The `max_results` of a page that is read again. */
  size: number;
  /** The id of the last object that earlier pages have shown, or an empty string. */
  last: string;
  /** What the first page has fixed for all, such as a time range, without spaces. */
  fixed: string;
}

/** A page of X. `item` is `null` if the caller does not see the object. */
export interface RawPage<Item> {
  items: readonly { id: string; item: Item | null }[];
  token: string | null;
}

interface PageOptions {
  /** The least and the greatest `max_results`. */
  sizes: readonly [least: number, greatest: number];
  fixed?: string;
  /** True if only some objects of the list are wanted. The others are `null`. The list is read in pages of the greatest size. */
  isSparse?: boolean;
  /** True if the objects of the list are ordered by id, the newest first. */
  newestFirst?: boolean;
}

/** The number of pages of X that one page of the caller may take. */
const maxPages = 3;

const written = /^(\d{1,4}) (\d{1,4}) (\d*) (\S*) (.*)$/s;

/** Returns the position of a cursor. `fixed` is that of a first page. */
export function positionOf(cursor: string | null, fixed = ''): Position {
  if (cursor === null) return { token: null, offset: 0, size: 0, last: '', fixed };
  const [, offset, size, last = '', kept = '', token = ''] = written.exec(cursor) ?? [];
  if (offset === undefined) throw malformedField('cursor', 'is not one that the platform gave for this list');
  return { token: token || null, offset: Number(offset), size: Number(size), last, fixed: kept };
}

function write({ token, offset, size, last, fixed }: Position): string {
  return `${offset} ${size} ${last} ${fixed} ${token ?? ''}`;
}

/**
 * Returns a page of exactly `count` items if X allows it. X may send fewer, and it sends more than a small `count`. The
 * rest of its page is read again with the next cursor, which X does not bill twice a day. Reads the next page of X only
 * if this one is empty, or if X was asked for another size than `count`.
 */
export async function readPage<Item>(
  { count, cursor }: PageRequest,
  { sizes: [least, greatest], fixed, isSparse = false, newestFirst = false }: PageOptions,
  fetch: (position: Position, size: number) => Promise<RawPage<Item>>,
): Promise<Page<Item>> {
  const items: Item[] = [];
  let at: Position | null = positionOf(cursor, fixed);
  for (let pages = 0; pages < maxPages && at !== null; pages += 1) {
    const asked: number = isSparse ? greatest : Math.max(least, count - items.length);
    const size: number = at.offset > 0 ? at.size : asked;
    const isHidden = isSparse || size > count - items.length || at.offset > 0;
    const page: RawPage<Item> = await fetch(at, size);
    at = take(page, { at, size, newestFirst }, (item) => {
      if (items.length === count) return false;
      items.push(item);
      return true;
    });
    if (items.length === count || (items.length > 0 && !isHidden)) break;
  }
  return { items, cursor: at && write(at) };
}

/** Gives the items of a page to `add` until it returns false. Returns the position after them, or `null` at the end of the list. */
function take<Item>(
  { items, token }: RawPage<Item>,
  { at, size, newestFirst }: { at: Position; size: number; newestFirst: boolean },
  add: (item: Item) => boolean,
): Position | null {
  // The objects of the first page move while new ones arrive, and X may repeat the last page for ever, with a new token each time.
  const known = at.last === '' ? 0 : items.findIndex(({ id }) => id === at.last) + 1;
  let start = known || at.offset;
  if (newestFirst && known === 0 && at.offset > 0) {
    start = items.findIndex(({ id }) => isOlder(id, at.last));
    if (start < 0) return token === null ? null : { ...at, token };
  }
  for (let index = start; index < items.length; index += 1) {
    const item = items[index]?.item ?? null;
    if (item !== null && !add(item)) return { ...at, offset: index, size, last: items[index - 1]?.id ?? at.last };
  }
  if (token === null || (at.offset === 0 && known > 0 && known === items.length)) return null;
  return { token, offset: 0, size: 0, last: items.at(-1)?.id ?? at.last, fixed: at.fixed };
}

/** Compares ids, which are decimal numbers. */
function isOlder(id: string, than: string): boolean {
  return id.length === than.length ? id < than : id.length < than.length;
}
