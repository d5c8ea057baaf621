import { Pool } from 'undici';

/**
 * Sends requests, `concurrency` at a time, for `durationMs`, and checks every answer. `request` makes each one; `check`
 * throws where a body is not what it should be. Answers how many, how many a second, and the latencies' median and 99th
 * percentile.
 */
export async function load({ origin, request, concurrency, durationMs, check }) {
  const pool = new Pool(origin, { connections: concurrency });
  const latencies = [];
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
  const at = (share) => latencies[Math.floor((latencies.length - 1) * share)];
  return { requests: latencies.length, perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
