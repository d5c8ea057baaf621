import type { MongoClient, TopologyDescription } from 'mongodb';
import { StoreUnavailableError } from '../port.ts';
import { within } from './account-mutex.ts';
import { translateError } from './errors.ts';

/**
 * How long verbs still wait for a primary that went away. A reset connection makes the driver forget the server until
 * its next look, half a second later; an orderly change of primary takes a second or two. After that nobody gains by
 * waiting, so verbs fail at once until a primary is seen again.
 */
const graceMs = { unreachable: 1_000, election: 2_500 };

/** More than the driver's own limits let one operation and its one retry take. */
export const verbLimitMs = 6_000;

/** Every verb's way to the database: it knows whether there is a primary, and says "away" in the port's words. */
export class MongoLink {
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

  /** False where trying again is of no use. */
  get usable(): boolean {
    return !this.#away;
  }

  /** `limitMs` of 0: the work has limits of its own. */
  run<T>(work: () => Promise<T>, limitMs = verbLimitMs): Promise<T> {
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
      limited.then(resolve, (error: unknown) => reject(translateError(error)));
      working.then(end, end);
    });
  }

  /** Refuses what comes later, waits a while for what runs, takes leave, and ends the client. */
  async close(leave: () => Promise<void>): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#grace);
    await within(verbLimitMs, Promise.allSettled(this.#working)).catch(() => undefined);
    await within(verbLimitMs, leave()).catch(() => undefined);
    await within(verbLimitMs, this.#client.close()).catch(() => undefined);
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
  return new StoreUnavailableError('No primary of MongoDB can be reached');
}
