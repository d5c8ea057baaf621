import { malformedField } from '../../shared/errors/fields.ts';
import { isOwnedBy, type OwnerFields } from '../input/list-owner.ts';
import type { CursorSealer } from './cursor.ts';

type Input = Record<string, unknown>;

/** The list that cursors belong to. */
export interface PagedList {
  /** Returns the text that a cursor is bound to, without the fields in `leftOut`. Called only if there is a cursor. */
  scope: (leftOut?: readonly string[]) => string;
  /** The input fields that name the owner of the list; `null` if the list belongs to no user that the input names. */
  owner: OwnerFields | null;
}

/** Translates between the platform's cursors of a call and the sealed cursors that callers see. */
export type Paging<Output> = (cursors: CursorSealer, list: PagedList, input: Input) => OpenedPaging<Output>;

interface OpenedPaging<Output> {
  /** The input with the platform's own cursor. */
  input: Input;
  seal: (output: unknown) => Output;
}

/** A page that an action returned, with a cursor for each of its items. */
export interface EdgePage {
  output: Input & { has_more: boolean };
  /** The number of items at the beginning that the caller already has. */
  skip: number;
  /** Returns the cursor that continues after the item at `index`; this page has `count` items. */
  cursorAt: (index: number, count: number) => string;
}

export const noPaging: Paging<unknown> = (_cursors, _list, input) => ({ input, seal: (output) => output });

/**
 * Whole pages: `cursor` is the `next_cursor` of the page before (docs/rest.md, Pages). A cursor of a user's list contains the
 * owner, so a caller may continue the list with the owner's id, name, or name in another case.
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

/** The parts of a cursor of a list that may move while it is read (docs/direct-messages.md, Reading). */
export interface TwoParts {
  cursor_id: string;
  graph_snapshot_id: string;
}

/** Whole pages of a list whose cursor has two parts. A `cursor_id` is valid only with its `graph_snapshot_id`. */
export const byTwoParts: Paging<unknown> = (cursors, { scope }, input) => {
  const scopeOf = (snapshot: string) => `${scope()} ${snapshot}`;
  const { cursor_id: place, graph_snapshot_id: graph, ...rest } = input;
  const opened = () => {
    if (typeof place !== 'string' || typeof graph !== 'string') {
      throw malformedField(typeof place === 'string' ? 'graph_snapshot_id' : 'cursor_id', 'both parts go together');
    }
    const graph_snapshot_id = openCursor(cursors, scope(), graph, 'graph_snapshot_id');
    return { graph_snapshot_id, cursor_id: openCursor(cursors, scopeOf(graph_snapshot_id), place, 'cursor_id') };
  };
  return {
    input: place === undefined && graph === undefined ? input : { ...rest, ...opened() },
    seal: (output) => {
      const page = output as { next_cursor: TwoParts | null };
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

/** The platform's own cursor, in one part or two. */
type PlatformCursor = string | TwoParts;

/** A position in a list: the platform's cursor of the page, the size of the page, and the index of the item; -1 before the first item. */
type Place = readonly [cursor: PlatformCursor | null, count: number, index: number];

/**
 * Pages that begin after any item. The platform has only whole pages, so a cursor contains the page and the index of its item. The
 * cursor of an item in the middle of a page fetches that page again; the cursor of the last item leads to the next page.
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
          const found: Place = at === total - 1 && next !== null ? [next, 0, -1] : [cursor, size, at];
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

function openEdge(cursors: CursorSealer, scope: string, sealed: string): Place {
  const place = cursors.open(sealed, scope);
  if (place !== null) return JSON.parse(place) as Place;
  throw malformedField('after', 'is not a cursor of this list, with these arguments and this x-auth-token');
}
