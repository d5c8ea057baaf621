import type { Runtime, Timer } from '../../shared/runtime/runtime.ts';
import type { RecoveredKeys } from './recovered-keys.ts';

/** Keys are wiped if they are not used for this time. */
const idleMs = 5 * 60_000;
/** Keys are wiped at this age, even if they are still in use. */
const maxAgeMs = 15 * 60_000;
/** The cache stops returning keys this many milliseconds before it wipes them, so that running calls can finish. */
const graceMs = 60_000;
const sweepMs = 15_000;
const maxEntries = 1_000;
/** The maximum number of secrets in all entries (35 MB). It is checked before each use of the cache. */
const maxSecrets = 50_000;

interface Entry {
  readonly keys: RecoveredKeys;
  readonly recoveredAt: number;
  usedAt: number;
}

/** A cache of recovered private keys, in memory only. */
export class KeyCache {
  readonly #runtime: Runtime;
  /** Ordered by last use, the most recent entry last. */
  readonly #entries = new Map<string, Entry>();
  #sweeper: Timer | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  get(name: string): RecoveredKeys | undefined {
    this.#sweep();
    const entry = this.#entries.get(name);
    if (entry === undefined || this.#runtime.now() - entry.recoveredAt > maxAgeMs - graceMs) return undefined;
    entry.usedAt = this.#runtime.now();
    this.#entries.delete(name);
    this.#entries.set(name, entry);
    return entry.keys;
  }

  /** Adds keys, in place of others of the same name. */
  set(name: string, keys: RecoveredKeys): void {
    const now = this.#runtime.now();
    const replaced = this.#entries.get(name);
    if (replaced !== undefined) this.#retire(name, replaced);
    this.#entries.set(name, { keys, recoveredAt: now, usedAt: now });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) break;
      this.#forget(oldest);
    }
    this.#sweeper ??= this.#runtime.after(sweepMs, this.#sweepAgain);
  }

  /** Stops returning the keys of a user whose names have this prefix. */
  retire(userId: string, prefix: string): void {
    for (const [name, entry] of [...this.#entries])
      if (entry.keys.userId === userId && name.startsWith(prefix)) this.#retire(name, entry);
  }

  delete(name: string): void {
    this.#forget(name);
  }

  clear(): void {
    this.#sweeper?.cancel();
    for (const name of [...this.#entries.keys()]) this.#forget(name);
  }

  /** Keys may still be in use, so they are wiped when their own lifetime ends. */
  #retire(name: string, entry: Entry): void {
    this.#entries.delete(name);
    this.#entries.set(`${name} until ${entry.recoveredAt}`, entry);
  }

  readonly #sweepAgain = (): void => {
    this.#sweep();
    this.#sweeper = this.#entries.size > 0 ? this.#runtime.after(sweepMs, this.#sweepAgain) : undefined;
  };

  #sweep(): void {
    const now = this.#runtime.now();
    let secrets = 0;
    for (const [name, { keys, usedAt, recoveredAt }] of this.#entries) {
      if (now - usedAt >= idleMs || now - recoveredAt >= maxAgeMs) this.#forget(name);
      secrets += keys.secrets;
    }
    for (; secrets > maxSecrets; secrets -= this.#wipeMostSecrets());
  }

  /**
   * Wipes the secrets of the entry that has the most, so that a few users cannot displace the secrets of others.
   * Returns the number of wiped secrets.
   */
  #wipeMostSecrets(): number {
    const most = [...this.#entries.values()].reduce((a, b) => (b.keys.secrets > a.keys.secrets ? b : a)).keys;
    const { secrets } = most;
    most.wipeSecrets();
    return secrets;
  }

  #forget(name: string): void {
    this.#entries.get(name)?.keys.wipe();
    this.#entries.delete(name);
  }
}
