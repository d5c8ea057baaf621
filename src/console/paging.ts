import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type ApiError, call, isFree } from './api.ts';

/** A list that is loaded page by page. */
export interface Pages<Item> {
  /** The items so far; `null` before the first page. */
  items: readonly Item[] | null;
  hasMore: boolean;
  error: ApiError | null;
  loading: boolean;
  /** Loads the next page, or the first one. */
  more: () => void;
  /** Loads the first page again and forgets the others. */
  reload: () => void;
}

interface State<Item> {
  items: readonly Item[] | null;
  cursor: string | null;
  error: ApiError | null;
  loading: boolean;
}

/** A list whose responses have the items in `field`. Nothing is loaded before `more` is called. */
export function usePages<Item>(
  name: string,
  field: string,
  input: Readonly<Record<string, unknown>> = {},
): Pages<Item> {
  const [state, setState] = useState<State<Item>>({ items: null, cursor: null, error: null, loading: false });
  const text = JSON.stringify(input);
  // Only the newest request may change the state.
  const newest = useRef(0);
  const load = useCallback(
    async (cursor: string | null, before: readonly Item[]) => {
      const own = ++newest.current;
      setState((state) => ({ ...state, error: null, loading: true }));
      try {
        const data = await call<Record<string, unknown>>(name, { ...JSON.parse(text), cursor: cursor ?? undefined });
        if (own !== newest.current) return;
        const items = [...before, ...(data[field] as Item[])];
        setState({ items, cursor: data['next_cursor'] as string | null, error: null, loading: false });
      } catch (error) {
        if (own === newest.current) setState((state) => ({ ...state, error: error as ApiError, loading: false }));
      }
    },
    [name, field, text],
  );
  return {
    ...state,
    hasMore: state.cursor !== null,
    more: () => void load(state.cursor, state.items ?? []),
    reload: () => void load(null, []),
  };
}

/** A list from a free call. Its first page is loaded at once. */
export function useFreePages<Item>(
  name: string,
  field: string,
  input: Readonly<Record<string, unknown>> = {},
): Pages<Item> {
  if (!isFree(name)) throw new Error(`${name} is not free: load it when the visitor asks for it`);
  const pages = usePages<Item>(name, field, input);
  useEffect(() => pages.more(), []);
  return pages;
}
