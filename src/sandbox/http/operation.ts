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

export interface ActorCall extends Call {
  readonly actor: User;
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

/** An operation that requires the token of a user. */
export interface ActorOperation extends Route {
  readonly access: 'actor';
  /** Returns the maximum time in milliseconds to wait for an event of the actor before the call is handled. */
  waitMs?(call: ActorCall): number;
  handle(call: ActorCall): SandboxResponse | Promise<SandboxResponse>;
}

/** An operation that anybody on this machine may call. */
export interface ControlOperation extends Route {
  readonly access: 'control';
  handle(call: Call): SandboxResponse;
}

/** A request of Juicebox's protocol, whose token is for one user and one key realm. */
export interface RealmOperation extends Route {
  readonly access: 'realm';
  /** The size limit of the body. */
  readonly maxBytes: number;
  handle(call: ActorCall & { readonly bytes: Buffer }): SandboxResponse | Promise<SandboxResponse>;
}

/** An operation of the sign-in, which needs no token. Unlike a control operation it is counted, takes faults and accepts forms. */
export interface OpenOperation extends Route {
  readonly access: 'open';
  handle(call: Call): SandboxResponse;
}

/** An operation in a form of the sandbox's own. */
export type Operation = ActorOperation | ControlOperation | RealmOperation | OpenOperation;

/** An operation of X's API v2, or an extension of it. */
export interface XOperation extends Route {
  readonly access: 'x';
  /** The viewer is null if the token is app-only. */
  handle(call: Call & { readonly viewer: Viewer }): SandboxResponse | Promise<SandboxResponse>;
}

export type RoutedOperation = Operation | XOperation;
