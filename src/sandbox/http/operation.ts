import type { Platform } from '../platform.ts';
import type { User } from '../world/types.ts';
import type { Answer } from './answer.ts';
import type { Fields } from './input.ts';

export interface Call {
  readonly platform: Platform;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Fields;
}

export interface ActorCall extends Call {
  readonly actor: User;
}

interface Route {
  /** The contract's operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `{name}` for a part that varies. */
  readonly path: string;
}

/** For whoever calls with a token. */
export interface ActorOperation extends Route {
  readonly access: 'actor';
  handle(call: ActorCall): Answer | Promise<Answer>;
}

/** For anybody on this machine. */
export interface OpenOperation extends Route {
  readonly access: 'open' | 'control';
  handle(call: Call): Answer;
}

export type Operation = ActorOperation | OpenOperation;
