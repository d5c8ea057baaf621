import type { InjectedFault } from './fault.ts';

/** Which requests a fault meets; what is left out does not matter. */
export interface Target {
  readonly operation?: string;
  readonly method?: string;
  readonly path_prefix?: string;
  /** A user id. */
  readonly actor?: string;
}

export interface Rule extends Target {
  readonly id: string;
  readonly fault: InjectedFault;
  /** How many more requests it meets; null: until cleared. */
  remaining: number | null;
}

export interface Arrival {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly actor: string | undefined;
}

/** The faults that wait for a request. The oldest that fits is taken, one for each request. */
export class FaultRegistry {
  #rules: Rule[] = [];
  #made = 0;

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  add(fault: InjectedFault, target: Target, times: number | null): Rule {
    const rule: Rule = { id: `fault-${++this.#made}`, fault, ...target, remaining: times };
    this.#rules.push(rule);
    return rule;
  }

  clear(): number {
    const cleared = this.#rules.length;
    this.#rules = [];
    return cleared;
  }

  take(arrival: Arrival): InjectedFault | undefined {
    if (this.#rules.length === 0) return undefined;
    const rule = this.#rules.find((candidate) => fits(candidate, arrival));
    if (rule === undefined) return undefined;
    if (rule.remaining !== null && --rule.remaining <= 0) this.#rules = this.#rules.filter((other) => other !== rule);
    return rule.fault;
  }
}

function fits(rule: Rule, arrival: Arrival): boolean {
  // A readiness probe must not use up a fault that was meant for the next call.
  if (arrival.operation === 'ping' && rule.operation === undefined && rule.path_prefix === undefined) return false;
  return (
    (rule.operation === undefined || rule.operation === arrival.operation) &&
    (rule.method === undefined || rule.method === arrival.method) &&
    (rule.path_prefix === undefined || arrival.path.startsWith(rule.path_prefix)) &&
    (rule.actor === undefined || rule.actor === arrival.actor)
  );
}
