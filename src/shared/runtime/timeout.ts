import type { Runtime } from './runtime.ts';

/**
 * Settles like `work`, but rejects with `timeoutError()` if `work` takes longer than `timeoutMs`. `work` itself is not
 * cancelled.
 */
export function withTimeout<T>(
  runtime: Pick<Runtime, 'after'>,
  work: Promise<T>,
  timeoutMs: number,
  timeoutError: () => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = runtime.after(timeoutMs, () => reject(timeoutError()));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}
