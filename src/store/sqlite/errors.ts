import { StoreUnavailableError } from '../port.ts';

/** Primary result codes (https://sqlite.org/rescode.html) that mean: this database cannot be reached or written now. */
const unavailable: readonly (readonly [code: string, message: string])[] = [
  ['SQLITE_BUSY', 'The database is locked by another process'],
  ['SQLITE_LOCKED', 'The database is locked by another process'],
  ['SQLITE_FULL', 'The disk that holds the database is full: make room on it'],
  ['SQLITE_READONLY', 'The database cannot be written: check the owner and the mode of its file and of DATA_DIR'],
  ['SQLITE_CANTOPEN', 'The database cannot be opened: check that DATA_DIR exists and may be written'],
  ['SQLITE_PERM', 'The database cannot be opened: check the owner and the mode of its file'],
  ['SQLITE_IOERR', 'The disk that holds the database reports an input/output error'],
  ['SQLITE_CORRUPT', 'The database file is damaged: restore it from a backup'],
  ['SQLITE_NOTADB', 'The database file is not an SQLite database: restore it, or choose another DATA_DIR'],
  ['SQLITE_NOMEM', 'SQLite has run out of memory'],
];

/** What SQLite threw, as a `StoreUnavailableError` where it means that the store is away; anything else unchanged. */
export function translateError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const code = error.code;
  const known = unavailable.find(([primary]) => code === primary || code.startsWith(`${primary}_`));
  return known ? new StoreUnavailableError(`${known[1]} (${code})`, { cause: error }) : error;
}
