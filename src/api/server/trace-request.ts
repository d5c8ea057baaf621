import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorReasons } from '../../shared/errors/reasons.ts';
import { errorTable } from '../../shared/errors/table.ts';
import { methodAttribute, type RequestTrace, type Tracing } from '../../shared/observability/tracing.ts';
import { streamOpened } from '../http/event-stream.ts';
import { localsOf, longestOperationName, type RequestLocals } from '../http/request-locals.ts';

/**
 * Begins the trace of a request. `observeRequest` ends its span together with the log line. The span of a stream ends when the stream is
 * open, because a stream may stay open for days.
 */
export function traceRequest(tracing: Tracing, request: IncomingMessage, response: ServerResponse): RequestTrace {
  const { method = '', headers } = request;
  const trace = tracing.begin(method, headers);
  const locals = localsOf(response);
  locals.trace = trace;
  response.once(streamOpened, () => endTrace({ method, status: response.statusCode }, locals));
  return trace;
}

/**
 * Ends the span of a request. `status` is `null` if the caller disconnected. The span has no path, because an unknown path may contain any
 * secret; the route replaces it.
 */
export function endTrace(
  { method, status }: { method: string | undefined; status: number | null },
  { trace, route, action, requestId, account, key, error, charged, graphql }: RequestLocals,
): void {
  if (!trace) return;
  const isFault = (status ?? 0) >= 500 || (error !== undefined && errorTable[errorReasons[error].code].status >= 500);
  const attributes = {
    'http.route': route,
    'http.response.status_code': status ?? undefined,
    'error.type': isFault ? (error ?? String(status)) : undefined,
    'graphql.operation.type': graphql?.operationType,
    'graphql.operation.name': graphql?.operationName?.slice(0, longestOperationName),
    'postern.request_id': requestId,
    'postern.action': action,
    'postern.account': account,
    'postern.key': account === undefined ? undefined : key?.id,
    'postern.reason': error,
    'postern.charged_micros': account === undefined ? undefined : (charged ?? 0),
    'postern.hung_up': status === null ? true : undefined,
  };
  const name = methodAttribute(method) === '_OTHER' ? 'HTTP' : method;
  trace.end(route === undefined ? `${name}` : `${name} ${route}`, attributes, isFault);
}
