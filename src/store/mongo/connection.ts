import type { MongoClient, TopologyDescription } from 'mongodb';
import { StoreUnavailableError } from '../port.ts';
import { within } from './account-mutex.ts';
import { translateMongoError } from './errors.ts';

/**
 * The time in milliseconds that operations wait for a primary that has become unavailable. After a connection reset the driver forgets the
 * server until its next check, half a second later. A planned change of the primary takes one or two seconds. After this time operations
 * fail at once until a primary is found, because waiting is unlikely to help.
 */
const graceMs = { unreachable: 1_000, election: 2_500 };

/** The time limit of an operation. It is longer than the driver's default limits for one operation and its retry. */
export const operationTimeoutMs = 6_000;

/** Runs all operations on the database. Knows whether there is a primary, and converts errors to `StoreUnavailableError`. */
export class MongoConnection {
  readonly #client: MongoClient;
  readonly #working = new Set<Promise<unknown>>();
  readonly #waiting = new Set<(error: Error) => void>();
  #lostAt: number | null = null;
  #grace: NodeJS.Timeout | undefined;
  #away = false;
  #closed = false;

  constructor(client: MongoClient) {
    this.#client = client;
    client.on('topologyDescriptionChanged', ({ newDescription }) => this.#see(newDescription));
  }

  /** False if a retry cannot succeed now. */
  get usable(): boolean {
    return !this.#away;
  }

  /** Runs `work`. A `limitMs` of 0 means that `work` has its own limits. */
  run<T>(work: () => Promise<T>, limitMs = operationTimeoutMs): Promise<T> {
    if (this.#closed) return Promise.reject(new StoreUnavailableError('The store is closed'));
    if (this.#away) return Promise.reject(away());
    return new Promise((resolve, reject) => {
      const working = work();
      this.#working.add(working);
      this.#waiting.add(reject);
      const end = () => {
        this.#working.delete(working);
        this.#waiting.delete(reject);
      };
      const limited = limitMs > 0 ? within(limitMs, working) : working;
      limited.then(resolve, (error: unknown) => reject(translateMongoError(error)));
      working.then(end, end);
    });
  }

  /** Refuses new operations, waits for running operations for a limited time, calls `leave`, and closes the client. */
  async close(leave: () => Promise<void>): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#grace);
    await within(operationTimeoutMs, Promise.allSettled(this.#working)).catch(() => undefined);
    await within(operationTimeoutMs, leave()).catch(() => undefined);
    await within(operationTimeoutMs, this.#client.close()).catch(() => undefined);
  }

  #see(description: TopologyDescription): void {
    clearTimeout(this.#grace);
    if (this.#closed) return;
    const servers = [...description.servers.values()];
    if (servers.some(({ isWritable }) => isWritable)) {
      this.#lostAt = null;
      this.#away = false;
      return;
    }
    const now = performance.now();
    this.#lostAt ??= now;
    const reachable = servers.some(({ type }) => type !== 'Unknown');
    const grace = this.#lostAt + (reachable ? graceMs.election : graceMs.unreachable) - now;
    this.#grace = setTimeout(() => this.#giveUp(), Math.max(0, grace));
    this.#grace.unref();
  }

  #giveUp(): void {
    this.#away = true;
    for (const reject of this.#waiting) reject(away());
  }
}

function away(): StoreUnavailableError {
  return new StoreUnavailableError('MongoDB has no reachable primary');
}
