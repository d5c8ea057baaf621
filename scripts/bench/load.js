import { Pool } from 'undici';

/**
 * Sends the same request over and over, `concurrency` at a time, for `durationMs`, and checks every body. Answers
 * requests a second and the latencies' median and 99th percentile.
 */
export async function load({ url, headers, concurrency, durationMs, check }) {
  const { origin, pathname, search } = new URL(url);
  const pool = new Pool(origin, { connections: concurrency });
  const latencies = [];
  const startedAt = performance.now();
  const caller = async () => {
    while (performance.now() - startedAt < durationMs) {
      const sentAt = performance.now();
      const response = await pool.request({ method: 'GET', path: pathname + search, headers });
      const body = await response.body.text();
      latencies.push(performance.now() - sentAt);
      if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${body}`);
      check(body);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  const seconds = (performance.now() - startedAt) / 1_000;
  await pool.close();
  latencies.sort((a, b) => a - b);
  const at = (share) => latencies[Math.floor((latencies.length - 1) * share)];
  return { perSecond: latencies.length / seconds, p50: at(0.5), p99: at(0.99) };
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}
