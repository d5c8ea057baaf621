import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorReason } from '../errors/reasons.ts';

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

/** Returns the class of the status of a response. It is never 1xx, but a platform or a proxy may send any number. */
function statusClass(status: number): string {
  return statusClasses[Math.floor(status / 100) - 2] ?? 'other';
}

/**
 * The metrics of `/metrics`. Their size is bounded: labels are names of actions and operations, statuses of this service and words
 * from fixed sets, never text from a caller or the platform. No metric has both two labels with many values and buckets.
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
    help: 'Times that the platform did not keep all that had happened since it was asked last.',
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
    help: 'Requests that ended with an error, by reason (docs/errors.md lists them).',
    labelNames: ['reason'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** Adds the number of open sockets to other hosts, by kind. It is read when `/metrics` is requested. */
  watchConnections(open: () => Readonly<Record<string, number>>): void {
    new Gauge({
      name: 'postern_outbound_connections',
      help: 'Open connections to other hosts, by kind (receiver, media, proxy, platform).',
      labelNames: ['kind'],
      registers: [this.registry],
      collect() {
        for (const [kind, value] of Object.entries(open())) this.set({ kind }, value);
      },
    });
  }

  /** Counts a request. `status` is `null` if the caller hung up before the end of the response. `reason` is that of the error, if any. */
  requestEnded(action: string, status: number | null, durationMs: number, reason?: ErrorReason): void {
    if (reason !== undefined) this.#refusals.inc({ reason });
    this.#requests.inc({ action, outcome: status === null ? 'hung_up' : statusClass(status) });
    this.#responses.inc({ status: status === null ? 'hung_up' : String(status) });
    this.#requestSeconds.observe({ action }, durationMs / 1_000);
  }

  /** Counts a platform call. `outcome` is a status, `timeout`, `failed` or `proxy_failed`. */
  platformRequestEnded(operation: string, outcome: string, durationMs: number): void {
    const bounded = /^\d+$/.test(outcome) ? statusClass(Number(outcome)) : outcome;
    this.#platformRequests.inc({ operation, outcome: bounded });
    this.#platformSeconds.observe({ outcome: bounded }, durationMs / 1_000);
  }

  /** Adds the figures of webhooks. They are read when `/metrics` is requested. */
  watchDeliveries(here: () => WebhookLoad, everywhere: () => Promise<Backlog>): void {
    const gauge = (name: string, help: string, value: () => number | Promise<number>) =>
      new Gauge({
        name,
        help,
        registers: [this.registry],
        async collect() {
          // If the store is not available, the other figures are still returned.
          this.set(await Promise.resolve(value()).catch(() => Number.NaN));
        },
      });
    gauge('postern_pollers', 'Pollers that this process runs.', () => here().pollers);
    gauge('postern_deliveries_in_memory', 'Deliveries that this process has before it.', () => here().deliveries);
    gauge('postern_streams', 'Live streams that are open here.', () => here().streams);
    gauge('postern_deliveries_waiting', 'Deliveries that wait in the store.', async () => (await everywhere()).waiting);
    gauge('postern_delivery_oldest_waiting_seconds', 'Age of the oldest delivery that is due.', async () => {
      const { oldestDueAt } = await everywhere();
      return oldestDueAt === null ? 0 : Math.max(0, (Date.now() - oldestDueAt) / 1_000);
    });
  }
}
