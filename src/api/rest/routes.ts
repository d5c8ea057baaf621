import type { Action } from '../../actions/action.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';

/** The handlers of one path by method. There is no handler for HEAD, because it would charge a call whose output is discarded. */
export type Route<Handler> = ReadonlyMap<string, Handler>;

interface Routes<Handler> {
  /** Paths without parameters. */
  readonly fixed: ReadonlyMap<string, Route<Handler>>;
  readonly patterns: readonly { readonly pattern: RegExp; readonly route: Route<Handler> }[];
}

export function routesOf<Handler>(actions: readonly Action[], handlerOf: (action: Action) => Handler): Routes<Handler> {
  const byPath = new Map<string, Map<string, Handler>>();
  for (const action of actions) {
    const route = byPath.get(action.path) ?? new Map<string, Handler>();
    byPath.set(action.path, route.set(action.method, handlerOf(action)));
  }
  const isPattern = ([path]: [string, unknown]) => path.includes('{');
  const patterns = [...byPath].filter(isPattern).map(([path, route]) => ({
    pattern: new RegExp(`^${path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
    route,
  }));
  return { fixed: new Map([...byPath].filter((entry) => !isPattern(entry))), patterns };
}

/**
 * Returns the route of a path. Fixed paths are preferred to patterns. Throws `malformed_request` if the encoding of a parameter is invalid.
 */
export function findRoute<Handler>(
  { fixed, patterns }: Routes<Handler>,
  path: string,
): { route: Route<Handler>; params: Readonly<Record<string, string>> } | null {
  const route = fixed.get(path);
  if (route) return { route, params: {} };
  for (const { pattern, route } of patterns) {
    const match = pattern.exec(path);
    if (!match) continue;
    const params = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decode(value)]);
    return { route, params: Object.fromEntries(params) };
  }
  return null;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw undecodablePath();
  }
}

export function undecodablePath(): PosternError {
  return new PosternError(
    'malformed_request',
    'The path is wrongly encoded: a % must be followed by two hex digits of UTF-8',
  );
}

export function unknownPath(): PosternError {
  return new PosternError('unknown_path', 'Unknown path: the endpoints are below /v1, and /docs lists them');
}
