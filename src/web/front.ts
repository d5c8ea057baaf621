import type { IncomingMessage, RequestListener } from 'node:http';
import { asPosternError } from '../errors/postern-error.ts';
import type { GraphqlListener } from '../graphql/http.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { sendError } from '../rest/envelope.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { refuseAmbiguousHeaders } from './faults.ts';
import { giveRequestId, observeRequest } from './request-context.ts';

export interface FrontParts {
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
  graphqlPath: string;
  graphql: GraphqlListener;
  /** Everything else, and the page that a browser is shown at `graphqlPath`. */
  express: RequestListener;
}

/** The front door: what every request gets, then the way by its path. GraphQL inside Express would be a fifth slower. */
export function front({ runtime, logger, metrics, graphqlPath, graphql, express }: FrontParts): RequestListener {
  return (request, response) => {
    const locals = giveRequestId(request, response, runtime);
    response.setHeader('x-content-type-options', 'nosniff');
    observeRequest(request, response, locals, { runtime, logger, metrics });
    const isGraphql = pathOf(request) === graphqlPath && !wantsPage(request);
    try {
      refuseAmbiguousHeaders(request);
      (isGraphql ? graphql : express)(request, response);
    } catch (thrown) {
      const error = asPosternError(thrown);
      response.setHeader('cache-control', 'no-store');
      if (isGraphql) graphql.refuse(request, response, error);
      else sendError(response, error);
    }
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

/** A browser that was given the address, rather than a program. */
function wantsPage({ method, headers, url = '' }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers.accept?.includes('text/html') === true && !/[?&]query=/.test(url);
}
