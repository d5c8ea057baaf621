import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import type { RecoveredKeys } from './recovered-keys.ts';

/** Keys are wiped after this time without use. */
const idleMs = 5 * 60_000;
/** Keys are wiped at this age, even if they are in use. */
const longestMs = 15 * 60_000;
/** Keys are not handed out in this time before they are wiped, so that a running call can finish with them. */
const lastMinuteMs = 60_000;
const sweepMs = 15_000;
const most = 1_000;

interface Entry {
  readonly keys: RecoveredKeys;
  readonly recoveredAt: number;
  usedAt: number;
}

/** A cache of recovered keys, in memory only. */
export class KeyCache {
  readonly #runtime: Runtime;
  /** Ordered by last use; the most recent one is last. */
  readonly #entries = new Map<string, Entry>();
  #sweeper: Timer | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get(name: string): RecoveredKeys | undefined {
    this.#sweep();
    const entry = this.#entries.get(name);
    if (entry === undefined || this.#runtime.now() - entry.recoveredAt > longestMs - lastMinuteMs) return undefined;
    entry.usedAt = this.#runtime.now();
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.keys;
  }

  /** Adds keys. Keys that they replace may be in use, so they are wiped at the end of their own time. */
  set(name: string, keys: RecoveredKeys): void {
    const now = this.#runtime.now();
    const replaced = this.#entries.get(name);
    if (replaced !== undefined) this.#entries.set(`${name} until ${replaced.recoveredAt}`, replaced);
    this.#entries.delete(name);
    this.#entries.set(name, { keys, recoveredAt: now, usedAt: now });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= most) break;
      this.#forget(oldest);
    }
    this.#sweeper ??= this.#runtime.after(sweepMs, this.#sweepAgain);
  }

  clear(): void {
    this.#sweeper?.cancel();
    for (const name of [...this.#entries.keys()]) this.#forget(name);
  }

  readonly #sweepAgain = (): void => {
    this.#sweep();
    this.#sweeper = this.#entries.size > 0 ? this.#runtime.after(sweepMs, this.#sweepAgain) : undefined;
  };

  #sweep(): void {
    const now = this.#runtime.now();
    for (const [name, { usedAt, recoveredAt }] of this.#entries) {
      if (now - usedAt >= idleMs || now - recoveredAt >= longestMs) this.#forget(name);
    }
  }

  #forget(name: string): void {
    this.#entries.get(name)?.keys.wipe();
    this.#entries.delete(name);
  }
}
