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

  readonly #requests = this.#counter(
    'postern_http_requests_total',
    'Requests answered, by action and class of the status (or hung_up).',
    ['action', 'outcome'],
  );
  readonly #responses = this.#counter('postern_http_responses_total', 'Requests answered, by status (or hung_up).', [
    'status',
  ]);
  readonly #requestSeconds = this.#histogram(
    'postern_http_request_duration_seconds',
    'Time of requests, by action.',
    seconds,
    ['action'],
  );
  readonly #platformRequests = this.#counter(
    'postern_platform_requests_total',
    'Requests made to the platform, by operation and outcome (class of the status, timeout, failed, or proxy_failed).',
    ['operation', 'outcome'],
  );
  readonly #platformSeconds = this.#histogram(
    'postern_platform_request_duration_seconds',
    'Time of requests made to the platform, by outcome.',
    seconds,
    ['outcome'],
  );
  readonly ledgerCommits = this.#counter(
    'postern_ledger_commits_total',
    'Attempts to commit credit changes to the store, by outcome.',
    ['outcome'],
  );
  readonly callsCharged = this.#counter(
    'postern_calls_charged_total',
    'Requests whose charge this process brought to the store.',
  );
  readonly dollarsCharged = this.#counter(
    'postern_charged_dollars_total',
    'Dollars that this process charged to accounts in the store.',
  );
  readonly platformCost = this.#counter(
    'postern_platform_cost_dollars_total',
    'Estimated dollars that the platform charges for the calls of this process, by price class; an upper bound.',
    ['class'],
  );
  readonly holdsSwept = this.#counter(
    'postern_holds_swept_total',
    'Reservations of dead processes that this process gave back.',
  );
  readonly eventsStored = this.#histogram(
    'postern_event_stored_seconds',
    "From the platform's time of an event to its place in the store.",
    stages,
  );
  readonly activityGaps = this.#counter(
    'postern_activity_gaps_total',
    'Polls after which events are missing, because the platform no longer had all of them.',
  );
  readonly eventsAttempted = this.#histogram(
    'postern_event_first_attempt_seconds',
    'From the store to the first attempt of a delivery.',
    stages,
  );
  readonly eventsDelivered = this.#histogram(
    'postern_event_delivered_seconds',
    'From the store to the attempt that succeeded.',
    stages,
  );
  readonly deliveryAttempts = this.#counter(
    'postern_delivery_attempts_total',
    'Attempts to deliver an event, by outcome (delivered, retrying, given_up).',
    ['outcome'],
  );
  readonly inFlight = new Gauge({
    name: 'postern_http_requests_in_flight',
    help: 'Requests being answered.',
    registers: [this.registry],
  });

  readonly #refusals = this.#counter(
    'postern_refusals_total',
    'Requests that ended with an error, by error code and reason (docs/errors.md lists them).',
    ['code', 'reason'],
  );
  readonly #creditExhausted = this.#counter(
    'postern_platform_credit_exhausted',
    "Platform calls that failed because the operator's credit at the platform is used up.",
  );
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

  /** Adds a metric for the number of open outgoing sockets by kind. */
  watchConnections(open: () => Readonly<Record<string, number>>): void {
    const help = 'Open connections to other hosts, by kind (receiver, media, proxy, account_server, platform).';
    this.#gauges('postern_outbound_connections', help, 'kind', open);
  }

  /** Adds the parts of the app-wide rate limits that are left. */
  watchAppLimits(left: () => Readonly<Record<string, number>>): void {
    const help =
      "The part of a rate limit of the operator's whole app that was left at the last response, until it is reset, by limit.";
    this.#gauges('postern_platform_app_limit_left_ratio', help, 'limit', left);
  }

  /** Adds the number of pending timers. */
  watchTimers(pending: () => number): void {
    const help = 'Pending timers of the service. Their number follows that of requests, pollers and deliveries.';
    this.#gauge('postern_timers', help, pending);
  }

  /** Adds the lengths of the queues in front of the store. */
  watchQueues(length: { storeCalls: () => number; charges: () => number }): void {
    const ofThread = 'Calls that wait for the thread of the embedded store. 0 with MongoDB.';
    this.#gauge('postern_store_calls_waiting', ofThread, length.storeCalls);
    this.#gauge('postern_charges_waiting', 'Charges of performed calls that are not in the store yet.', length.charges);
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

  /** Adds the metrics of webhooks. `storeNow` returns the time of the store's clock. */
  watchDeliveries(here: () => WebhookLoad, everywhere: () => Promise<Backlog>, storeNow: () => number): void {
    this.#gauge('postern_pollers', 'Pollers that this process runs.', () => here().pollers);
    this.#gauge('postern_deliveries_in_memory', 'Deliveries that this process has in memory.', () => here().deliveries);
    this.#gauge('postern_streams', 'Live streams that are open in this process.', () => here().streams);
    const waiting = async () => (await everywhere()).waiting;
    const except = 'except those of paused and invalid webhooks';
    this.#gauge('postern_deliveries_waiting', `Deliveries that wait in the store, ${except}.`, waiting);
    const oldestSeconds = async () => {
      const { oldestDueAt } = await everywhere();
      return oldestDueAt === null ? 0 : Math.max(0, (storeNow() - oldestDueAt) / 1_000);
    };
    const oldestHelp = `Time since the oldest waiting delivery was due, ${except}.`;
    this.#gauge('postern_delivery_oldest_waiting_seconds', oldestHelp, oldestSeconds);
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[] = []) {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  #histogram<Label extends string>(name: string, help: string, buckets: number[], labelNames: Label[] = []) {
    return new Histogram({ name, help, buckets, labelNames, registers: [this.registry] });
  }

  /** Adds a metric that is read when `/metrics` is requested. If that fails, it is NaN and the other metrics are still returned. */
  #gauge(name: string, help: string, value: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      async collect() {
        this.set(await Promise.resolve(value()).catch(() => Number.NaN));
      },
    });
  }

  /** Adds a metric with a value for each name, which is read when `/metrics` is requested. */
  #gauges(name: string, help: string, label: string, values: () => Readonly<Record<string, number>>): void {
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [each, value] of Object.entries(values())) this.set({ [label]: each }, value);
      },
    });
  }
}
