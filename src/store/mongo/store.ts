import { type Runtime, systemRuntime } from '../../shared/runtime/runtime.ts';
import type { Store } from '../port.ts';
import { AccountMutex } from './account-mutex.ts';
import { mongoAccounts } from './accounts.ts';
import { connect, makeClient } from './client.ts';
import { ServerClock } from './clock.ts';
import { collectionsOf } from './collections.ts';
import { mongoDeliveries } from './deliveries.ts';
import { translateError } from './errors.ts';
import { mongoEvents } from './events.ts';
import { mongoIdempotency } from './idempotency.ts';
import { inspectMongo, pingMajority } from './inspect.ts';
import { mongoKeys } from './keys.ts';
import { mongoLedger } from './ledger.ts';
import { MongoLink } from './link.ts';
import { makeIndexes, migrate } from './migrate.ts';
import type { Parts } from './parts.ts';
import { mongoPollers } from './pollers.ts';
import { mongoProcesses } from './processes.ts';
import { mongoSecretCheck } from './secret-check.ts';
import { Sessions } from './sessions.ts';
import { transactions } from './transaction.ts';
import { mongoWebhooks } from './webhooks.ts';

export interface MongoStoreOptions {
  /** With the name of the database as its path; `postern` where it has none. */
  url: string;
  runtime?: Runtime;
  /** A seam for tests: what the server's clock shows, made into what the store goes by. */
  adjustClock?: (serverMs: number) => number;
}

const readyLimitMs = 2_000;

/**
 * The shared store: a replica set or a sharded cluster, which any number of processes on any machines may open. Throws
 * `StoreUnavailableError` where it cannot be reached, and an `Error` where the URL, the kind of server or the version
 * of what is stored will not do.
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  const { runtime = systemRuntime, adjustClock = (serverMs) => serverMs } = options;
  const address = makeClient(options.url);
  const { client, database } = address;
  const link = new MongoLink(client);
  const db = client.db(database);
  const askTime = async () => (await db.command({ hello: 1 }))['localTime'] as Date;
  const clock = new ServerClock(askTime, runtime, adjustClock);
  const collections = collectionsOf(db);
  const sessions = new Sessions(client, db, collections, clock, runtime);
  const transact = transactions(sessions, link);
  const parts: Parts = { link, collections, clock, sessions, transact, turns: new AccountMutex(), runtime };
  try {
    await connect(address);
    await clock.read();
    await migrate(db, collections, clock, runtime);
    await makeIndexes(collections);
  } catch (error) {
    await link.close(() => sessions.close());
    throw translateError(error);
  }
  clock.start();
  return {
    kind: 'mongodb',
    accounts: mongoAccounts(parts),
    keys: mongoKeys(parts),
    ledger: mongoLedger(parts),
    idempotency: mongoIdempotency(parts),
    processes: mongoProcesses(parts),
    webhooks: mongoWebhooks(parts),
    pollers: mongoPollers(parts),
    events: mongoEvents(parts),
    deliveries: mongoDeliveries(parts),
    secretCheck: mongoSecretCheck(parts),
    now: () => clock.now(),
    ready: () => link.run(() => pingMajority(parts), readyLimitMs),
    inspect: () => link.run(() => inspectMongo(db, parts)),
    async close() {
      clock.stop();
      await link.close(() => sessions.close());
    },
  };
}
