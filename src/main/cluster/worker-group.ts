import type { LimitCounters } from '../../billing/limit-counters.ts';
import type { GuessTurns } from '../../messaging/key-recovery/guess-turns.ts';
import type { Metrics } from '../../shared/observability/metrics.ts';
import { sleep, systemRuntime } from '../../shared/runtime/runtime.ts';
import type { TestEventLimit } from '../../webhooks/registration/test-event-limit.ts';
import type { Channel } from './channel.ts';
import type { LimitsApi, SupervisorApi } from './protocol.ts';

/** The group of workers that this process belongs to, with their shared state. */
export interface WorkerGroup {
  /** The number of this worker, beginning with 1. */
  readonly worker: number;
  /** The id of this worker in the store. A worker that replaces this one has the same id, so that both count as one process. */
  readonly processId: string;
  readonly counters: LimitCounters;
  readonly guesses: GuessTurns;
  readonly testEvents: TestEventLimit;
  /** Returns true if this worker stops because another worker has replaced it. */
  readonly isReplaced: () => boolean;
  /** Must be called after every heartbeat with the number of processes that share the store. */
  readonly heard: (liveProcesses: number) => void;
  readonly metrics: Metrics;
}

export function workerGroup(
  channel: Channel<SupervisorApi>,
  own: Pick<WorkerGroup, 'worker' | 'processId' | 'isReplaced' | 'metrics'>,
): WorkerGroup {
  return {
    ...own,
    counters: sharedCounters(channel),
    guesses: {
      waitSeconds: (accountId) => channel.call('guessWaitSeconds', accountId),
      begin: (accountId) => channel.call('beginGuess', accountId),
      end: (accountId, outcome) => channel.tell('endGuess', accountId, outcome),
    },
    testEvents: { take: (account) => channel.call('takeTestEvent', account) },
    heard: (liveProcesses) => channel.tell('liveProcesses', liveProcesses),
  };
}

/** The pause before a refused call is repeated. A message of another worker to the supervisor arrives sooner. */
const patienceMs = 20;

function sharedCounters(channel: Channel<SupervisorApi & LimitsApi>): LimitCounters {
  // A refusal is checked once more. Another worker may have released a slot, and its client may already have the response and send the next
  // request, before the supervisor has received the release.
  const patient = async <Result>(ask: () => Promise<Result>, isRefused: (result: Result) => boolean) => {
    const first = await ask();
    if (!isRefused(first)) return first;
    await sleep(systemRuntime, patienceMs);
    return ask();
  };
  return {
    admit: (key, limits) =>
      patient(
        () => channel.call('admit', key, limits),
        ({ entered }) => !entered,
      ),
    // If there is no limit, no message to the supervisor is needed.
    take: (kind, id, limit) => (limit === 0 ? null : channel.call('take', kind, id, limit)),
    add: (kind, id, events) => channel.tell('add', kind, id, events),
    enter: (kind, key, limit) =>
      patient(
        () => channel.call('enter', kind, key, limit),
        (entered) => !entered,
      ),
    leave: (kind, key) => channel.tell('leave', kind, key),
  };
}
