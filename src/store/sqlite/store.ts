import { statSync } from 'node:fs';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { liveRange } from '../expiry.ts';
import { type ProcessStore, processTtlMs, type Store, type StoreReport } from '../port.ts';
import { sqliteAccountEvents } from './account-events.ts';
import { sqliteAccounts } from './accounts.ts';
import { sqliteAudit } from './audit.ts';
import { sqliteConnections } from './connections.ts';
import { damaged, findDamage } from './damage.ts';
import { Database } from './database.ts';
import { sqliteDeliveries } from './deliveries.ts';
import { sqliteEvents } from './events.ts';
import { WriteGroup } from './group.ts';
import { sqliteIdempotency } from './idempotency.ts';
import { sqliteIdentifiers } from './identifiers.ts';
import { sqliteKeys } from './keys.ts';
import { sqliteLedger } from './ledger.ts';
import { sqlitePlatformState } from './platform-state.ts';
import { PollerHostLock } from './poller-host-lock.ts';
import { sqlitePollers } from './pollers.ts';
import { migrations } from './schema.ts';
import { sqliteSecretCheck } from './secret-check.ts';
import { sqliteStatistics } from './statistics.ts';
import { sqliteWebhooks } from './webhooks.ts';

export interface SqliteStoreOptions {
  /** The path of the database file, or `:memory:`. The file is created with mode 0600 if it does not exist. Its folder must exist. */
  path: string;
  runtime: Runtime;
  /** If false, commits do not survive a crash of the machine, which makes tests faster. Default: true. */
  durable?: boolean;
  /** The time in milliseconds that a write waits for a write of another process. All other calls wait too. Default: 5 s. */
  busyTimeoutMs?: number;
}

/**
 * Opens the embedded store, one SQLite file. Several processes of one machine may open it. Throws `StoreUnavailableError` if the file
 * cannot be used, and an `Error` if a newer version of Postern wrote it.
 */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  const database = new Database({ ...options, durable: options.durable ?? true });
  const group = new WriteGroup(database);
  const presence = new PollerHostLock(options.path);
  return {
    kind: 'sqlite',
    accounts: sqliteAccounts(database, options.runtime),
    keys: sqliteKeys(database),
    audit: sqliteAudit(database, options.runtime),
    ledger: sqliteLedger(database, group, options.runtime),
    statistics: sqliteStatistics(database, group, options.runtime),
    idempotency: sqliteIdempotency(database, group, options.runtime),
    processes: sqliteProcesses(database, options.runtime),
    webhooks: sqliteWebhooks(database, group, options.runtime),
    pollers: sqlitePollers(database, group, options.runtime, presence),
    events: sqliteEvents(database, group, options.runtime),
    deliveries: sqliteDeliveries(database, group, options.runtime),
    accountEvents: sqliteAccountEvents(database, group, options.runtime),
    secretCheck: sqliteSecretCheck(database),
    platformState: sqlitePlatformState(database, options.runtime),
    identifiers: sqliteIdentifiers(database, options.runtime),
    connections: sqliteConnections(database, options.runtime),
    now: () => options.runtime.now(),

    async ready() {
      // A real write is needed, because a full disk can still be read. Concurrent checks share one write. The row does not count as a live
      // process.
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

function sqliteProcesses(database: Database, runtime: Runtime): ProcessStore {
  return {
    async beat(id) {
      const now = runtime.now();
      const { after, latest } = liveRange(now, processTtlMs);
      return database.transaction(() => {
        database.run('DELETE FROM process WHERE until <= ? OR until > ?', [after, latest]);
        database.run('INSERT INTO process (id, until) VALUES (?, ?) ON CONFLICT DO UPDATE SET until = excluded.until', [
          id,
          now + processTtlMs,
        ]);
        return database.get<{ live: number }>('SELECT COUNT(*) AS live FROM process')?.live ?? 1;
      });
    },

    async leave(id) {
      database.run('DELETE FROM process WHERE id = ?', [id]);
    },
  };
}

/** Returns the report on an SQLite store for `postern doctor`. Reads the whole file to detect damage early. */
function inspectSqlite(database: Database, path: string): StoreReport {
  const version = database.get<{ version: string }>('SELECT sqlite_version() AS version')?.version ?? 'unknown';
  const journal = database.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode;
  const problems = findDamage((sql) => database.all(sql)).map((finding) => damaged(path, finding));
  const size = path === ':memory:' ? 0 : statSync(path).size;
  if (path !== ':memory:' && (statSync(path).mode & 0o077) !== 0) {
    problems.push({ detail: 'Others may read the database file', advice: `chmod 600 ${path}` });
  }
  return {
    facts: [
      ['version', `SQLite ${version}, schema ${migrations.length}`],
      ['file', `${path}, ${(size / 1e6).toFixed(1)} MB`],
      ['durability', `journal ${journal}, synchronous FULL: every commit waits for the disk`],
    ],
    problems,
  };
}
