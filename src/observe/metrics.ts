import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** What `/metrics` shows. Labels hold names of actions and operations only, never anything that a caller sent. */
export class Metrics {
  readonly registry = new Registry();

  readonly requests = new Histogram({
    name: 'postern_http_request_duration_seconds',
    help: 'Requests answered, by action and status.',
    labelNames: ['action', 'status'],
    buckets: seconds,
    registers: [this.registry],
  });

  readonly platformRequests = new Histogram({
    name: 'postern_platform_request_duration_seconds',
    help: 'Requests made to the platform, by operation and outcome (a status, timeout, failed, or proxy_failed).',
    labelNames: ['operation', 'outcome'],
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

  readonly inFlight = new Gauge({
    name: 'postern_http_requests_in_flight',
    help: 'Requests being answered.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }
}
