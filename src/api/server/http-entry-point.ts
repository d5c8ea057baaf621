import type { IncomingMessage, RequestListener } from 'node:http';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { isLoopbackHostHeader } from '../../shared/model/loopback.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Tracing } from '../../shared/observability/tracing.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { runInTurn, turn } from '../../shared/runtime/turns.ts';
import type { GraphqlListener } from '../graphql/http.ts';
import { readTarget } from '../http/request.ts';
import { localsOf } from '../http/request-locals.ts';
import type { UnauthenticatedLimit } from '../http/unauthenticated-limit.ts';
import type { McpListener } from '../mcp/http.ts';
import { sendError } from '../rest/envelope.ts';
import { type RestListener, restBase } from '../rest/router.ts';
import type { Cors } from './cors.ts';
import {
  decodeCredentialHeaders,
  refuseAmbiguousHeaders,
  refuseTransferCoding,
  sendErrorAsPreferred,
} from './http-errors.ts';
import type { Overload } from './overload.ts';
import { serializePipelined } from './pipelining.ts';
import { giveRequestId, observeRequest } from './request-context.ts';
import { traceRequest } from './trace-request.ts';

export interface HttpEntryPointParts {
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
  /** `null` if no traces are exported. */
  tracing: Tracing | null;
  unauthenticated: UnauthenticatedLimit;
  overload: Overload;
  /** The rules for programs of other origins; `null` if no origin is allowed. */
  cors: Cors | null;
  /** True if the API key that callers need is publicly known and only this machine may use it. */
  hasLocalDemo: boolean;
  graphqlPath: string;
  graphql: GraphqlListener;
  mcpPath: string;
  mcp: McpListener;
  rest: RestListener;
  /** Handles all other paths, and GraphiQL at `graphqlPath`. */
  express: RequestListener;
}

/** These paths are exempt from the checks, because operators need them most when other requests are refused. */
const exemptPaths = new Set(['/healthz', '/metrics']);

/**
 * Returns the listener of the HTTP server. It sets the request id, logs, makes the first checks (overload, limit of the client address,
 * ambiguous headers) and passes the request to GraphQL, REST, MCP or Express. The first three are not routes of Express, because that would
 * make them slower.
 */
export function httpEntryPoint(parts: HttpEntryPointParts): RequestListener {
  const { runtime, tracing, unauthenticated, overload, cors, hasLocalDemo } = parts;
  const { graphqlPath, graphql, mcpPath, mcp, rest, express } = parts;
  return serializePipelined((request, response) => {
    giveRequestId(request, response, runtime);
    response.setHeader('x-content-type-options', 'nosniff');
    observeRequest(request, response, parts);
    const target = readTarget(request.url ?? '');
    const { path } = target;
    const isGraphql = path === graphqlPath && !wantsPage(request);
    const isRest = path.startsWith(`${restBase}/`);
    const isMcp = path === mcpPath;
    if (cors && (isRest || isGraphql || isMcp) && cors.apply(request, response) === 'answered') return;
    const refuse = (error: unknown) => {
      response.setHeader('cache-control', 'no-store');
      if (isGraphql) graphql.refuse(request, response, asPosternError(error));
      else if (isRest || isMcp) sendError(response, asPosternError(error));
      else sendErrorAsPreferred(request, response, asPosternError(error));
    };
    const handle = () => {
      try {
        refuseTransferCoding(request, response);
        refuseAmbiguousHeaders(request);
        decodeCredentialHeaders(request);
        if (hasLocalDemo && (isGraphql || isRest)) refuseReboundPage(request, cors);
        if (isGraphql) graphql(request, response);
        else if (isRest) rest(request, response, target);
        else if (isMcp) {
          refuseForeignOrigin(request, cors);
          mcp(request, response, target);
        } else express(request, response);
      } catch (error) {
        refuse(error);
      }
    };
    const admit = () => {
      // Nothing would release the slot of a closed response.
      if (response.destroyed) return;
      try {
        overload.enter(response);
        const admitting = request.method === 'OPTIONS' ? null : unauthenticated.admit(request, response);
        if (admitting) localsOf(response).handled ??= admitting.then(turn).then(handle, refuse);
        else handle();
      } catch (error) {
        refuse(error);
      }
    };
    if (exemptPaths.has(path)) return handle();
    if (isGraphql || isMcp) localsOf(response).route = path;
    const trace = tracing && (isRest || isGraphql || isMcp) ? traceRequest(tracing, request, response) : null;
    runInTurn(trace ? () => trace.run(admit) : admit);
  });
}

/** Returns true if a browser opens the URL as a page. */
function wantsPage({ method, headers, url = '' }: IncomingMessage): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && headers.accept?.includes('text/html') === true && !/[?&]query=/.test(url);
}

/**
 * Refuses a web page whose origin is not in `CORS_ORIGINS`. With DNS rebinding a page can reach a gateway on the machine of its visitor, and
 * its requests have an `Origin`. Programs other than browsers send none.
 */
function refuseForeignOrigin({ headers: { origin } }: IncomingMessage, cors: Cors | null): void {
  if (origin === undefined || cors?.allows(origin)) return;
  throw new PosternError(
    'origin_not_allowed',
    'Pages of this origin may not call /mcp: the operator lists allowed origins in CORS_ORIGINS',
  );
}

/**
 * Refuses a web page that has reached this machine under the name of its own website, by DNS rebinding. Its browser takes the service for a part
 * of the website, so CORS does not apply, and the demo API key is publicly known. Without this check such a page could send requests to other
 * services of this machine, because webhooks on `http://localhost` are allowed.
 */
function refuseReboundPage({ headers: { origin, host } }: IncomingMessage, cors: Cors | null): void {
  if (origin === undefined || isLoopbackHostHeader(host) || cors?.allows(origin)) return;
  if (origin.replace(/^https?:\/\//i, '').toLowerCase() !== host?.toLowerCase()) return;
  throw new PosternError(
    'origin_not_allowed',
    'The sandbox on this machine may be called by pages at localhost and 127.0.0.1, and by those of PUBLIC_URL and CORS_ORIGINS',
  );
}
