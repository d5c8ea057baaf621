import Database from 'libsql';
import { explainSqliteError } from './sqlite-errors.ts';

/**
 * Locks the data directory, because two sandboxes that append to the same journal would have different states. The lock
 * is an open transaction on a separate file, so it is released when the process ends for any reason. SQLite's exclusive
 * locking mode does not fit: the library would keep the journal locked until its last statement is garbage-collected.
 */
export function lock(file: string): () => void {
  let db: Database.Database | undefined;
  try {
    db = new Database(file);
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db?.close();
    throw isBusy(error)
      ? new Error(`${file} is held: another sandbox uses this folder. Stop it, or choose another DATA_DIR`)
      : explainSqliteError(error, file);
  }
  const held = db;
  return () => {
    held.exec('ROLLBACK');
    held.close();
  };
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}
