import { effect, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ConnectionView } from '../shared/model/connection.ts';
import { call, type Loaded } from './api.ts';
import { apiKey } from './session.ts';

type Connections = readonly ConnectionView[];
type State = Omit<Loaded<Connections>, 'reload'>;

const initial: State = { data: null, error: null, loading: false };
const state = signal<State>(initial);
/** Only the newest request may change the state. */
let newest = 0;

effect(() => {
  // Another key may belong to another account.
  if (apiKey.value !== undefined) {
    newest++;
    state.value = initial;
  }
});

/** Loads the connections of the account, newest first. Earlier ones stay visible meanwhile. */
export async function loadConnections(): Promise<void> {
  const own = ++newest;
  state.value = { ...state.value, error: null, loading: true };
  try {
    const data: ConnectionView[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page: { connections: ConnectionView[]; next_cursor: string | null } = await call('connections/list', {
        count: 100,
        cursor,
      });
      data.push(...page.connections);
      cursor = page.next_cursor;
    }
    if (own === newest) state.value = { data: data.reverse(), error: null, loading: false };
  } catch (error) {
    if (own === newest) state.value = { ...state.value, error: error as State['error'], loading: false };
  }
}

/** Returns the connections of the account, which all pages share. Loads them if no page has done so, or if they must be `fresh`. */
export function useConnections({ fresh = false } = {}): Loaded<Connections> {
  useEffect(() => {
    if (fresh || state.value === initial) void loadConnections();
  }, []);
  return { ...state.value, reload: loadConnections };
}

/** Returns the name of the connected user. */
export function nameOf({ user }: ConnectionView): string {
  return user ? `@${user.userName}` : 'New account';
}
