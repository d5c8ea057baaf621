import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const everyBytes = 4 * 1024 * 1024;

/**
 * Collects young garbage now and then while bytes stream through. A chunk is some objects to the collector, and 64 KiB of
 * memory beside its heap: left to itself it lets 30 MiB of them gather before it looks (measured by `npm run bench:media`,
 * 7 MiB with this). A young collection takes about a millisecond.
 */
export class YoungGarbage {
  static readonly #collect = collector();
  #bytes = 0;

  passed(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < everyBytes) return;
    this.#bytes = 0;
    YoungGarbage.#collect?.({ type: 'minor' });
  }
}

/** The engine hands it to whatever context is made while this flag is set; `undefined` where it does not. */
function collector(): ((options: { type: 'minor' }) => void) | undefined {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  setFlagsFromString('--no-expose-gc');
  return typeof collect === 'function' ? (collect as (options: { type: 'minor' }) => void) : undefined;
}
