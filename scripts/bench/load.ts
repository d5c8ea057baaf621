import { median, type Spread, showSpread, spread } from './frame.ts';
import { type LoadCall, LoadClient, quantile } from './open-loop.ts';
import { processorSeconds, type Started } from './processes.ts';

export interface Load {
  server: Started;
  request: () => LoadCall;
  concurrency: number;
  durationMs: number;
  /** Throws if a body is wrong. */
  check: (body: string, sent: LoadCall) => void;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
  /** The processor time of all threads for each request. */
  cpuMs: number;
}

/** Sends requests for `durationMs` with `concurrency` concurrent requests, and checks every response. */
export async function load({ server, request, concurrency, durationMs, check }: Load): Promise<LoadResult> {
  const client = new LoadClient(server.url, concurrency);
  const next = () => {
    const sent = request();
    return { ...sent, check: (body: string) => check(body, sent) };
  };
  const before = processorSeconds(server);
  const results = await client.closedLoop({ callers: concurrency, durationMs, next });
  const cpuSeconds = processorSeconds(server) - before;
  await client.close();
  const failed = results.find(({ status, wrong }) => status !== 200 || wrong !== undefined);
  if (failed) throw new Error(`status ${failed.status}: ${failed.wrong}`);
  const latencies = results.map(({ ms }) => ms);
  return {
    requests: results.length,
    perSecond: (results.length / durationMs) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpuMs: (cpuSeconds / results.length) * 1_000,
  };
}

export function showResults(results: Record<string, LoadResult[]>): void {
  for (const [name, all] of Object.entries(results)) {
    const of = (figure: keyof LoadResult) => median(all.map((result) => result[figure])).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(8)} ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${of('cpuMs')} ms of processor a request\n`,
    );
  }
}

/** Prints the ratio of a figure of both for each round, and returns it. */
export function showRatio(label: string, figure: keyof LoadResult, ours: LoadResult[], theirs: LoadResult[]): Spread {
  const ratio = spread(ours.map((our, i) => our[figure] / (theirs[i]?.[figure] ?? Number.NaN)));
  process.stdout.write(`  ${label}: ${showSpread(ratio)}\n`);
  return ratio;
}
