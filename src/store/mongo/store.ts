import { type Runtime, systemRuntime } from '../../shared/runtime/runtime.ts';
import { type ProcessStore, processTtlMs, type Store } from '../port.ts';
import { mongoAccountEvents } from './account-events.ts';
import { AccountMutex } from './account-mutex.ts';
import { mongoAccounts } from './accounts.ts';
import { mongoAudit } from './audit.ts';
import { connectToMongo, makeClient } from './client.ts';
import { ServerClock } from './clock.ts';
import { collectionsOf } from './collections.ts';
import { MongoConnection } from './connection.ts';
import { mongoConnections } from './connections.ts';
import { mongoDeliveries } from './deliveries.ts';
import { translateMongoError } from './errors.ts';
import { mongoEvents } from './events.ts';
import { mongoIdempotency } from './idempotency.ts';
import { mongoIdentifiers } from './identifiers.ts';
import { inspectMongo, pingMajority } from './inspect.ts';
import { mongoKeys } from './keys.ts';
import { mongoLedger } from './ledger.ts';
import { makeIndexes, migrateMongo } from './migrate.ts';
import { live, type Parts } from './parts.ts';
import { mongoPlatformState } from './platform-state.ts';
import { mongoPollers } from './pollers.ts';
import { mongoSecretCheck } from './secret-check.ts';
import { Sessions } from './sessions.ts';
import { mongoStatistics } from './statistics.ts';
import { transactions } from './transaction.ts';
import { mongoWebhooks } from './webhooks.ts';

export interface MongoStoreOptions {
  /** A URL whose path is the name of the database. The default name is `postern`. */
  url: string;
  runtime?: Runtime;
  /** Lets tests change the time of the server's clock. */
  adjustClock?: (serverMs: number) => number;
}

const readyLimitMs = 2_000;

/**
 * Opens the shared store, which is a replica set or a sharded cluster. Any number of processes on any machines may open it. Throws
 * `StoreUnavailableError` if it cannot be reached, and an `Error` if the URL, the type of the server or the version of the stored data is
 * not supported.
 */
export async function openMongoStore(options: MongoStoreOptions): Promise<Store> {
  const { runtime = systemRuntime, adjustClock = (serverMs) => serverMs } = options;
  const address = makeClient(options.url);
  const { client, database } = address;
  const link = new MongoConnection(client);
  const db = client.db(database);
  const askTime = async () => (await db.command({ hello: 1 }))['localTime'] as Date;
  const clock = new ServerClock(askTime, runtime, adjustClock);
  const collections = collectionsOf(db);
  const sessions = new Sessions(client, db, collections, clock, runtime);
  const transact = transactions(sessions, link);
  const parts: Parts = { link, collections, clock, sessions, transact, turns: new AccountMutex(), runtime };
  try {
    await connectToMongo(address);
    await clock.read();
    await migrateMongo(db, collections, clock, runtime);
    await makeIndexes(collections);
  } catch (error) {
    await link.close(() => sessions.close());
    throw translateMongoError(error);
  }
  clock.start();
  return {
    kind: 'mongodb',
    accounts: mongoAccounts(parts),
    keys: mongoKeys(parts),
    audit: mongoAudit(parts),
    ledger: mongoLedger(parts),
    statistics: mongoStatistics(parts),
    idempotency: mongoIdempotency(parts),
    processes: mongoProcesses(parts),
    webhooks: mongoWebhooks(parts),
    pollers: mongoPollers(parts),
    events: mongoEvents(parts),
    deliveries: mongoDeliveries(parts),
    accountEvents: mongoAccountEvents(parts),
    secretCheck: mongoSecretCheck(parts),
    platformState: mongoPlatformState(parts),
    identifiers: mongoIdentifiers(parts),
    connections: mongoConnections(parts),
    now: () => clock.now(),
    ready: () => link.run(() => pingMajority(parts), readyLimitMs),
    inspect: () => link.run(() => inspectMongo(db, parts)),
    async close() {
      clock.stop();
      await link.close(() => sessions.close());
    },
  };
}

function mongoProcesses({ link, collections: { processes }, clock }: Parts): ProcessStore {
  return {
    beat: (id) =>
      link.run(async () => {
        const now = await clock.recent();
        const expiresAt = new Date(now + processTtlMs);
        await processes.updateOne({ _id: id }, { $set: { v: 1, expiresAt } }, { upsert: true });
        return processes.countDocuments({ expiresAt: live(now, processTtlMs) });
      }),

    leave: (id) =>
      link.run(async () => {
        await processes.deleteOne({ _id: id });
      }),
  };
}
