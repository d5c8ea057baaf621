import type { Admission, CallLimits, RateKind, SlotKind } from '../../billing/limit-counters.ts';
import type { RateState } from '../../billing/rate-limiter.ts';
import type { GuessOutcome } from '../../messaging/key-recovery/guess-turns.ts';
import type { MetricsSnapshot } from '../../shared/observability/merged-metrics.ts';

/** Environment variables in which the supervisor passes a worker its number and its heartbeat id. */
export const workerNumberName = 'POSTERN_WORKER';
export const processIdName = 'POSTERN_WORKER_PROCESS_ID';

export interface Listening {
  readonly origin: string;
  /** The start-up message. */
  readonly welcome: string;
}

/** The functions for shared limits that a worker calls. */
export interface LimitsApi {
  admit(key: string, limits: CallLimits): Admission;
  take(kind: RateKind, id: string, limit: number): RateState | null;
  add(kind: RateKind, id: string, events: number): void;
  enter(kind: SlotKind, key: string, limit: number): boolean;
  leave(kind: SlotKind, key: string): void;
  guessWaitSeconds(accountId: string): number;
  beginGuess(accountId: string): Promise<number>;
  endGuess(accountId: string, outcome: GuessOutcome): void;
  takeTestEvent(account: string): number;
  /** Reports the number of live processes that share the store, according to the worker's last heartbeat. */
  liveProcesses(count: number): void;
}

/** The functions of the supervisor that a worker calls. */
export interface SupervisorApi extends LimitsApi {
  /** Returns the URL of the sandbox that the supervisor runs. Returns `null` if PLATFORM_URL is set. */
  sandboxUrl(): Promise<string | null>;
  listening(listening: Listening): void;
  /** Returns the text of `/metrics` for all workers. */
  metricsText(): Promise<string>;
  /** Passes the final metrics of a worker that stops. This is the worker's last call. */
  stopped(metrics: MetricsSnapshot): void;
}

/** The functions of a worker that the supervisor calls. */
export interface WorkerApi {
  metrics(): Promise<MetricsSnapshot>;
  /** Stops the worker gracefully. `replaced` is true if another worker has replaced this one. */
  stop(options: { replaced: boolean }): void;
}
