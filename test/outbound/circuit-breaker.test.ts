import { expect, test } from 'vitest';
import { CircuitBreaker } from '../../src/outbound/circuit-breaker.ts';
import { manualRuntime } from '../store/manual-runtime.ts';

test('an open circuit is tried again within a second, also after the clock was set back', () => {
  const runtime = manualRuntime();
  const breaker = new CircuitBreaker(runtime, 'platform_paused', 'paused');
  for (let failures = 0; failures < 10; failures++) breaker.failed();
  expect(() => breaker.enter()).toThrow('paused');
  runtime.leap(-3_600_000);
  breaker.enter();
  expect(() => breaker.enter()).toThrow('paused');
  runtime.leap(1_000);
  breaker.enter();
});
