import type { ServerResponse } from 'node:http';
import { type FaultCandidate, type FaultRule, matchesRule } from '../faults/registry.ts';

/** The maximum number of waiting requests. Further requests get their response at once. */
const maxWaiting = 1_000;
const maxWaitingOfActor = 32;

/** A waiting request. `arrival` has the properties by which injected faults select requests. */
interface LongPoll {
  readonly arrival: FaultCandidate & { readonly actor: string };
  readonly wake: () => void;
}

/** Holds requests that wait for the next event of their actor. */
export class LongPolls {
  readonly #byActor = new Map<string, Set<LongPoll>>();
  #count = 0;
  #closed = false;

  /** The number of requests that wait, by the id of their actor. */
  get waiting(): Record<string, number> {
    return Object.fromEntries([...this.#byActor].map(([actor, polls]) => [actor, polls.size]));
  }

  /**
   * Resolves when the actor gets an event, or after `mostMs` milliseconds. Resolves earlier if the client disconnects,
   * an injected fault applies to the request, the dataset is reset, or too many requests are waiting.
   */
  wait(arrival: LongPoll['arrival'], mostMs: number, response: ServerResponse): Promise<void> {
    const ofActor = this.#byActor.get(arrival.actor) ?? new Set<LongPoll>();
    if (this.#closed || this.#count >= maxWaiting || ofActor.size >= maxWaitingOfActor) return Promise.resolve();
    this.#byActor.set(arrival.actor, ofActor);
    this.#count += 1;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        response.off('close', end);
        if (!ofActor.delete(poll)) return;
        this.#count -= 1;
        if (ofActor.size === 0) this.#byActor.delete(arrival.actor);
        resolve();
      };
      const timer = setTimeout(end, mostMs);
      const poll = { arrival, wake: end };
      ofActor.add(poll);
      response.once('close', end);
    });
  }

  /** Ends the waiting of an actor's requests. Call it when the actor gets an event. */
  wake(actor: string): void {
    for (const { wake } of [...(this.#byActor.get(actor) ?? [])]) wake();
  }

  wakeAll(): void {
    for (const actor of [...this.#byActor.keys()]) this.wake(actor);
  }

  /**
   * Ends the waiting of requests to which a new fault applies. The number is limited to the number of requests that the
   * fault affects.
   */
  wakeMatching(rule: FaultRule): void {
    let left = rule.remaining ?? Number.POSITIVE_INFINITY;
    for (const polls of [...this.#byActor.values()]) {
      for (const { arrival, wake } of [...polls]) if (left > 0 && matchesRule(rule, arrival) && left--) wake();
    }
  }

  /** Ends all waiting, and prevents further requests from waiting. */
  close(): void {
    this.#closed = true;
    this.wakeAll();
  }
}
