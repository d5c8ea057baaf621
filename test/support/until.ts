import { vi } from 'vitest';

/** Repeats `check` until it does not throw, and returns its result. The limit ends a test that hangs. */
export function until<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 600_000, interval: 50 });
}
