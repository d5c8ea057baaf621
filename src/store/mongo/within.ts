import { StoreUnavailableError } from '../port.ts';

/** Rejects after `limitMs`, whatever becomes of `work`, which goes on alone until its own limits end it. */
export function within<T>(limitMs: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const say = () => reject(new StoreUnavailableError(`MongoDB did not answer within ${limitMs / 1_000} s`));
    timer = setTimeout(say, limitMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
