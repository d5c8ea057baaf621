import type Libsql from 'libsql';
import { OperatorError } from '../../shared/errors/operator-error.ts';
import { migrations } from './schema.ts';

/** Migrates the file to the newest schema in one transaction. If several processes start, the first one migrates. */
export function migrateSqlite(connection: Libsql.Database, path: string): void {
  if (version(connection) === migrations.length) return;
  connection.exec('BEGIN IMMEDIATE');
  try {
    const from = version(connection);
    if (from > migrations.length) {
      throw new OperatorError({
        detail: `The database ${path} was written by a newer version of Postern (its schema version is ${from}, this version supports ${migrations.length})`,
        advice: 'use the newer version of Postern, or another DATA_DIR',
      });
    }
    for (const step of migrations.slice(from)) connection.exec(step);
    connection.exec(`PRAGMA user_version = ${migrations.length}`);
    connection.exec('COMMIT');
  } catch (error) {
    if (connection.inTransaction) connection.exec('ROLLBACK');
    throw error;
  }
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
