import { malformedField } from '../../shared/errors/fields.ts';
import { isOwnedBy, type OwnerFields } from '../input/list-owner.ts';
import type { CursorSealer } from './cursor.ts';

type Input = Record<string, unknown>;

/** Describes the list for which cursors are signed. */
export interface PagedList {
  /** Returns the scope that cursors are signed for, without the fields in `leftOut`. */
  scope: (leftOut?: readonly string[]) => string;
  /** The input fields that name the owner of the list. `null` if the input names no owner. */
  owner: OwnerFields | null;
}

/** Translates between the cursors of the platform and the signed cursors that callers use. */
export type Paging<Output> = (cursors: CursorSealer, list: PagedList, input: Input) => OpenedPaging<Output>;

interface OpenedPaging<Output> {
  /** The input, with the signed cursor replaced by the platform's cursor. */
  input: Input;
  seal: (output: unknown) => Output;
}

/** A page of a list whose items have a cursor each. */
export interface EdgePage {
  output: Input & { has_more: boolean };
  /** The number of items at the start of the page that the caller already has. */
  skip: number;
  /** Returns the cursor that continues after the item at `index`. `count` is the number of items on this page. */
  cursorAt: (index: number, count: number) => string;
}

export const noPaging: Paging<unknown> = (_cursors, _list, input) => ({ input, seal: (output) => output });

/**
 * Pages by `next_cursor` (docs/rest.md, Pages). The cursor of a user's list contains both the owner's id and screen
 * name. A caller can therefore continue the list by either of them, in any case.
 */
export const byPage: Paging<unknown> = (cursors, { scope, owner }, input) => {
  const scopeOfPage = () => scope(owner ? [owner.id, owner.name] : []);
  const opened = () => {
    const cursor = openCursor(cursors, scopeOfPage(), String(input['cursor']));
    if (owner && !isOwnedBy(cursor, owner, input)) throw foreignCursor('cursor');
    return { ...input, cursor };
  };
  return {
    input: input['cursor'] === undefined ? input : opened(),
    seal: (output) => {
      const page = output as { next_cursor: string | null };
      return page.next_cursor === null ? page : { ...page, next_cursor: cursors.seal(page.next_cursor, scopeOfPage()) };
    },
  };
};

/**
 * The two parts of a cursor of a list that may change while a client pages through it (docs/direct-messages.md,
 * Reading).
 */
export interface TwoPartCursor {
  cursor_id: string;
  graph_snapshot_id: string;
}

/** Pages by a cursor of two parts. A `cursor_id` is accepted only together with its `graph_snapshot_id`. */
export const byTwoPartCursor: Paging<unknown> = (cursors, { scope }, input) => {
  const scopeOf = (snapshot: string) => `${scope()} ${snapshot}`;
  const { cursor_id: place, graph_snapshot_id: graph, ...rest } = input;
  const opened = () => {
    if (typeof place !== 'string' || typeof graph !== 'string') {
      throw malformedField(
        typeof place === 'string' ? 'graph_snapshot_id' : 'cursor_id',
        'cursor_id and graph_snapshot_id must be sent together',
      );
    }
    const graph_snapshot_id = openCursor(cursors, scope(), graph, 'graph_snapshot_id');
    return { graph_snapshot_id, cursor_id: openCursor(cursors, scopeOf(graph_snapshot_id), place, 'cursor_id') };
  };
  return {
    input: place === undefined && graph === undefined ? input : { ...rest, ...opened() },
    seal: (output) => {
      const page = output as { next_cursor: TwoPartCursor | null };
      if (page.next_cursor === null) return page;
      const { cursor_id, graph_snapshot_id } = page.next_cursor;
      const next_cursor = {
        cursor_id: cursors.seal(cursor_id, scopeOf(graph_snapshot_id)),
        graph_snapshot_id: cursors.seal(graph_snapshot_id, scope()),
      };
      return { ...page, next_cursor };
    },
  };
};

/** A cursor of the platform, which has one or two parts. */
type PlatformCursor = string | TwoPartCursor;

/**
 * A position in a list: the platform's cursor of the page, the size of the page, and the index of the item in it. The
 * index before the first item is -1.
 */
type ListPosition = readonly [cursor: PlatformCursor | null, count: number, index: number];

/**
 * Pages that can start after any item. The platform supports whole pages only, so a cursor contains the page and the
 * index of the item. The cursor of an item in the middle of a page fetches that page again. The cursor of the last item
 * fetches the next page.
 */
export const byEdge: Paging<EdgePage> = (cursors, { scope }, input) => {
  const edges = () => `${scope()} edges`;
  const { cursor: after, ...rest } = input;
  const place = typeof after === 'string' ? openEdge(cursors, edges(), after) : null;
  const [cursor, count, index] = place ?? [null, Number(input['count']), -1];
  const inPage = index >= 0;
  return {
    input: { ...rest, ...(cursor !== null && inputOf(cursor)), ...(inPage && { count }) },
    seal: (output) => {
      const page = output as EdgePage['output'] & { next_cursor: PlatformCursor | null };
      const size = inPage ? count : Number(input['count']);
      return {
        output: page,
        skip: index + 1,
        cursorAt: (at, total) => {
          const next = page.next_cursor;
          const found: ListPosition = at === total - 1 && next !== null ? [next, 0, -1] : [cursor, size, at];
          return cursors.seal(JSON.stringify(found), edges());
        },
      };
    },
  };
};

function openCursor(cursors: CursorSealer, scope: string, sealed: string, field = 'cursor'): string {
  const cursor = cursors.open(sealed, scope);
  if (cursor !== null) return cursor;
  throw foreignCursor(field);
}

function foreignCursor(field: string) {
  return malformedField(field, 'is not a next_cursor of this list, with these parameters and this auth_token');
}

function inputOf(cursor: PlatformCursor): Input {
  return typeof cursor === 'string' ? { cursor } : { ...cursor };
}

function openEdge(cursors: CursorSealer, scope: string, sealed: string): ListPosition {
  const place = cursors.open(sealed, scope);
  if (place !== null) return JSON.parse(place) as ListPosition;
  throw malformedField('after', 'is not a cursor of this list, with these arguments and this x-auth-token');
}
