import { expect, test } from 'vitest';
import type { PollerRecord } from '../../src/store/port.ts';
import { PollerHost } from '../../src/webhooks/polling/poller-host.ts';
import { manualRuntime } from '../store/manual-runtime.ts';

/** Starts a host whose store has `total` pollers, of which `processes` processes run an equal share, and counts its calls. */
function startHost({ total, processes }: { total: number; processes: number }) {
  const runtime = manualRuntime();
  const state = { total, counts: 0, claims: [] as number[] };
  const pollers = {
    count: async () => {
      state.counts++;
      return state.total;
    },
    beat: async () => processes,
    claim: async (_process: string, limit: number): Promise<PollerRecord[]> => {
      state.claims.push(limit);
      return [];
    },
    confirm: async () => [],
    woken: async () => [],
    release: async () => {},
    leave: async () => {},
  };
  const services = { runtime, store: { pollers }, platform: { maxWaitingCalls: 1 }, monitor: { failed: expect.fail } };
  const limits = { perMinute: 1, perDay: 1, bytesPerDay: 1 };
  const host = new PollerHost(services as unknown as ConstructorParameters<typeof PollerHost>[0], limits);
  host.start();
  return { runtime, host, state };
}

test('few pollers are counted every second, and many rarely, because a count reads all of them', async () => {
  const few = startHost({ total: 1_000, processes: 1 });
  const many = startHost({ total: 100_000, processes: 1 });
  await few.runtime.advance(60_000);
  await many.runtime.advance(60_000);
  expect(few.state.counts).toBeGreaterThan(50);
  expect(many.state.counts).toBeLessThanOrEqual(7);
  // Unclaimed pollers are claimed as fast as before.
  expect(many.state.claims.length).toBeGreaterThan(50);
  await few.host.close();
  await many.host.close();
});

test('pollers are counted at once after the clock was set back', async () => {
  const { runtime, host, state } = startHost({ total: 100_000, processes: 1 });
  await runtime.advance(5_000);
  const before = state.counts;
  runtime.leap(-3_600_000);
  await runtime.advance(5_000);
  expect(state.counts).toBe(before + 1);
  await host.close();
});
