import type { Runtime } from './runtime.ts';

/** Asks at most once in `intervalMs`, and tells in between what it was told; a question that failed counts for nothing. */
export function rarely<T>(runtime: Pick<Runtime, 'now'>, intervalMs: number, ask: () => Promise<T>): () => Promise<T> {
  let asked: { at: number; answer: Promise<T> } | null = null;
  return () => {
    const now = runtime.now();
    // A clock that was set back would keep an answer for as long.
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
