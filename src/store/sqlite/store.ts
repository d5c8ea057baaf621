import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Store } from '../port.ts';
import { sqliteAccounts } from './accounts.ts';
import { Database } from './database.ts';
import { sqliteDeliveries } from './deliveries.ts';
import { sqliteEvents } from './events.ts';
import { WriteGroup } from './group.ts';
import { sqliteIdempotency } from './idempotency.ts';
import { inspectSqlite } from './inspect.ts';
import { sqliteKeys } from './keys.ts';
import { sqliteLedger } from './ledger.ts';
import { PollerHostLock } from './poller-host-lock.ts';
import { sqlitePollers } from './pollers.ts';
import { sqliteProcesses } from './processes.ts';
import { sqliteSecretCheck } from './secret-check.ts';
import { sqliteWebhooks } from './webhooks.ts';

export interface SqliteStoreOptions {
  /** The database file, made (mode 0600) where there is none, in a directory that exists; or `:memory:`. */
  path: string;
  runtime: Runtime;
  /** False gives up the promise to survive the death of the machine, for the speed of tests. Default true. */
  durable?: boolean;
  /** How long a write waits for another process's, with everything behind it. Default 5 s. */
  busyTimeoutMs?: number;
}

/**
 * The embedded store: one SQLite file, which several processes of one machine may open. Throws
 * `StoreUnavailableError` where the file cannot be used, and an `Error` where a newer Postern wrote it.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const database = new Database({ ...options, durable: options.durable ?? true });
  const group = new WriteGroup(database);
  const presence = new PollerHostLock(options.path);
  return {
    kind: 'sqlite',
    accounts: sqliteAccounts(database),
    keys: sqliteKeys(database),
    ledger: sqliteLedger(database, group, options.runtime),
    idempotency: sqliteIdempotency(database, group, options.runtime),
    processes: sqliteProcesses(database, options.runtime),
    webhooks: sqliteWebhooks(database, group, options.runtime),
    pollers: sqlitePollers(database, group, options.runtime, presence),
    events: sqliteEvents(database, group, options.runtime),
    deliveries: sqliteDeliveries(database, group, options.runtime),
    secretCheck: sqliteSecretCheck(database),
    now: () => options.runtime.now(),

    async ready() {
      // A true write, since a full disk can be read; many that ask at once share one. It counts for no living process.
      await group.add(() =>
        database.run("INSERT INTO process (id, until) VALUES ('ready', 0) ON CONFLICT DO UPDATE SET until = 0"),
      );
    },

    inspect: async () => inspectSqlite(database, options.path),

    async close() {
      group.close();
      presence.close();
      database.close();
    },
  };
}
