import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorReasons } from '../../shared/errors/reasons.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import {
  afterClose,
  type GraphqlLocals,
  localsOf,
  longestOperationName,
  type RequestLocals,
} from '../http/request-locals.ts';
import { endTrace } from './trace-request.ts';

const callersOwnId = /^[\x21-\x7e]{1,64}$/;

export function newRequestId(runtime: Runtime): string {
  return runtime.randomBytes(9).toString('base64url');
}

/** Sets the `x-request-id` header of a response to the caller's own id, if it is short and printable, or to a new one. */
export function giveRequestId(request: IncomingMessage, response: ServerResponse, runtime: Runtime): void {
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && callersOwnId.test(given) ? given : newRequestId(runtime);
  localsOf(response).requestId = requestId;
  response.setHeader('x-request-id', requestId);
}

export interface Observers {
  runtime: Runtime;
  logger: Logger;
  metrics: Metrics;
}

/** Counts and logs a request after its response is closed. If the caller disconnected, waits until the handler has ended too. */
export function observeRequest(request: IncomingMessage, response: ServerResponse, observers: Observers): void {
  const { runtime, metrics } = observers;
  const startedAt = runtime.now();
  metrics.inFlight.inc();
  afterClose(response, () => {
    metrics.inFlight.dec();
    const ms = runtime.now() - startedAt;
    const locals = localsOf(response);
    const status = response.writableFinished ? response.statusCode : null;
    const ended = () => {
      const replayed = response.hasHeader('idempotent-replayed');
      requestEnded({ method: request.method, status, ms, replayed }, locals, observers);
    };
    if (status === null) void handlerEnded(locals).then(ended);
    else ended();
  });
}

/** Resolves when the handler has ended. The handler may begin after the caller has disconnected. */
async function handlerEnded(locals: RequestLocals): Promise<void> {
  let awaited: Promise<unknown> | undefined;
  while (awaited !== locals.handled) {
    awaited = locals.handled;
    await awaited?.catch(() => {});
    // The error handler records the reason of a failure in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Ended {
  method: string | undefined;
  /** The status of the response; `null` if the caller disconnected. */
  status: number | null;
  ms: number;
  /** True if a stored response was sent for an `Idempotency-Key`. */
  replayed: boolean;
}

/**
 * Writes the log line of a request and updates its metrics. The URL is not logged, because its query may contain an `auth_token`, and an
 * unknown path may contain any secret.
 */
export function requestEnded(
  { method, status, ms, replayed }: Ended,
  locals: RequestLocals,
  { logger, metrics }: Omit<Observers, 'runtime'>,
): void {
  const {
    action = 'none',
    requestId,
    trace,
    client,
    account,
    key,
    error,
    charged = 0,
    platformMicros,
    graphql,
    streamEnd,
    transport,
  } = locals;
  endTrace({ method, status }, locals);
  metrics.requestEnded(action, status, ms, error);
  const isKnown = account !== undefined;
  // The logger leaves out fields that are undefined.
  const line = {
    requestId,
    trace_id: trace?.traceId,
    method,
    action,
    transport,
    client: isKnown ? undefined : client,
    account,
    key: isKnown ? key?.id : undefined,
    status: status === null ? 'hung_up' : String(status),
    ms,
    code: error && errorReasons[error].code,
    reason: error,
    chargedMicros: isKnown ? charged : undefined,
    platformMicros: platformMicros || undefined,
    replayed: replayed || undefined,
    streamEnd,
    ...(graphql && describeGraphql(graphql, charged)),
  };
  logger.info(line, 'request');
}

function describeGraphql(
  { operationType, operationName, quoted, calls, charges, errors }: GraphqlLocals,
  charged: Micros,
) {
  if (operationType === undefined) return {};
  const byAction: Record<string, Micros> = {};
  for (const { action, micros } of charges) byAction[action] = (byAction[action] ?? 0) + micros;
  return {
    operationType,
    operationName: operationName?.slice(0, longestOperationName),
    quotedMicros: quoted,
    calls,
    charges: charged > 0 ? byAction : undefined,
    errors: errors || undefined,
  };
}
