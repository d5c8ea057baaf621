import type { User } from '../dataset/types.ts';
import type { Viewer } from '../dataset/visibility.ts';
import type { Fields } from '../fields.ts';
import type { SandboxState } from '../platform.ts';
import type { SandboxResponse } from './response.ts';

export interface Call {
  readonly platform: SandboxState;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Fields;
}

interface Route {
  /** The operationId in the contract. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path, with `{name}` for each variable. */
  readonly path: string;
  /** The size limit of a JSON body. Default: 1 MiB. */
  readonly maxJsonBytes?: number;
}

/**
 * An operation that needs no token. Anybody on this machine may call `control` ones. `open` ones belong to the sign-in: they
 * are counted, take faults and accept forms.
 */
export interface PlainOperation extends Route {
  readonly access: 'control' | 'open';
  handle(call: Call): SandboxResponse;
}

type Declare = (id: string, method: Route['method'], path: string, handle: PlainOperation['handle']) => PlainOperation;
export const control: Declare = (id, method, path, handle) => ({ id, method, path, access: 'control', handle });
export const open: Declare = (id, method, path, handle) => ({ id, method, path, access: 'open', handle });

/** A request of Juicebox's protocol, whose token is for one user and one key realm. */
export interface RealmOperation extends Route {
  readonly access: 'realm';
  /** The size limit of the body. */
  readonly maxBytes: number;
  handle(call: Call & { readonly actor: User; readonly bytes: Buffer }): Promise<SandboxResponse>;
}

/** A call with a token. The viewer is null if the token is app-only. */
export interface TokenCall extends Call {
  readonly viewer: Viewer;
}

/** An operation of X's API v2, or an extension of it. */
export interface XOperation extends Route {
  readonly access: 'x';
  /** Returns the maximum time in milliseconds to wait for an event of the actor before the call is handled. */
  waitMs?(call: TokenCall): number;
  handle(call: TokenCall): SandboxResponse | Promise<SandboxResponse>;
}

export type Operation = PlainOperation | RealmOperation | XOperation;
