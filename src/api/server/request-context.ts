import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorReasons } from '../../shared/errors/reasons.ts';
import type { Micros } from '../../shared/model/money.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { type GraphqlLocals, localsOf, type RequestLocals } from '../http/request-locals.ts';

const callersOwnId = /^[\x21-\x7e]{1,64}$/;

export function newRequestId(runtime: Runtime): string {
  return runtime.randomBytes(9).toString('base64url');
}

/** Gives every response an `x-request-id`: the caller's own if it is short and printable, otherwise a new one. */
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

/** Counts and logs every request when it has ended: when the response is closed, and after a hang-up when the handler has ended too. */
export function observeRequest(request: IncomingMessage, response: ServerResponse, observers: Observers): void {
  const { runtime, metrics } = observers;
  const startedAt = runtime.now();
  metrics.inFlight.inc();
  response.once('close', () => {
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

/** Resolves when the handler has ended. It may have begun after its caller hung up. */
async function handlerEnded(locals: RequestLocals): Promise<void> {
  let awaited: Promise<unknown> | undefined;
  while (awaited !== locals.handled) {
    awaited = locals.handled;
    await awaited?.catch(() => {});
    // The error handler notes the reason of a failure in the next turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Ended {
  method: string | undefined;
  /** `null` if the caller hung up. */
  status: number | null;
  ms: number;
  /** The response is the kept one of an `Idempotency-Key`. */
  replayed: boolean;
}

/**
 * Writes the one log line of a request and updates its metrics. No URL is logged, because its query may contain an `auth_token`, and
 * an unknown path may contain any secret.
 */
export function requestEnded(
  { method, status, ms, replayed }: Ended,
  { action = 'none', requestId, client, account, key, error, charged = 0, graphql, streamEnd }: RequestLocals,
  { logger, metrics }: Omit<Observers, 'runtime'>,
): void {
  metrics.requestEnded(action, status, ms, error);
  const who = account === undefined ? { client } : { account, key: key?.id };
  const why = error === undefined ? {} : { code: errorReasons[error].code, reason: error };
  const cost = account === undefined ? {} : { chargedMicros: charged };
  const rest = { ...(replayed && { replayed }), ...(streamEnd !== undefined && { streamEnd }) };
  const shown = status === null ? 'hung_up' : String(status);
  const line = { requestId, method, action, ...who, status: shown, ms, ...why, ...cost, ...rest };
  logger.info(graphql ? { ...line, ...describeGraphql(graphql, charged) } : line, 'request');
}

/** The longest operation name that is logged. It is text from the caller, of letters, digits and underscores. */
const longestName = 64;

function describeGraphql(
  { operationType, operationName, quoted, calls, charges, errors }: GraphqlLocals,
  charged: Micros,
) {
  if (operationType === undefined) return {};
  const byAction: Record<string, Micros> = {};
  for (const { action, micros } of charges) byAction[action] = (byAction[action] ?? 0) + micros;
  return {
    operationType,
    ...(operationName !== undefined && { operationName: operationName.slice(0, longestName) }),
    quotedMicros: quoted,
    calls,
    ...(charged > 0 && { charges: byAction }),
    ...(errors > 0 && { errors }),
  };
}
