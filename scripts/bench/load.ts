import { median, type Spread, showSpread, spread } from './frame.ts';
import { type LoadCall, LoadClient, quantile } from './open-loop.ts';
import { processorSeconds, type Started } from './processes.ts';

export interface Scenario {
  request: () => LoadCall;
  /** Throws if a body is wrong. */
  check: (body: string, sent: LoadCall) => void;
  concurrency: number;
  /** The least duration of the warm-up. V8 needs thousands of requests to optimise all code. */
  warmUpMs?: number;
}

export interface LoadResult {
  perSecond: number;
  p50: number;
  p99: number;
  /** The processor time of all threads for each request. */
  cpuMs: number;
}

/**
 * Measures servers alternately (A B C, B C A, …), so that neither the machine's speed nor the position in a round favours one. Round 0
 * is a warm-up and is not counted. Prints the medians. Returns the results of each server.
 */
export async function compareLoad<Name extends string>(
  title: string,
  servers: Record<Name, Started>,
  scenario: Scenario,
  { rounds, seconds }: { rounds: string; seconds: string },
): Promise<Record<Name, LoadResult[]>> {
  const names = Object.keys(servers) as Name[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, LoadResult[]>;
  const durationMs = Number(seconds) * 1_000;
  const { warmUpMs = 4_000 } = scenario;
  for (let round = 0; round <= Number(rounds); round++) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const result = await load(servers[name], scenario, round === 0 ? Math.max(warmUpMs, durationMs) : durationMs);
      if (round > 0) results[name].push(result);
    }
  }
  process.stdout.write(`${title}\n`);
  for (const name of names) {
    const of = (figure: keyof LoadResult) => median(results[name].map((result) => result[figure])).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(8)} ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${of('cpuMs')} ms of processor a request\n`,
    );
  }
  return results;
}

/** Sends requests for `durationMs`, and checks every response. */
async function load(server: Started, { request, check, concurrency }: Scenario, durationMs: number) {
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
    perSecond: (results.length / durationMs) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpuMs: (cpuSeconds / results.length) * 1_000,
  };
}

/** Divides a figure of each of our rounds by that of their round. Prints and returns the spread of the ratios. */
export function showRatio(label: string, figure: keyof LoadResult, ours: LoadResult[], theirs: LoadResult[]): Spread {
  const ratio = spread(ours.map((our, i) => our[figure] / (theirs[i]?.[figure] ?? Number.NaN)));
  process.stdout.write(`  ${label}: ${showSpread(ratio)}\n`);
  return ratio;
}
