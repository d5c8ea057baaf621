import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type ErrorReason, errorReasons } from '../errors/reasons.ts';

const seconds = [0.005, 0.025, 0.1, 0.25, 1, 5, 15];

const stages = [0.01, 0.05, 0.25, 1, 5, 30, 300, 3_600, 86_400];

export interface WebhookLoad {
  pollers: number;
  deliveries: number;
  streams: number;
}

export interface Backlog {
  waiting: number;
  oldestDueAt: number | null;
}

const statusClasses = ['2xx', '3xx', '4xx', '5xx'];

/** Returns the class of an HTTP status. It is `other` for invalid numbers, which a platform or a proxy may send. */
function statusClass(status: number): string {
  return statusClasses[Math.floor(status / 100) - 2] ?? 'other';
}

/**
 * The metrics of `/metrics`. Their number is bounded, because labels are names of actions and operations, statuses and other values from
 * fixed sets, never text from a caller or the platform. No histogram has two labels with many values.
 */
export class Metrics {
  readonly registry = new Registry();

  readonly #requests = new Counter({
    name: 'postern_http_requests_total',
    help: 'Requests answered, by action and class of the status (or hung_up).',
    labelNames: ['action', 'outcome'],
    registers: [this.registry],
  });

  readonly #responses = new Counter({
    name: 'postern_http_responses_total',
    help: 'Requests answered, by status (or hung_up).',
    labelNames: ['status'],
    registers: [this.registry],
  });

  readonly #requestSeconds = new Histogram({
    name: 'postern_http_request_duration_seconds',
    help: 'Time of requests, by action.',
    labelNames: ['action'],
    buckets: seconds,
    registers: [this.registry],
  });

  readonly #platformRequests = new Counter({
    name: 'postern_platform_requests_total',
    help: 'Requests made to the platform, by operation and outcome (class of the status, timeout, failed, or proxy_failed).',
    labelNames: ['operation', 'outcome'],
    registers: [this.registry],
  });

  readonly #platformSeconds = new Histogram({
    name: 'postern_platform_request_duration_seconds',
    help: 'Time of requests made to the platform, by outcome.',
    labelNames: ['outcome'],
    buckets: seconds,
    registers: [this.registry],
  });

  readonly ledgerCommits = new Counter({
    name: 'postern_ledger_commits_total',
    help: 'Attempts to commit credit changes to the store, by outcome.',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly callsCharged = new Counter({
    name: 'postern_calls_charged_total',
    help: 'Requests whose charge this process brought to the store.',
    registers: [this.registry],
  });

  readonly dollarsCharged = new Counter({
    name: 'postern_charged_dollars_total',
    help: 'Dollars that this process charged to accounts in the store.',
    registers: [this.registry],
  });

  readonly platformCost = new Counter({
    name: 'postern_platform_cost_dollars_total',
    help: 'Estimated dollars that the platform charges for the calls of this process, by price class; an upper bound.',
    labelNames: ['class'],
    registers: [this.registry],
  });

  readonly holdsSwept = new Counter({
    name: 'postern_holds_swept_total',
    help: 'Reservations of dead processes that this process gave back.',
    registers: [this.registry],
  });

  readonly eventsStored = new Histogram({
    name: 'postern_event_stored_seconds',
    help: "From the platform's time of an event to its place in the store.",
    buckets: stages,
    registers: [this.registry],
  });

  readonly activityGaps = new Counter({
    name: 'postern_activity_gaps_total',
    help: 'Polls after which events are missing, because the platform no longer had all of them.',
    registers: [this.registry],
  });

  readonly eventsAttempted = new Histogram({
    name: 'postern_event_first_attempt_seconds',
    help: 'From the store to the first attempt of a delivery.',
    buckets: stages,
    registers: [this.registry],
  });

  readonly eventsDelivered = new Histogram({
    name: 'postern_event_delivered_seconds',
    help: 'From the store to the attempt that succeeded.',
    buckets: stages,
    registers: [this.registry],
  });

  readonly deliveryAttempts = new Counter({
    name: 'postern_delivery_attempts_total',
    help: 'Attempts to deliver an event, by outcome (delivered, retrying, given_up).',
    labelNames: ['outcome'],
    registers: [this.registry],
  });

  readonly inFlight = new Gauge({
    name: 'postern_http_requests_in_flight',
    help: 'Requests being answered.',
    registers: [this.registry],
  });

  readonly #refusals = new Counter({
    name: 'postern_refusals_total',
    help: 'Requests that ended with an error, by error code and reason (docs/errors.md lists them).',
    labelNames: ['code', 'reason'],
    registers: [this.registry],
  });

  readonly #creditExhausted = new Counter({
    name: 'postern_platform_credit_exhausted',
    help: "Platform calls that failed because the operator's credit at the platform is used up.",
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Returns the content of `/metrics`. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Adds a metric whose labels describe this installation. Its value is always 1. */
  describe(labels: { version: string; platform: string; store: string }): void {
    new Gauge({
      name: 'postern_build_info',
      help: 'The version of Postern and of Node, the kind of the platform, and the kind of the store. Always 1.',
      labelNames: ['version', 'node', 'platform', 'store'],
      registers: [this.registry],
    }).set({ ...labels, node: process.versions.node }, 1);
  }

  /** Adds a metric for the number of open outgoing sockets by kind. The metric is read when `/metrics` is requested. */
  watchConnections(open: () => Readonly<Record<string, number>>): void {
    new Gauge({
      name: 'postern_outbound_connections',
      help: 'Open connections to other hosts, by kind (receiver, media, proxy, account_server, platform).',
      labelNames: ['kind'],
      registers: [this.registry],
      collect() {
        for (const [kind, value] of Object.entries(open())) this.set({ kind }, value);
      },
    });
  }

  /** Adds the parts of the app-wide rate limits that are left. They are read when `/metrics` is requested. */
  watchAppLimits(left: () => Readonly<Record<string, number>>): void {
    new Gauge({
      name: 'postern_platform_app_limit_left_ratio',
      help: "The part of a rate limit of the operator's whole app that was left at the last response, until it is reset, by limit.",
      labelNames: ['limit'],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [limit, value] of Object.entries(left())) this.set({ limit }, value);
      },
    });
  }

  /** Adds the number of pending timers. It is read when `/metrics` is requested. */
  watchTimers(pending: () => number): void {
    new Gauge({
      name: 'postern_timers',
      help: 'Pending timers of the service. Their number follows that of requests, pollers and deliveries.',
      registers: [this.registry],
      collect() {
        this.set(pending());
      },
    });
  }

  /** Adds the lengths of the queues in front of the store. They are read when `/metrics` is requested. */
  watchQueues(length: { storeCalls: () => number; charges: () => number }): void {
    const gauge = (name: string, help: string, value: () => number) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        collect() {
          this.set(value());
        },
      });
    const ofThread = 'Calls that wait for the thread of the embedded store. 0 with MongoDB.';
    gauge('postern_store_calls_waiting', ofThread, length.storeCalls);
    gauge('postern_charges_waiting', 'Charges of performed calls that are not in the store yet.', length.charges);
  }

  /**
   * Counts a request. `status` is `null` if the caller disconnected before the response was complete. `reason` is the reason of the error,
   * if there was one.
   */
  requestEnded(action: string, status: number | null, durationMs: number, reason?: ErrorReason): void {
    if (reason !== undefined) this.#refusals.inc({ code: errorReasons[reason].code, reason });
    this.#requests.inc({ action, outcome: status === null ? 'hung_up' : statusClass(status) });
    this.#responses.inc({ status: status === null ? 'hung_up' : String(status) });
    this.#requestSeconds.observe({ action }, durationMs / 1_000);
  }

  platformCreditExhausted(): void {
    this.#creditExhausted.inc();
  }

  /** Counts a platform call. `outcome` is a status, `timeout`, `failed` or `proxy_failed`. */
  platformRequestEnded(operation: string, outcome: string, durationMs: number): void {
    const bounded = /^\d+$/.test(outcome) ? statusClass(Number(outcome)) : outcome;
    this.#platformRequests.inc({ operation, outcome: bounded });
    this.#platformSeconds.observe({ outcome: bounded }, durationMs / 1_000);
  }

  /** Adds the metrics of webhooks. They are read when `/metrics` is requested. `storeNow` returns the time of the store's clock. */
  watchDeliveries(here: () => WebhookLoad, everywhere: () => Promise<Backlog>, storeNow: () => number): void {
    const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        async collect() {
          // If the store is unavailable, this metric is NaN and the other metrics are still returned.
          this.set(await Promise.resolve(value()).catch(() => Number.NaN));
        },
      });
    gauge('postern_pollers', 'Pollers that this process runs.', () => here().pollers);
    gauge('postern_deliveries_in_memory', 'Deliveries that this process has in memory.', () => here().deliveries);
    gauge('postern_streams', 'Live streams that are open in this process.', () => here().streams);
    const waiting = async () => (await everywhere()).waiting;
    const except = 'except those of paused and invalid webhooks';
    gauge('postern_deliveries_waiting', `Deliveries that wait in the store, ${except}.`, waiting);
    const oldestSeconds = async () => {
      const { oldestDueAt } = await everywhere();
      return oldestDueAt === null ? 0 : Math.max(0, (storeNow() - oldestDueAt) / 1_000);
    };
    const oldestHelp = `Time since the oldest waiting delivery was due, ${except}.`;
    gauge('postern_delivery_oldest_waiting_seconds', oldestHelp, oldestSeconds);
  }
}
