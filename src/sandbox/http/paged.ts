import { pageSize } from './input.ts';
import type { ActorCall } from './operation.ts';
import { Problem } from './problem.ts';

/**
 * The items of one page. `next` is the position of the last item, or undefined on the last page. A position contains no
 * spaces.
 */
export interface PagedResult<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export interface PagedRequest {
  readonly count: number;
  /** The position of the last item of the previous page. Undefined for the first page. */
  readonly after: string | undefined;
  seal(next: string | undefined): string | null;
}

/** Reads `count` and `cursor` of a call. A cursor is valid for one list of one target and one actor. */
export function pagingOf({ platform, query, actor }: ActorCall, list: string, target: string): PagedRequest {
  const count = pageSize(query);
  const scope = [list, target, actor.id];
  const cursor = query.get('cursor');
  let after: string | undefined;
  if (cursor !== null) {
    const [position, ...more] = platform.cursors.open(scope, cursor) ?? [];
    if (position === undefined || more.length > 0) {
      throw new Problem(400, 'bad_cursor', 'The cursor does not belong to this list');
    }
    after = position;
  }
  return { count, after, seal: (next) => (next === undefined ? null : platform.cursors.seal(scope, [next])) };
}

/**
 * Returns a page of the items that `shown` accepts. Reads one more item than requested, to find out whether another
 * page follows.
 */
export function takePage<T>(
  from: Iterable<readonly [item: T, position: string | number]>,
  count: number,
  shown: (item: T) => boolean,
): PagedResult<T> {
  const items: T[] = [];
  let last: string | undefined;
  for (const [item, position] of from) {
    if (!shown(item)) continue;
    if (items.length === count) return { items, next: last };
    items.push(item);
    last = String(position);
  }
  return { items, next: undefined };
}

/** Parses the position in a numbered list. Only positions of this sandbox reach this function, so it is a number. */
export function numberOf(position: string | undefined): number | undefined {
  return position === undefined ? undefined : Number(position);
}
