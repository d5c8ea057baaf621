import type { IncomingMessage, RequestListener } from 'node:http';
import { asPosternError } from '../../shared/errors/postern-error.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { runInTurn } from '../../shared/runtime/turns.ts';
import type { GraphqlListener } from '../graphql/http.ts';
import { localsOf } from '../http/request-locals.ts';
import type { UnauthenticatedLimit } from '../http/unauthenticated-limit.ts';
import { sendError } from '../rest/envelope.ts';
import { closeWithConnection } from './connection-close.ts';
import { refuseAmbiguousHeaders } from './http-errors.ts';
import type { Overload } from './overload.ts';
import { giveRequestId, observeRequest } from './request-context.ts';

export interface HttpEntryPointParts {
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
  unauthenticated: UnauthenticatedLimit;
  overload: Overload;
  graphqlPath: string;
  graphql: GraphqlListener;
  /** Handles all other paths, and the page that a browser gets at `graphqlPath`. */
  express: RequestListener;
}

/** Operators need these paths most when other requests are refused. */
const exemptPaths = new Set(['/healthz', '/metrics']);

/**
 * Returns the listener of the HTTP server. It sets the request id, logs, makes the first checks (overload, the limit of an address,
 * ambiguous headers), then calls GraphQL or Express by the path. GraphQL inside Express would be a fifth slower.
 */
export function httpEntryPoint(parts: HttpEntryPointParts): RequestListener {
  const { runtime, unauthenticated, overload, graphqlPath, graphql, express } = parts;
  return (request, response) => {
    closeWithConnection(request, response);
    giveRequestId(request, response, runtime);
    response.setHeader('x-content-type-options', 'nosniff');
    observeRequest(request, response, parts);
    const path = pathOf(request);
    const isGraphql = path === graphqlPath && !wantsPage(request);
    const refuse = (error: unknown) => {
      response.setHeader('cache-control', 'no-store');
      if (isGraphql) graphql.refuse(request, response, asPosternError(error));
      else sendError(response, asPosternError(error));
    };
    const handle = () => {
      try {
        refuseAmbiguousHeaders(request);
        (isGraphql ? graphql : express)(request, response);
      } catch (error) {
        refuse(error);
      }
    };
    if (exemptPaths.has(path)) return handle();
    try {
      overload.enter(response);
      const lookingUp = request.method === 'OPTIONS' ? null : unauthenticated.admit(request, response);
      const begin = () =>
        new Promise<void>((resolve) => {
          runInTurn(() => {
            handle();
            resolve();
          });
        });
      const begun = lookingUp ? lookingUp.then(begin) : begin();
      localsOf(response).handled ??= begun;
    } catch (error) {
      refuse(error);
    }
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** Returns true if a browser opens the address as a page. */
function wantsPage({ method, headers, url = '' }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers.accept?.includes('text/html') === true && !/[?&]query=/.test(url);
}
