import { type LoadCall, LoadClient, quantile } from './open-loop.ts';

export interface Load {
  origin: string;
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
}

/** Sends requests for `durationMs` with `concurrency` concurrent requests, and checks every response. */
export async function load({ origin, request, concurrency, durationMs, check }: Load): Promise<LoadResult> {
  const client = new LoadClient(origin, concurrency);
  const next = () => {
    const sent = request();
    return { ...sent, check: (body: string) => check(body, sent) };
  };
  const results = await client.closedLoop({ callers: concurrency, durationMs, next });
  await client.close();
  const failed = results.find(({ status, wrong }) => status !== 200 || wrong !== undefined);
  if (failed) throw new Error(`status ${failed.status}: ${failed.wrong}`);
  const latencies = results.map(({ ms }) => ms);
  return {
    requests: results.length,
    perSecond: (results.length / durationMs) * 1_000,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
}
