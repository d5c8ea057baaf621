import type { ServerResponse } from 'node:http';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { Charge } from '../../billing/ledger.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import { type ErrorReason, errorReasons } from '../../shared/errors/reasons.ts';
import { errorTable } from '../../shared/errors/table.ts';
import type { Micros } from '../../shared/model/money.ts';

/** Facts about a request that are collected while it is handled, for its log line. Express exposes them as `response.locals`. */
export interface RequestLocals {
  requestId: string;
  action?: string;
  /** The id of the API account that pays. */
  account?: string;
  key?: AuthenticatedKey;
  /** The network of the client, if the limit of requests without a key refused it. */
  client?: string;
  /** The reason of the error that the response reports. For GraphQL, the worst error. */
  error?: ErrorReason;
  /** The amount that the request was charged. */
  charged?: Micros;
  graphql?: GraphqlLocals;
  /** The reason for which this service ended a live stream. */
  streamEnd?: string;
  /** Settles when the handler has ended. Before the handler begins, it is a promise that settles when the handler begins. */
  handled?: Promise<unknown>;
}

export interface GraphqlLocals {
  /** `query`, `mutation` or `subscription`. */
  operationType: string | undefined;
  operationName: string | undefined;
  /** The cost of the worst case, which was reserved. */
  quoted: Micros;
  /** The number of calls that ran, including failed calls. */
  calls: number;
  /** The charges of the calls that succeeded. */
  charges: readonly Charge[];
  /** Entries of `errors` in the response. */
  errors: number;
}

export function localsOf(response: ServerResponse): RequestLocals {
  const holder = response as ServerResponse & { locals?: RequestLocals };
  holder.locals ??= Object.assign(Object.create(null), { requestId: '' });
  return holder.locals as RequestLocals;
}

/** Notes the error of the response. If there are several, the first with the highest status counts. */
export function noteError(response: ServerResponse, { reason, status }: Pick<PosternError, 'reason' | 'status'>): void {
  const locals = localsOf(response);
  if (locals.error === undefined || status > errorTable[errorReasons[locals.error].code].status) locals.error = reason;
}

/**
 * Handles a request. The log line is written after the handler has ended, because a write continues, and is charged, after its caller
 * has hung up.
 */
export function handle(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  const handled = work();
  localsOf(response).handled = handled;
  return handled;
}
