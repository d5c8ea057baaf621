import { badRequest, notFound } from '../refusal.ts';
import type { Operation } from './operation.ts';
import { Problem } from './problem.ts';

export interface Routed {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly segments: readonly string[];
  readonly methods: Map<string, Operation>;
}

const NO_PARAMS = {};

/** Finds the operation for a method and a path. Paths without variables take precedence over paths with variables. */
export class Router {
  readonly #literal = new Map<string, Map<string, Operation>>();
  /**
   * Grouped by the number of segments and the first two segments, so that each request is compared with few patterns.
   */
  readonly #patterns = new Map<string, Pattern[]>();

  constructor(operations: readonly Operation[]) {
    const byPath = new Map<string, Map<string, Operation>>();
    for (const operation of operations) {
      const methods = byPath.get(operation.path) ?? new Map<string, Operation>();
      methods.set(operation.method, operation);
      byPath.set(operation.path, methods);
    }
    for (const [path, methods] of byPath) {
      if (path.includes('{')) this.#addPattern(path.split('/'), methods);
      else this.#literal.set(path, methods);
    }
  }

  route(method: string, path: string): Routed {
    const literal = this.#literal.get(path);
    if (literal !== undefined) return { operation: choose(literal, method), params: NO_PARAMS };
    const segments = path.split('/');
    for (const group of [groupOf(segments), GENERAL]) {
      for (const pattern of this.#patterns.get(group) ?? []) {
        const params = match(pattern.segments, segments);
        if (params !== undefined) return { operation: choose(pattern.methods, method), params };
      }
    }
    throw notFound('route', path);
  }

  #addPattern(segments: readonly string[], methods: Map<string, Operation>): void {
    const group = groupOf(segments);
    const others = this.#patterns.get(group);
    if (others === undefined) this.#patterns.set(group, [{ segments, methods }]);
    else others.push({ segments, methods });
  }
}

/** The group of patterns that have a variable in the first two segments. */
const GENERAL = '';

function groupOf(segments: readonly string[]): string {
  const [, first = '', second = ''] = segments;
  return first.startsWith('{') || second.startsWith('{') ? GENERAL : `${segments.length}/${first}/${second}`;
}

function choose(methods: Map<string, Operation>, method: string): Operation {
  const operation = methods.get(method);
  if (operation !== undefined) return operation;
  const allow = [...methods.keys()].join(', ');
  throw new Problem(405, 'method_not_allowed', `This path supports only ${allow}`, {}, { allow });
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (!part.startsWith('{')) {
      if (part !== segment) return undefined;
    } else if (segment === '') return undefined;
    else params[part.slice(1, -1)] = decodeSegment(segment);
  }
  return params;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest('path', 'The path is not valid percent-encoding');
  }
}
