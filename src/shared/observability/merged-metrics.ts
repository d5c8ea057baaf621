import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** The metrics of one process as JSON. */
export type MetricsSnapshot = readonly {
  readonly name: string;
  readonly type: string;
  /** The function with which prom-client combines the values of several processes, such as `sum` or `max`. */
  readonly aggregator: string;
  readonly values: readonly { readonly value: number }[];
}[];

/**
 * The combined metrics of a supervisor and its workers. Counters and histograms of ended workers are kept, so that no counter decreases
 * while the supervisor runs.
 */
export class MergedMetrics {
  readonly #own = new Registry();
  /** The last snapshot of each live worker. The key is an id that is never reused. */
  readonly #last = new Map<number, MetricsSnapshot>();
  #ended: MetricsSnapshot = [];

  readonly restarts = new Counter({
    name: 'postern_worker_restarts_total',
    help: 'Workers that ended unexpectedly and were started again.',
    registers: [this.#own],
  });

  /** `live` returns the number of workers that serve requests. */
  constructor(live: () => number) {
    collectDefaultMetrics({ register: this.#own });
    new Gauge({
      name: 'postern_workers',
      help: 'Workers that serve requests.',
      registers: [this.#own],
      collect() {
        this.set(live());
      },
    });
  }

  /** Stores a snapshot of a worker's metrics. */
  note(worker: number, snapshot: MetricsSnapshot): void {
    // NaN is restored from null, because JSON has no NaN.
    const restored = (value: number | null) => value ?? Number.NaN;
    this.#last.set(
      worker,
      snapshot.map((metric) => ({
        ...metric,
        values: metric.values.map((each) => ({ ...each, value: restored(each.value) })),
      })),
    );
  }

  /** Keeps the counters of the last snapshot of a worker that has ended. */
  end(worker: number): void {
    const last = (this.#last.get(worker) ?? []).filter(isCount);
    this.#last.delete(worker);
    this.#ended = sumOf([this.#ended, last]).getMetricsAsArray() as unknown as MetricsSnapshot;
  }

  /** Returns the text of `/metrics`. For workers that did not respond, uses the counters of their last snapshot and no gauges. */
  async text(answered: ReadonlySet<number>): Promise<string> {
    const workers = [...this.#last].map(([worker, last]) => (answered.has(worker) ? last : last.filter(isCount)));
    const own = (await metricsSnapshotOf(this.#own))
      .filter(({ name }) => /^(process|postern)_/.test(name))
      .map(asOldest);
    return sumOf([own, this.#ended, ...workers]).metrics();
  }
}

/** Returns the current metrics of a registry. */
export async function metricsSnapshotOf(registry: Registry): Promise<MetricsSnapshot> {
  return (await registry.getMetricsAsJSON()) as unknown as MetricsSnapshot;
}

function sumOf(snapshots: readonly MetricsSnapshot[]): Registry {
  return AggregatorRegistry.aggregate([...snapshots]);
}

function isCount({ type }: MetricsSnapshot[number]): boolean {
  return type === 'counter' || type === 'histogram';
}

/** The start time of the service is that of the supervisor. prom-client would omit the start time from a sum. */
function asOldest(metric: MetricsSnapshot[number]): MetricsSnapshot[number] {
  return metric.name === 'process_start_time_seconds' ? { ...metric, aggregator: 'first' } : metric;
}
