import { StoreUnavailableError } from '../port.ts';
import type { Database } from './database.ts';

interface Waiting {
  run(): void;
  settle(): void;
  fail(error: unknown): void;
}

/** More than this in one transaction would keep the event loop from its other work. */
const maxGroup = 500;

/**
 * Runs whatever arrived within one turn of the event loop in one transaction: many writes, one wait for the disk.
 * Each still applies wholly or not at all: where one fails, all are rolled back and run again, each alone.
 */
export class WriteGroup {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** `write` may run twice: it must depend on nothing but the database, and change nothing else. */
  add<T>(write: () => T): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('The database is closed'));
    return new Promise((resolve, fail) => {
      let result: T;
      const run = () => {
        result = write();
      };
      const waiting = { run, settle: () => resolve(result), fail };
      if (this.#waiting.push(waiting) === 1) setImmediate(() => this.#flush());
    });
  }

  /** Runs what waits, and refuses what comes later. */
  close(): void {
    this.#closed = true;
    while (this.#waiting.length > 0) this.#flush();
  }

  #flush(): void {
    const group = this.#waiting.splice(0, maxGroup);
    if (this.#waiting.length > 0) setImmediate(() => this.#flush());
    if (group.length === 0) return;
    try {
      this.#transact(group);
    } catch (error) {
      // Alone they would only wait for the same fault, one after the other.
      if (error instanceof StoreUnavailableError || group.length === 1) for (const { fail } of group) fail(error);
      else for (const one of group) this.#alone(one);
    }
  }

  #alone(one: Waiting): void {
    try {
      this.#transact([one]);
    } catch (error) {
      one.fail(error);
    }
  }

  #transact(group: Waiting[]): void {
    this.#database.transaction(() => {
      for (const { run } of group) run();
    });
    for (const { settle } of group) settle();
  }
}
