import type { Viewer } from '../dataset/visibility.ts';
import type { SandboxState } from '../platform.ts';
import { badRequest } from '../refusal.ts';

/** The call of an operation that lists. */
export interface PagedCall {
  readonly operation: string;
  readonly state: SandboxState;
  readonly query: URLSearchParams;
  readonly viewer: Viewer;
}

/** The query parameters of each list. */
export const paging = ['max_results', 'pagination_token'];

/** The least, greatest and usual `max_results`. */
export type Sizes = readonly [least: number, greatest: number, usual: number];

/** An item of a list and its position. A position contains no spaces. */
export type Placed<T> = readonly [item: T, position: string | number];

/** Stands for the position before the first page. */
const FIRST = 'first';
/** The number of earlier pages to which one can go back from a page. */
const maxStarts = 5;

/**
 * Reads the token of a page. A token has the position before the page and the positions of earlier pages. It belongs to
 * one list and one user. `position` is undefined without a token.
 */
export function openToken({ operation, state: { cursors }, query, viewer }: PagedCall, list: string) {
  const scope = [operation, list, viewer?.id ?? ''];
  const name = query.has('next_token') ? 'next_token' : 'pagination_token';
  const token = query.get(name);
  const starts = token === null ? [FIRST] : cursors.open(scope, token);
  if (starts === undefined) throw badRequest(name, `The \`${name}\` value does not belong to this list`);
  const [position] = starts;
  const seal = (positions: readonly string[]) => cursors.seal(scope, positions);
  return { starts, position: position === FIRST ? undefined : position, seal };
}

/** Returns a page and its tokens. */
export function pageOf<T>(
  call: PagedCall,
  list: string,
  size: number,
  itemsAfter: (position: string | undefined) => Iterable<Placed<T>>,
  shown: (item: T) => boolean = () => true,
) {
  const { starts, position, seal } = openToken(call, list);
  const { items, next } = takePage(itemsAfter(position), size, shown);
  const tokens = {
    ...(next !== undefined && { next_token: seal([next, ...starts].slice(0, maxStarts)) }),
    ...(starts.length > 1 && { previous_token: seal(starts.slice(1)) }),
  };
  return { items, tokens };
}

/** Returns up to `size` items that `shown` accepts, and the position of the last one if another page follows. */
export function takePage<T>(placed: Iterable<Placed<T>>, size: number, shown: (item: T) => boolean) {
  const items: T[] = [];
  let last: string | undefined;
  for (const [item, position] of placed) {
    if (!shown(item)) continue;
    if (items.length === size) return { items, next: last };
    items.push(item);
    last = String(position);
  }
  return { items, next: undefined };
}

/** Parses the position in a numbered list. Only positions of this sandbox reach this function, so it is a number. */
export function numberOf(position: string | undefined): number | undefined {
  return position === undefined ? undefined : Number(position);
}

export function sizeOf({ query }: Pick<PagedCall, 'query'>, [least, greatest, usual]: Sizes): number {
  const text = query.get('max_results') ?? String(usual);
  const size = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (size >= least && size <= greatest) return size;
  throw badRequest(
    'max_results',
    `The \`max_results\` value [${text.slice(0, 20)}] is not from ${least} to ${greatest}`,
  );
}
