import type { ServerResponse } from 'node:http';
import type { AuthenticatedKey } from '../../billing/api-key-authenticator.ts';
import type { Charge } from '../../billing/ledger.ts';
import { type RateState, rateRefusal } from '../../billing/rate-limiter.ts';
import type { PosternError } from '../../shared/errors/postern-error.ts';
import { type ErrorReason, errorReasons } from '../../shared/errors/reasons.ts';
import { errorTable } from '../../shared/errors/table.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { RequestTrace } from '../../shared/observability/tracing.ts';

/**
 * Facts about a request, collected while it is handled, for its log line. Express exposes them as `response.locals`. All fields are declared
 * here, because an object that gets its fields one by one costs each request more time and memory.
 */
export class RequestLocals {
  requestId = '';
  action: string | undefined;
  /** The path of the endpoint, in which a parameter is its name in braces: `/v1/webhooks/{id}`. */
  route: string | undefined;
  trace: RequestTrace | undefined;
  /** The id of the API account that pays. */
  account: string | undefined;
  key: AuthenticatedKey | undefined;
  /** The network of the client. Set only if the limit of requests without a key refused the request. */
  client: string | undefined;
  /** The reason of the error that the response reports. For GraphQL, the reason of the worst error. */
  error: ErrorReason | undefined;
  /** The amount that was charged for the request. */
  charged: Micros | undefined;
  /** The estimated price of the request at the platform, also if it failed. */
  platformMicros: Micros = 0;
  graphql: GraphqlLocals | undefined;
  /** Set if the request was a message of the Model Context Protocol. */
  transport: 'mcp' | undefined;
  /** The reason why this service ended a live stream. */
  streamEnd: string | undefined;
  /** Settles when the handler has ended. Until the handler begins, it is a promise that settles when the handler begins. */
  handled: Promise<unknown> | undefined;
  /** The state of the key's rate limit, which the headers of the response show. */
  rate: RateState | null = null;
  /** The tasks of `afterClose`. */
  closeTasks: (() => void)[] | undefined;
}

/** The maximum length of the name of a GraphQL operation in the log and in traces. Callers choose the name; it consists of letters, digits and underscores. */
export const longestOperationName = 64;

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
  /** The number of entries of `errors` in the response. */
  errors: number;
}

export function localsOf(response: ServerResponse): RequestLocals {
  const holder = response as ServerResponse & { locals?: RequestLocals };
  holder.locals ??= new RequestLocals();
  return holder.locals;
}

/**
 * Calls `task` once when the response closes. If the response is already closed, `task` is never called. All tasks of a response share one
 * listener, because `once` creates an object for each listener and every call has several tasks.
 */
export function afterClose(response: ServerResponse, task: () => void): void {
  const locals = localsOf(response);
  if (locals.closeTasks) {
    locals.closeTasks.push(task);
    return;
  }
  const tasks = [task];
  locals.closeTasks = tasks;
  response.once('close', () => {
    for (const each of tasks) each();
  });
}

/** Records the error of the response for the log. If several errors are recorded, the first one with the highest status is used. */
export function noteError(response: ServerResponse, { reason, status }: Pick<PosternError, 'reason' | 'status'>): void {
  const locals = localsOf(response);
  if (locals.error === undefined || status > errorTable[errorReasons[locals.error].code].status) locals.error = reason;
}

/**
 * Runs the handler of a request. The log line is written after the handler has ended, because a write continues, and is charged, even if
 * its caller disconnects.
 */
export function handle(response: ServerResponse, work: () => Promise<void>): Promise<void> {
  const handled = work();
  localsOf(response).handled = handled;
  return handled;
}

/** Stores the rate limit state for `showRate`. Throws `rate_limited` if the call is not allowed. */
export function applyRate(state: RateState | null, response: ServerResponse): void {
  localsOf(response).rate = state;
  if (state && !state.allowed) throw rateRefusal(state);
}

/**
 * Sets the headers with the remaining calls (draft-ietf-httpapi-ratelimit-headers-07). Each function that sends a response to a checked key
 * must call it before the first byte.
 */
export function showRate(response: ServerResponse): void {
  const state = localsOf(response).rate;
  if (state === null) return;
  response.setHeader('ratelimit-policy', `${state.limit};w=${state.windowSeconds}`);
  response.setHeader('ratelimit-limit', String(state.limit));
  response.setHeader('ratelimit-remaining', String(state.remaining));
  response.setHeader('ratelimit-reset', String(state.resetSeconds));
}
