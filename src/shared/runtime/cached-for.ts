import type { Runtime } from './runtime.ts';

/**
 * Returns a function that calls `ask` one at a time and returns its result until `intervalMs` after its end. Failures are not cached.
 */
export function cachedFor<T>(
  runtime: Pick<Runtime, 'now'>,
  intervalMs: number,
  ask: () => Promise<T>,
): () => Promise<T> {
  let cached: { answer: Promise<T>; endedAt: number | null } | null = null;
  return () => {
    const now = runtime.now();
    // If the clock was set back, the cached result must not be kept longer.
    if (cached && (cached.endedAt === null || (now >= cached.endedAt && now - cached.endedAt < intervalMs)))
      return cached.answer;
    const asking: typeof cached = { answer: ask(), endedAt: null };
    cached = asking;
    asking.answer.then(
      () => {
        asking.endedAt = runtime.now();
      },
      () => {
        cached = null;
      },
    );
    return asking.answer;
  };
}
