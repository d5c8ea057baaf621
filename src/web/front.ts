import type { IncomingMessage, RequestListener } from 'node:http';
import { asPosternError } from '../errors/postern-error.ts';
import type { Logger } from '../observe/logger.ts';
import type { Metrics } from '../observe/metrics.ts';
import { sendError } from '../rest/envelope.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { requireHost } from './faults.ts';
import { giveRequestId, observeRequest } from './request-context.ts';

export interface FrontParts {
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
  graphqlPath: string;
  graphql: RequestListener;
  /** Everything else, and the page that a browser is shown at `graphqlPath`. */
  express: RequestListener;
}

/** The front door: what every request gets, then the way by its path. GraphQL inside Express would be a fifth slower. */
export function front({ runtime, logger, metrics, graphqlPath, graphql, express }: FrontParts): RequestListener {
  return (request, response) => {
    const locals = giveRequestId(request, response, runtime);
    observeRequest(request, response, locals, { runtime, logger, metrics });
    try {
      requireHost(request);
    } catch (error) {
      sendError(response, asPosternError(error));
      return;
    }
    const isGraphql = pathOf(request) === graphqlPath && !wantsPage(request);
    (isGraphql ? graphql : express)(request, response);
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
