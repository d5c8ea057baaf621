import Database from 'libsql';
import { explain } from './faults.ts';

/**
 * One sandbox owns its folder: two that replay the same journal would drift apart. The lock is a transaction on a file of
 * its own, which ends with the process, however that ends. (SQLite's exclusive mode would hold the journal itself until the
 * library's last statement is collected as garbage.)
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
      : explain(error, file);
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
