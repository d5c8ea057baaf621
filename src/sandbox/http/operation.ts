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
  /** The bytes that were received, for an operation that takes bytes instead of JSON. */
  readonly received?: Received;
}

export interface ActorCall extends Call {
  readonly actor: User;
}

interface Route {
  /** The contract's operationId. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path, with `{name}` for each variable. */
  readonly path: string;
  readonly contract: OperationContract;
  /** The size limit of a JSON body. Default: 1 MiB. */
  readonly mostJsonBytes?: number;
}

/** An operation that requires a token. */
export interface ActorOperation extends Route {
  readonly access: 'actor';
  /** Makes the operation take bytes instead of JSON, and returns their limit. May refuse a request by its headers. */
  mostBytes?(headers: Call['headers']): number;
  handle(call: ActorCall): SandboxResponse | Promise<SandboxResponse>;
}

/** An operation that anybody on this machine may call. */
export interface OpenOperation extends Route {
  readonly access: 'open' | 'control';
  handle(call: Call): SandboxResponse;
}

export type Operation = ActorOperation | OpenOperation;
