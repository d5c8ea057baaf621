import { accessSync, constants, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type Database from 'libsql';

/**
 * Returns an error whose message says how to solve a problem with a SQLite file. Other errors are returned unchanged.
 * SQLite's result codes: https://sqlite.org/rescode.html
 */
export function explainSqliteError(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const { code } = error;
  const known = texts.find(([primary]) => code === primary || code.startsWith(`${primary}_`));
  if (known === undefined) return error;
  const text = (known[2] === 'disk' ? diskProblem(file) : undefined) ?? known[1];
  return Object.assign(new Error(`${file}: ${text} (${code})`, { cause: error }), { code });
}

const full = 'the disk is full, free some space on it';
const broken =
  'the file is damaged. Restore it from a backup, or remove the folder it is in to begin with a new dataset';
const texts: readonly (readonly [code: string, text: string, askDisk?: 'disk'])[] = [
  ['SQLITE_FULL', full],
  ['SQLITE_READONLY', 'the file cannot be written, check its owner and its mode', 'disk'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened, check that DATA_DIR exists and may be written', 'disk'],
  ['SQLITE_IOERR', 'the disk reports an input/output error', 'disk'],
  ['SQLITE_CORRUPT', broken],
  ['SQLITE_NOTADB', broken],
];

/**
 * Detects a full or read-only disk. SQLite reports other codes for both if it cannot create or map the files beside the
 * database.
 */
function diskProblem(file: string): string | undefined {
  try {
    accessSync(dirname(file), constants.W_OK);
    const { bavail, bsize } = statfsSync(dirname(file));
    return bavail * bsize < 64 * 1024 ? full : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EROFS') return undefined;
    return 'the disk is mounted read-only, mount it so that it can be written, or choose another DATA_DIR';
  }
}

/**
 * Throws if the write-ahead log exists without its database. SQLite would create a new database and delete the log.
 * Call this before the file is opened.
 */
export function refuseOrphan(file: string): void {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (log > 0 && size === 0) {
    throw new Error(
      `${file} is missing or empty, but its write-ahead log ${file}-wal is there. Restore both from a backup, or ` +
        'remove the log to begin with a new dataset',
    );
  }
}

export function refuseDamagedFile(db: Database.Database, file: string): void {
  const { quick_check: finding } = db.prepare('PRAGMA quick_check(1)').get() as { quick_check: string };
  if (finding !== 'ok') throw new Error(`${file}: ${broken}`);
}
