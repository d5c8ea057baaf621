import type { OperationContract } from '../contract/schema.ts';
import type { User } from '../dataset/types.ts';
import type { SandboxState } from '../platform.ts';
import type { Received } from '../uploads/files.ts';
import type { SandboxResponse } from './answer.ts';
import type { Fields } from './input.ts';

export interface Call {
  readonly platform: SandboxState;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Fields;
  /** Of an operation that takes bytes, instead of `body`. */
  readonly received?: Received;
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
  readonly contract: OperationContract;
  /** The largest JSON that it takes; a MiB unless it says more. */
  readonly mostJsonBytes?: number;
}

/** For whoever calls with a token. */
export interface ActorOperation extends Route {
  readonly access: 'actor';
  /** Of one that takes bytes and no JSON: how many at most. May refuse by the headers alone. */
  mostBytes?(headers: Call['headers']): number;
  handle(call: ActorCall): SandboxResponse | Promise<SandboxResponse>;
}

/** For anybody on this machine. */
export interface OpenOperation extends Route {
  readonly access: 'open' | 'control';
  handle(call: Call): SandboxResponse;
}

export type Operation = ActorOperation | OpenOperation;
