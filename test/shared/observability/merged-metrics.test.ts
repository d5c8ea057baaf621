import { expect, test } from 'vitest';
import { MergedMetrics, metricsSnapshotOf } from '../../../src/shared/observability/merged-metrics.ts';
import { Metrics } from '../../../src/shared/observability/metrics.ts';

const sampleOf = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );

/** Returns the snapshot of a worker that has handled `requests` requests, with one of them still running. */
async function snapshot(requests: number, waiting: number | null) {
  const metrics = new Metrics();
  metrics.watchDeliveries(
    () => ({ pollers: 2, deliveries: 0, streams: 0 }),
    async () => {
      if (waiting === null) throw new Error('the store is away');
      return { waiting, oldestDueAt: null };
    },
    Date.now,
  );
  for (let i = 0; i < requests; i++) metrics.requestEnded('account', 200, 10);
  metrics.inFlight.inc();
  return JSON.parse(JSON.stringify(await metricsSnapshotOf(metrics.registry)));
}

test('metrics of workers are added up, except those that all read from the store; the counters of ended workers are kept', async () => {
  const requests = 'postern_http_requests_total{action="account",outcome="2xx"}';
  const merged = new MergedMetrics(() => 2);
  merged.note(1, await snapshot(3, 7));
  merged.note(2, await snapshot(4, 7));
  const both = await merged.text(new Set([1, 2]));
  expect(sampleOf(both, requests)).toBe(7);
  expect(sampleOf(both, 'postern_http_request_duration_seconds_count{action="account"}')).toBe(7);
  expect(sampleOf(both, 'postern_http_requests_in_flight')).toBe(2);
  expect(sampleOf(both, 'postern_pollers')).toBe(4);
  expect(sampleOf(both, 'postern_deliveries_waiting')).toBe(7);
  expect(sampleOf(both, 'postern_workers')).toBe(2);
  expect(sampleOf(both, 'process_start_time_seconds')).toBeGreaterThan(0);

  merged.end(1);
  merged.note(3, await snapshot(1, null));
  const after = await merged.text(new Set([2]));
  expect(sampleOf(after, requests)).toBe(8);
  expect(sampleOf(after, 'postern_http_requests_in_flight')).toBe(1);
  expect(sampleOf(await merged.text(new Set([3])), 'postern_deliveries_waiting')).toBeNaN();
});
