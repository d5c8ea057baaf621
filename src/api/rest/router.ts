import { type Request, type Response, Router } from 'express';
import type { Action } from '../../actions/action.ts';
import type { ActionPipeline } from '../../actions/pipeline/action-pipeline.ts';
import type { ApiKeyAuthenticator } from '../../billing/api-key-authenticator.ts';
import type { ConcurrencyLimit } from '../../billing/concurrency-limit.ts';
import type { RateLimiter } from '../../billing/rate-limiter.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { turn } from '../../shared/runtime/turns.ts';
import { readApiKey } from '../http/api-key.ts';
import type { BodyBudget } from '../http/body-budget.ts';
import { streamOpened } from '../http/event-stream.ts';
import { readJsonBody } from '../http/json-body.ts';
import { countCall } from '../http/rate-limit.ts';
import { handle, localsOf } from '../http/request-locals.ts';
import { actionRoute } from './action-route.ts';
import { streamRoute } from './stream-route.ts';

export interface RestParts {
  pipeline: ActionPipeline;
  keys: ApiKeyAuthenticator;
  limiter: RateLimiter;
  streams: ConcurrencyLimit;
  requests: ConcurrencyLimit;
  bodies: BodyBudget;
  actions: readonly Action[];
}

const bodyLimitBytes = 1024 * 1024;
/** The limit for actions that accept media as base64. */
const largeBodyLimitBytes = 24 * 1024 * 1024;

/** The routes below `/v1`, one for each action. Express refuses unknown paths, and `refuseMethod` wrong methods, before anything else. */
export function restRouter(parts: RestParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use((_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  });
  for (const [path, group] of byPath(parts.actions)) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    // Express handles HEAD like GET, which would bill a call whose output is discarded.
    route.head(refuseMethod(group));
    for (const action of group) route[method(action)](actionHandler(action, parts));
    route.all(refuseMethod(group));
  }
  return router;
}

/** The order of checks (docs/rest.md, Errors) is the order of these steps: key, rate, body; then input, idempotency, credit, platform. */
function actionHandler(action: Action, parts: RestParts) {
  const { pipeline, keys, limiter, requests, bodies } = parts;
  const limitBytes = action.takesBase64 ? largeBodyLimitBytes : bodyLimitBytes;
  const perform = action.kind === 'stream' ? streamRoute(action, parts) : actionRoute(action, pipeline);
  return (request: Request, response: Response): Promise<void> =>
    handle(response, async () => {
      const locals = localsOf(response);
      locals.action = action.name;
      const key = await keys.authenticate(readApiKey(request));
      Object.assign(locals, { key, account: key.account });
      const leave = requests.enter(key.id);
      response.once(streamOpened, leave);
      try {
        countCall(limiter, key, response);
        if (action.method !== 'GET') {
          bodies.hold(request, response, key.account, limitBytes);
          request.body = await readJsonBody(request, { limitBytes, compressed: true });
          // Parsing 24 MiB takes long, so other requests get a turn before the input is checked.
          if (action.takesBase64) await turn();
        }
        await perform(request, response);
      } finally {
        leave();
      }
    });
}

/** Groups actions by path. `/webhooks/replay` comes before `/webhooks/{id}`, which would match it as an id. */
function byPath(actions: readonly Action[]): Map<string, Action[]> {
  const groups = new Map<string, Action[]>();
  const varies = ({ path }: Action) => Number(path.includes('{'));
  const inOrder = [...actions].sort((a, b) => varies(a) - varies(b));
  for (const action of inOrder) groups.set(action.path, [...(groups.get(action.path) ?? []), action]);
  return groups;
}

function method(action: Action) {
  return action.method.toLowerCase() as Lowercase<Action['method']>;
}

function refuseMethod(group: readonly Action[]) {
  const allowed = group.map((action) => action.method).join(', ');
  return (_request: Request, response: Response) => {
    response.setHeader('allow', allowed);
    throw new PosternError('method_not_allowed', `Wrong method: this path takes ${allowed}`);
  };
}
