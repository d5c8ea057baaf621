import { Pool } from 'undici';

export interface LoadRequest {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Load {
  origin: string;
  request: () => LoadRequest;
  concurrency: number;
  durationMs: number;
  check: (body: string, sent: LoadRequest) => void;
}

export interface LoadResult {
  requests: number;
  perSecond: number;
  p50: number;
  p99: number;
}

/**
 * Sends requests for `durationMs` with `concurrency` concurrent requests, and checks every response. `request` makes a request; `check`
 * throws if a body is wrong. Returns the number of requests, the requests per second, and the median and the 99th percentile of the
 * latency.
 */
export async function load({ origin, request, concurrency, durationMs, check }: Load): Promise<LoadResult> {
  const pool = new Pool(origin, { connections: concurrency });
  const latencies: number[] = [];
  const startedAt = performance.now();
  const caller = async () => {
    while (performance.now() - startedAt < durationMs) {
      const next = request();
      const sentAt = performance.now();
      const response = await pool.request(next);
      const body = await response.body.text();
      latencies.push(performance.now() - sentAt);
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${body}`);
      check(body, next);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const at = (share: number) => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return { requests: latencies.length, perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}
