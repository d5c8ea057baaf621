import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LimitCounters } from '../../src/billing/limit-counters.ts';
import { RateLimiter, rateRefusal } from '../../src/billing/rate-limiter.ts';
import { manualRuntime } from '../store/manual-runtime.ts';

function makeLimiter(defaultLimit: number, lowestShare?: number) {
  const runtime = manualRuntime();
  const state = { processes: 1 };
  const limiter = new RateLimiter({ runtime, defaultLimit, lowestShare, processes: () => state.processes });
  const takes = (count: number, own: number | null = null) =>
    Array.from({ length: count }, () => limiter.take('key', own)).filter((taken) => taken?.allowed).length;
  return { runtime, state, limiter, takes };
}

describe('the limit of a key', () => {
  test('comes back evenly over a minute', async () => {
    const { runtime, takes } = makeLimiter(60);
    expect(takes(100)).toBe(60);
    await runtime.advance(1_000);
    expect(takes(100)).toBe(1);
    await runtime.advance(30_000);
    expect(takes(100)).toBe(30);
    await runtime.advance(3_600_000);
    expect(takes(100)).toBe(60);
  });

  test('is shared by the processes that live, and no process is left without', async () => {
    const { runtime, state, takes } = makeLimiter(60);
    state.processes = 4;
    expect(takes(100)).toBe(15);
    state.processes = 200;
    await runtime.advance(60_000);
    expect(takes(100)).toBe(1);
  });

  test('has a lowest share of a process, up to the whole limit', () => {
    for (const [limit, share] of [
      [600, 60],
      [30, 30],
    ] as const) {
      const { state, takes, limiter } = makeLimiter(limit, 60);
      state.processes = 100;
      expect(takes(share / 2)).toBe(share / 2);
      expect(limiter.take('key', null)?.remaining).toBe(limit / 2 - limit / share);
      expect(takes(1_000)).toBe(share / 2 - 1);
    }
  });

  test('of an account overrides the default, and 0 is none', () => {
    expect(makeLimiter(60).takes(100, 7)).toBe(7);
    expect(makeLimiter(0).takes(100, 7)).toBe(7);
    expect(makeLimiter(0).limiter.take('key', null)).toBeNull();
  });

  test('is not given twice when the clock is set back', () => {
    const { runtime, takes } = makeLimiter(10);
    expect(takes(10)).toBe(10);
    runtime.leap(-3_600_000);
    expect(takes(10)).toBe(0);
  });

  test('Retry-After is long enough, and no longer than it must be', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 0, max: 59_000 }), async (limit, waited) => {
        const { runtime, limiter } = makeLimiter(limit);
        let last = limiter.take('key', null);
        while (last?.allowed) last = limiter.take('key', null);
        await runtime.advance(Math.floor(waited / limit));
        const refused = limiter.take('key', null);
        if (!refused || refused.allowed) return;
        expect(rateRefusal(refused).retryAfterSeconds).toBe(refused.retryAfterSeconds);
        await runtime.advance(refused.retryAfterSeconds * 1_000);
        expect(limiter.take('key', null)?.allowed).toBe(true);
        expect(refused.retryAfterSeconds).toBeLessThanOrEqual(Math.ceil(60 / limit));
      }),
      { numRuns: 50 },
    );
  });
});

test('of 100 processes each allows 60 requests without a valid key, and an equal share of calls and look-ups', () => {
  const counters = new LimitCounters({ runtime: manualRuntime(), processes: () => 100 });
  const allowed = (kind: 'calls' | 'requests' | 'look_ups') =>
    Array.from({ length: 700 }, () => counters.take(kind, 'one', 600)).filter((state) => state?.allowed).length;
  expect({ calls: allowed('calls'), requests: allowed('requests'), lookUps: allowed('look_ups') }).toEqual({
    calls: 6,
    requests: 60,
    lookUps: 6,
  });
});
