import { StoreUnavailableError } from '../port.ts';
import type { Database } from './database.ts';

interface Waiting {
  run(): void;
  settle(): void;
  fail(error: unknown): void;
}

/** The maximum number of writes in one transaction. More would block the event loop of the thread for too long. */
const maxGroup = 500;

/**
 * Runs all writes that arrive within one turn of the event loop in one transaction, so that they wait for the disk only once. Each write is
 * still applied completely or not at all: if one fails, all are rolled back and repeated one by one.
 */
export class WriteGroup {
  readonly #database: Database;
  #waiting: Waiting[] = [];
  #closed = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Queues a write. `write` may run twice, so it must have no effects outside the database. */
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

  /** Runs the queued writes and refuses new ones. */
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
      // If the store is unavailable, repeating the writes one by one would only make each of them wait for the same error.
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
