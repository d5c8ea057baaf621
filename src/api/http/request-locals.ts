import type { ServerResponse } from 'node:http';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { Charge } from '../../billing/ledger.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import { type ErrorReason, errorReasons } from '../../shared/errors/reasons.ts';
import { errorTable } from '../../shared/errors/table.ts';
import type { Micros } from '../../shared/model/money.ts';

/** What is found out about a request while it is handled, for its log line. Express' handlers know it as `response.locals`. */
export interface RequestLocals {
  requestId: string;
  action?: string;
  /** The id of the API account that pays. */
  account?: string;
  key?: AuthenticatedKey;
  /** The network of the client, if the limit of requests without a key refused it. */
  client?: string;
  /** Of the response; the worst one of GraphQL. */
  error?: ErrorReason;
  /** What the request was charged in the end. */
  charged?: Micros;
  graphql?: GraphqlLocals;
  /** Why a live stream ended before its time. */
  streamEnd?: string;
  /** Settles when the handler has ended, or has begun: then this is replaced by the promise of the handler. */
  handled?: Promise<unknown>;
}

export interface GraphqlLocals {
  /** `query`, `mutation` or `subscription`. */
  operationType: string | undefined;
  operationName: string | undefined;
  /** The worst case, which was reserved. */
  quoted: Micros;
  /** Calls that ran, those that failed included. */
  calls: number;
  /** Of the calls that succeeded. */
  charges: readonly Charge[];
  /** Entries of `errors` in the response. */
  errors: number;
}

export function localsOf(response: ServerResponse): RequestLocals {
  const holder = response as ServerResponse & { locals?: RequestLocals };
  holder.locals ??= Object.assign(Object.create(null), { requestId: '' });
  return holder.locals as RequestLocals;
}

/** Notes the error of the response. Of several the one with the highest status counts, and of those the first. */
export function noteError(response: ServerResponse, { reason, status }: Pick<PosternError, 'reason' | 'status'>): void {
  const locals = localsOf(response);
  if (locals.error === undefined || status > errorTable[errorReasons[locals.error].code].status) locals.error = reason;
}

/**
 * Handles a request. Its log line waits until the handler has ended, because a write runs on, and is charged, after its caller hung up.
 */
export function handle(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  const handled = work();
  localsOf(response).handled = handled;
  return handled;
}
