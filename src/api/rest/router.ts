import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Action } from '../../actions/action.ts';
import type { ActionPipeline } from '../../actions/pipeline/action-pipeline.ts';
import type { CallRecorder } from '../../billing/call-recorder.ts';
import type { KeyLimits } from '../../billing/key-limits.ts';
import { asPosternError, PosternError } from '../../shared/errors/postern-error.ts';
import { logFailure } from '../../shared/observability/failures.ts';
import type { Logger } from '../../shared/observability/logger.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { type AuthenticationParts, authenticate } from '../http/api-key.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import { streamOpened } from '../http/event-stream.ts';
import { readJsonBody } from '../http/json-body.ts';
import { parseQuery, type RequestTarget } from '../http/request.ts';
import { applyRate, handle, localsOf } from '../http/request-locals.ts';
import { actionRoute, type RestHandler } from './action-route.ts';
import { sendError } from './envelope.ts';
import { findRoute, type Route, routesOf, unknownPath } from './routes.ts';
import { streamRoute } from './stream-route.ts';

export interface RestParts extends AuthenticationParts {
  pipeline: ActionPipeline;
  limits: KeyLimits;
  recorder: CallRecorder;
  bodies: BodyBudget;
  logger: Logger;
  actions: readonly Action[];
}

export type RestListener = (request: IncomingMessage, response: ServerResponse, target: RequestTarget) => void;

/** The prefix of all REST paths. */
export const restBase = '/v1';

const bodyLimitBytes = 1024 * 1024;
/** The body limit of actions that accept base64 media. */
const largeBodyLimitBytes = 24 * 1024 * 1024;

/**
 * Returns the listener for the paths below `/v1`, with one route for each action. REST is not part of the Express app, because that
 * would make a read 5 % slower.
 */
export function restListener(parts: RestParts): RestListener {
  const routes = routesOf(parts.actions, (action) => actionHandler(action, parts));
  const respond = async (...[message, response, { path, query }]: Parameters<RestListener>) => {
    try {
      response.setHeader('cache-control', 'no-store');
      const found = findRoute(routes, path.slice(restBase.length));
      if (!found) throw unknownPath();
      const { route, params } = found;
      const handler = route.get(message.method ?? '') ?? refuseMethod(route, response);
      await handler({ message, query: parseQuery(query), params, body: undefined }, response);
    } catch (thrown) {
      const error = asPosternError(thrown);
      const { requestId, account, action } = localsOf(response);
      logFailure(parts.logger, requestId, error);
      if (account !== undefined && action !== undefined) parts.recorder.failed(account, action, error.code);
      sendError(response, error);
    }
  };
  return (message, response, target) => void handle(response, () => respond(message, response, target));
}

/** Makes the checks in the documented order (docs/rest.md, Errors): key, rate limit, body; then input, idempotency, credit, platform. */
function actionHandler(action: Action, parts: RestParts): RestHandler {
  const { pipeline, limits, bodies } = parts;
  const limitBytes = action.takesBase64 ? largeBodyLimitBytes : bodyLimitBytes;
  const route = `${restBase}${action.path}`;
  const announcement = deprecationHeaders(action);
  const serve = action.kind === 'stream' ? streamRoute(action, parts) : actionRoute(action, pipeline);
  return async (request, response) => {
    const locals = localsOf(response);
    locals.action = action.name;
    for (const [name, value] of announcement) response.setHeader(name, value);
    locals.route = route;
    // The URL of a stream may contain a token.
    if (action.kind === 'stream') response.setHeader('referrer-policy', 'no-referrer');
    const key = await authenticate(request.message, parts);
    Object.assign(locals, { key, account: key.account });
    const { rate, leave } = limits.admit(key);
    response.once(streamOpened, leave);
    try {
      applyRate(rate, response);
      bodies.hold(request.message, response, key.account, limitBytes);
      request.body = await readJsonBody(request.message, { limitBytes, compressed: true });
      // Parsing 24 MiB takes long, so other requests may run before the input is checked.
      if (action.takesBase64) await turn();
      await serve(request, response);
    } finally {
      leave();
    }
  };
}

/** Returns the headers `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` of all responses of a deprecated action. */
function deprecationHeaders({ deprecated }: Action): readonly (readonly [name: string, value: string])[] {
  if (deprecated === null) return [];
  return [
    ['deprecation', `@${Date.parse(deprecated.since) / 1_000}`],
    ['sunset', new Date(deprecated.sunset).toUTCString()],
    ['link', '</docs>; rel="deprecation"; type="text/html"'],
  ];
}

function refuseMethod(route: Route<RestHandler>, response: ServerResponse): never {
  const allowed = [...route.keys()].join(', ');
  response.setHeader('allow', allowed);
  throw new PosternError('method_not_allowed', `Wrong method: this path accepts ${allowed}`);
}
