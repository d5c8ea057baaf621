import type { Runtime } from './runtime.ts';

/** Returns a function that calls `ask` at most once per `intervalMs` and returns the cached result in between. Failures are not cached. */
export function cachedFor<T>(
  runtime: Pick<Runtime, 'now'>,
  intervalMs: number,
  ask: () => Promise<T>,
): () => Promise<T> {
  let asked: { at: number; answer: Promise<T> } | null = null;
  return () => {
    const now = runtime.now();
    // If the clock was set back, the cached result must not be kept longer.
    if (asked && now >= asked.at && now - asked.at < intervalMs) return asked.answer;
    const answer = ask();
    const asking = { at: now, answer };
    asked = asking;
    answer.catch(() => {
      if (asked === asking) asked = null;
    });
    return answer;
  };
}
