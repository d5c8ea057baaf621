import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';

const callersOwnId = /^[\x21-\x7e]{1,64}$/;

export function newRequestId(runtime: Runtime): string {
  return runtime.randomBytes(9).toString('base64url');
}

/** What is found out about a request on its way; Express' handlers know it as `response.locals`. */
export interface Locals {
  requestId: string;
  action?: string;
  account?: string;
}

/** Gives every response an `x-request-id`: the caller's own where it is short and printable, else a new one. */
export function giveRequestId(request: IncomingMessage, response: ServerResponse, runtime: Runtime): Locals {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && callersOwnId.test(given) ? given : newRequestId(runtime);
  const locals: Locals = Object.assign(Object.create(null), { requestId });
  Object.assign(response, { locals });
  response.setHeader('x-request-id', requestId);
  return locals;
}

/**
 * Counts and logs every request when it ends. Neither names the URL: its query may hold an `auth_token`, and a path
 * that we do not know may hold anything.
 */
export function observeRequest(
  request: IncomingMessage,
  response: ServerResponse,
  locals: Locals,
  { runtime, logger, metrics }: { runtime: Runtime; logger: Logger; metrics: Metrics },
): void {
  const startedAt = runtime.now();
  metrics.inFlight.inc();
  response.once('close', () => {
    metrics.inFlight.dec();
    const ms = runtime.now() - startedAt;
    const { action = 'none', requestId, account } = locals;
    metrics.requestEnded(action, response.writableFinished ? response.statusCode : null, ms);
    const status = response.writableFinished ? String(response.statusCode) : 'hung_up';
    logger.info({ requestId, method: request.method, action, account, status, ms }, 'request');
  });
}
