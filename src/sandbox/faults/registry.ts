import type { InjectedFault } from './fault.ts';

/** Selects the requests that a fault affects. Fields that are undefined match every request. */
export interface FaultTarget {
  readonly operation: string | undefined;
  readonly method: string | undefined;
  readonly path_prefix: string | undefined;
  /** The user id of the actor. */
  readonly actor: string | undefined;
}

export interface FaultRule extends FaultTarget {
  readonly id: string;
  readonly fault: InjectedFault;
  /** The number of requests that the fault still affects. Null: all requests until the fault is cleared. */
  remaining: number | null;
}

export interface FaultCandidate {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly actor: string | undefined;
}

/** Holds the injected faults. Each request takes at most one fault: the oldest that matches. */
export class FaultRegistry {
  #rules: FaultRule[] = [];
  #made = 0;

  get rules(): readonly FaultRule[] {
    return this.#rules;
  }

  add(fault: InjectedFault, target: FaultTarget, times: number | null): FaultRule {
    const rule: FaultRule = { id: `fault-${++this.#made}`, fault, ...target, remaining: times };
    this.#rules.push(rule);
    return rule;
  }

  clear(): number {
    const cleared = this.#rules.length;
    this.#rules = [];
    return cleared;
  }

  take(arrival: FaultCandidate): InjectedFault | undefined {
    if (this.#rules.length === 0) return undefined;
    const rule = this.#rules.find((candidate) => matchesRule(candidate, arrival));
    if (rule === undefined) return undefined;
    if (rule.remaining !== null && --rule.remaining <= 0) this.#rules = this.#rules.filter((other) => other !== rule);
    return rule.fault;
  }
}

/** Calls that precede others, or check that the platform responds. They must not use up a fault that is meant for another operation. */
const lookUps = new Set([
  'getUsersMe',
  'getUsersByUsername',
  'oauth2Authorize',
  'oauth2Consent',
  'oauth2Token',
  'oauth2Revoke',
]);

/** Returns true if a fault applies to a request. */
export function matchesRule(rule: FaultRule, arrival: FaultCandidate): boolean {
  if (lookUps.has(arrival.operation) && rule.operation === undefined && rule.path_prefix === undefined) return false;
  return (
    (rule.operation === undefined || rule.operation === arrival.operation) &&
    (rule.method === undefined || rule.method === arrival.method) &&
    (rule.path_prefix === undefined || arrival.path.startsWith(rule.path_prefix)) &&
    (rule.actor === undefined || rule.actor === arrival.actor)
  );
}
