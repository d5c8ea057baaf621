import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import type { RecoveredKeys } from './recovered-keys.ts';

/** Keys that nobody asked for so long are wiped, */
const idleMs = 5 * 60_000;
/** and so are those that were recovered so long ago. */
const longestMs = 15 * 60_000;
/** What is handed out shortly before would be wiped in the hands of its caller. */
const lastMinuteMs = 60_000;
const sweepMs = 15_000;
const most = 1_000;

interface Entry {
  readonly keys: RecoveredKeys;
  readonly recoveredAt: number;
  usedAt: number;
}

/** Recovered keys, in memory only, for minutes. */
export class KeyCache {
  readonly #runtime: Runtime;
  /** The one that was used last is the last. */
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

  /** Those that it replaces may be in use, and are wiped when their own time has come. */
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
