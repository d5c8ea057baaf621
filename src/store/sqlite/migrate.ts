import type Libsql from 'libsql';
import { liveRange } from '../expiry.ts';
import { processTtlMs } from '../port.ts';
import { assertCompatible, assertNoneRuns } from '../upgrade.ts';
import { compatibleSince, migrations } from './schema.ts';

/**
 * Migrates the file to the newest schema in one transaction. If several processes start, the first one migrates. Processes of an older
 * version may be running if the migrations allow it.
 */
export function migrateSqlite(connection: Libsql.Database, path: string): void {
  const newest = migrations.length;
  const store = { name: `database ${path}`, alternative: 'DATA_DIR' };
  const found = version(connection);
  if (found > newest) assertCompatible(store, found, newest, savedCompatibleSince(connection) ?? found);
  if (found >= newest) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    const from = version(connection);
    if (from < newest) {
      if (from < compatibleSince) assertNoneRuns(store, liveProcesses(connection));
      for (const step of migrations.slice(from)) connection.exec(step);
      connection
        .prepare(
          "INSERT INTO meta (name, value) VALUES ('compatible_since', ?) ON CONFLICT DO UPDATE SET value = excluded.value",
        )
        .run([String(compatibleSince)]);
      connection.exec(`PRAGMA user_version = ${newest}`);
    }
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
}

function savedCompatibleSince(connection: Libsql.Database): number | null {
  const sql = "SELECT value FROM meta WHERE name = 'compatible_since'";
  const row = hasTable(connection, 'meta')
    ? (connection.prepare(sql).get() as { value: string } | undefined)
    : undefined;
  return row ? Number(row.value) : null;
}

function liveProcesses(connection: Libsql.Database): number {
  if (!hasTable(connection, 'process')) return 0;
  const { now } = connection.prepare('SELECT unixepoch() * 1000 AS now').get() as { now: number };
  const { after, latest } = liveRange(now, processTtlMs);
  const sql = 'SELECT COUNT(*) AS live FROM process WHERE until > ? AND until <= ?';
  return (connection.prepare(sql).get([after, latest]) as { live: number }).live;
}

function hasTable(connection: Libsql.Database, name: string): boolean {
  return connection.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get([name]) !== undefined;
}

function version(connection: Libsql.Database): number {
  const row = connection.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}

/**
 * Switches the database to WAL mode. The switch needs exclusive access and fails with BUSY without waiting for `busy_timeout`
 * (https://sqlite.org/wal.html#busy), so it is retried when two processes start at the same time with a new file.
 */
export function useWriteAheadLog(connection: Libsql.Database): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let attempt = 1; ; attempt++) {
    try {
      connection.prepare('PRAGMA journal_mode = WAL').get();
      return;
    } catch (error) {
      const busy = error instanceof Error && 'code' in error && error.code === 'SQLITE_BUSY';
      if (!busy || attempt === 100) throw error;
      Atomics.wait(pause, 0, 0, 50);
    }
  }
}
