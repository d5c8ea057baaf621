import { effect, type Signal, signal } from '@preact/signals';
import { call } from '../../api.ts';
import { navigate } from '../../router.tsx';
import { actor, apiKey } from '../../session.ts';
import type { ExplorerCall } from './requests.ts';

/** The state of a call that costs money. States are kept in memory, so that going back costs nothing. */
export interface PaidState<T> {
  readonly data: T | null;
  readonly error: Error | null;
  readonly loading: boolean;
}

const mostKept = 300;
const initial: PaidState<never> = { data: null, error: null, loading: false };
const kept = new Map<string, Signal<PaidState<unknown>>>();

// Data that was loaded with one key must not be shown to the holder of another key.
effect(() => {
  if (apiKey.value !== undefined) kept.clear();
});

/** Returns the state of a call of the chosen actor. */
export function stateOf<T>({ name, input }: ExplorerCall): Signal<PaidState<T>> {
  const key = JSON.stringify([actor.value?.authToken, actor.value?.encryptionCode, name, input]);
  const found = kept.get(key) as Signal<PaidState<T>> | undefined;
  if (found !== undefined) return found;
  for (const old of kept.keys()) if (kept.size >= mostKept) kept.delete(old);
  const state = signal<PaidState<T>>(initial);
  kept.set(key, state);
  return state;
}

/** Makes a call, unless the call is running or has already returned data. */
export async function load<T>(shown: ExplorerCall): Promise<void> {
  const state = stateOf<T>(shown);
  if (state.value.loading || state.value.data !== null) return;
  state.value = { data: null, error: null, loading: true };
  try {
    // The call continues if the visitor leaves the page, because it may be paid already.
    const data = await call<T>(shown.name, shown.input, { asActor: true });
    state.value = { data, error: null, loading: false };
  } catch (error) {
    state.value = { data: null, error: error as Error, loading: false };
  }
}

/** Changes the data of an earlier call after a write, so that the call need not be paid for again. */
export function change<T>(shown: ExplorerCall, by: (data: T) => T): void {
  const state = stateOf<T>(shown);
  if (state.value.data !== null) state.value = { ...state.value, data: by(state.value.data) };
}

type Cursor = string | Readonly<Record<string, string>>;

export interface Page {
  readonly has_more: boolean;
  readonly next_cursor: Cursor | null;
}

/** Returns the calls for the first page and each further page that was requested, and the call for the next page if there is one. */
export function pagesOf(first: ExplorerCall): { calls: readonly ExplorerCall[]; next: ExplorerCall | null } {
  const calls = [first];
  for (let page = first; ; ) {
    const next = nextOf(page);
    if (next === null) return { calls, next: null };
    const { data, error, loading } = stateOf<Page>(next).value;
    if (data === null && error === null && !loading) return { calls, next };
    calls.push(next);
    page = next;
  }
}

function nextOf(page: ExplorerCall): ExplorerCall | null {
  const cursor = stateOf<Page>(page).value.data?.next_cursor ?? null;
  if (cursor === null) return null;
  return { ...page, input: { ...page.input, ...(typeof cursor === 'string' ? { cursor } : cursor) } };
}

/** The address of the link that the visitor clicked. A page that is opened in another way, such as by a reload, shows the price first. */
let wanted: string | null = null;

/** Notes that the visitor opens `to` and agrees to the price of its calls. */
export function want(to: string): void {
  wanted = to;
}

/** Opens a page of the explorer as a click on a link does. */
export function open(to: string): void {
  want(to);
  navigate(to);
}

/** Returns true once if the visitor asked for the current address. */
export function takeWanted(): boolean {
  const isWanted = wanted === location.pathname + location.search;
  wanted = null;
  return isWanted;
}

/** Stores data of this call that another call has returned, so that the visitor does not pay for it again. */
export function keep<T>(shown: ExplorerCall, data: T): void {
  const state = stateOf<T>(shown);
  if (state.value.data === null && !state.value.loading) state.value = { data, error: null, loading: false };
}
