import { type NextFunction, type Request, type Response, Router } from 'express';
import type { KeyHolder, KeyRing } from '../billing/key-ring.ts';
import type { RateLimiter } from '../billing/rate-limiter.ts';
import type { StreamLimiter } from '../billing/stream-limiter.ts';
import type { Action } from '../core/action.ts';
import type { Core } from '../core/core.ts';
import { PosternError } from '../errors/postern-error.ts';
import { readApiKey } from '../headers/api-key.ts';
import { countCall } from '../headers/rate-limit.ts';
import { actionRoute } from './action-route.ts';
import { LargeBodies } from './large-bodies.ts';
import { largeBodyLimitBytes, readBody } from './read-input.ts';
import { streamRoute } from './stream-route.ts';

export interface RestParts {
  core: Core;
  keys: KeyRing;
  limiter: RateLimiter;
  streamLimiter: StreamLimiter;
  actions: readonly Action[];
}

/**
 * The routes below `/v1`, one for each action. The order of refusals (DECISIONS.md) is the order of the handlers:
 * path and method, key, rate, body, input, idempotency, credit, platform.
 */
export function restRouter({ core, keys, limiter, streamLimiter, actions }: RestParts): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use((_request, response, next) => {
    response.setHeader('cache-control', 'no-store');
    next();
  });
  const authenticate = async (request: Request, response: Response, next: NextFunction) => {
    const key = await keys.authenticate(readApiKey(request));
    Object.assign(response.locals, { key, account: key.account });
    next();
  };
  const limit = (_request: Request, response: Response, next: NextFunction) => {
    countCall(limiter, response.locals['key'] as KeyHolder, response);
    next();
  };
  const body = [readBody()];
  const largeBody = [new LargeBodies().bound(), readBody(largeBodyLimitBytes)];
  const bodyOf = ({ method, takesBase64 }: Action) => (method === 'GET' ? [] : takesBase64 ? largeBody : body);
  for (const [path, group] of byPath(actions)) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    // Express answers HEAD with the GET handler, which would bill a call whose answer nobody sees.
    route.head(refuseMethod(group));
    for (const action of group) {
      const noteAction = (_request: Request, response: Response, next: NextFunction) => {
        response.locals['action'] = action.name;
        next();
      };
      const handlers = [
        noteAction,
        authenticate,
        limit,
        ...bodyOf(action),
        action.kind === 'stream' ? streamRoute(action, { core, keys, streamLimiter }) : actionRoute(action, core),
      ];
      route[method(action)](...handlers);
    }
    route.all(refuseMethod(group));
  }
  return router;
}

/** `/webhooks/replay` before `/webhooks/{id}`, which would take its name for an id. */
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
