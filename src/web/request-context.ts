import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { Runtime } from '../runtime/runtime.ts';

const callersOwnId = /^[\x21-\x7e]{1,64}$/;

export function newRequestId(runtime: Runtime): string {
  return runtime.randomBytes(9).toString('base64url');
}

/** Gives every response an `x-request-id`: the caller's own where it is short and printable, else a new one. */
export function requestId(runtime: Runtime): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && callersOwnId.test(given) ? given : newRequestId(runtime);
    response.locals['requestId'] = id;
    response.setHeader('x-request-id', id);
    next();
  };
}

/**
 * Counts and logs every request when it ends. Neither names the URL: its query may hold an `auth_token`, and a path
 * that we do not know may hold anything.
 */
export function observeRequests(runtime: Runtime, logger: Logger, metrics: Metrics): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const startedAt = runtime.now();
    metrics.inFlight.inc();
    response.once('close', () => {
      metrics.inFlight.dec();
      const ms = runtime.now() - startedAt;
      const { action = 'none', requestId: id, account } = response.locals;
      const status = response.writableFinished ? String(response.statusCode) : 'hung_up';
      metrics.requests.observe({ action, status }, ms / 1_000);
      logger.info({ requestId: id, method: request.method, action, account, status, ms }, 'request');
    });
    next();
  };
}
