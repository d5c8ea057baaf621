import { LocalCounters, type SlotKind } from '../../billing/limit-counters.ts';
import { LocalGuessTurns } from '../../messaging/key-recovery/guess-turns.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { LocalTestEventLimit } from '../../webhooks/registration/test-event-limit.ts';
import type { LimitsApi } from './protocol.ts';

/** Limits that all workers of a supervisor share. Rates and concurrent requests are counted exactly over all workers. */
export class SharedLimits {
  readonly #counters: LocalCounters;
  readonly #guesses: LocalGuessTurns;
  readonly #testEvents: LocalTestEventLimit;
  #liveProcesses: number;

  constructor(runtime: Runtime, workers: number) {
    this.#liveProcesses = workers;
    // Only the share of this supervisor's workers is allowed, because other gateways of the same store have their own share.
    const processes = () => Math.max(1, this.#liveProcesses / workers);
    this.#counters = new LocalCounters({ runtime, processes });
    this.#guesses = new LocalGuessTurns(runtime);
    this.#testEvents = new LocalTestEventLimit(runtime);
  }

  /** Returns the functions for one worker, and a function that releases everything the worker holds after it has ended. */
  openSession(): { api: LimitsApi; end: () => void } {
    const counters = this.#counters;
    const guesses = this.#guesses;
    const slots: Record<SlotKind, Map<string, number>> = { requests: new Map(), streams: new Map() };
    const turns = new Map<string, number>();
    let ended = false;
    const count = (held: Map<string, number>, key: string, by: 1 | -1) => {
      const now = (held.get(key) ?? 0) + by;
      if (now > 0) held.set(key, now);
      else held.delete(key);
    };
    const api: LimitsApi = {
      admit(key, limits) {
        const admission = counters.admit(key, limits);
        if (admission.entered) count(slots.requests, key, 1);
        return admission;
      },
      take: (kind, id, limit) => counters.take(kind, id, limit),
      add: (kind, id, events) => counters.add(kind, id, events),
      enter(kind, key, limit) {
        const entered = counters.enter(kind, key, limit);
        if (entered) count(slots[kind], key, 1);
        return entered;
      },
      leave(kind, key) {
        counters.leave(kind, key);
        count(slots[kind], key, -1);
      },
      guessWaitSeconds: (accountId) => guesses.waitSeconds(accountId),
      async beginGuess(accountId) {
        const seconds = await guesses.begin(accountId);
        if (seconds === 0 && ended) guesses.end(accountId, 'other');
        else if (seconds === 0) count(turns, accountId, 1);
        return seconds;
      },
      endGuess(accountId, outcome) {
        count(turns, accountId, -1);
        guesses.end(accountId, outcome);
      },
      takeTestEvent: (account) => this.#testEvents.take(account),
      liveProcesses: (live) => {
        this.#liveProcesses = live;
      },
    };
    const end = () => {
      ended = true;
      for (const kind of ['requests', 'streams'] as const) {
        for (const [key, held] of slots[kind]) for (let i = 0; i < held; i++) counters.leave(kind, key);
      }
      // A guess of a dead worker counts as wrong, because the realms may have counted it too.
      for (const accountId of turns.keys()) guesses.end(accountId, 'wrong');
    };
    return { api, end };
  }
}
