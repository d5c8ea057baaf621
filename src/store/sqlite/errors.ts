import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreUnavailableError } from '../port.ts';
import { damaged } from './damage.ts';

type Message = (path: string) => string;

const locked: Message = (path) => `The database ${path} is locked by another process`;
const full: Message = (path) => `The disk that holds ${path} is full: make room on it`;
const readOnlyDisk: Message = (path) =>
  `The disk that holds ${path} is mounted read-only: mount it so that it can be written, or choose another DATA_DIR`;

/** Primary result codes (https://sqlite.org/rescode.html) that mean: this database cannot be reached or written now. */
const unavailable: readonly (readonly [code: string, message: Message])[] = [
  ['SQLITE_BUSY', locked],
  ['SQLITE_LOCKED', locked],
  ['SQLITE_FULL', full],
  [
    'SQLITE_READONLY',
    (path) => `The database ${path} cannot be written: check the owner and the mode of it and of DATA_DIR`,
  ],
  ['SQLITE_CANTOPEN', (path) => `The database ${path} cannot be opened: check that DATA_DIR exists and may be written`],
  ['SQLITE_PERM', (path) => `The database ${path} cannot be opened: check its owner and its mode`],
  [
    'SQLITE_IOERR',
    (path) => `The disk that holds ${path} reports an input/output error: check the disk and the system's log`,
  ],
  ['SQLITE_CORRUPT', (path) => damaged(path, 'SQLite found pages that make no sense')],
  [
    'SQLITE_NOTADB',
    (path) => `${path} is not an SQLite database: restore it from a backup, or choose another DATA_DIR`,
  ],
  ['SQLITE_NOMEM', () => 'SQLite has run out of memory'],
];

/**
 * What SQLite threw about the database at `path`, as a `StoreUnavailableError` where it means that the store is away;
 * anything else unchanged.
 */
export function translateError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const code = error.code;
  const known = unavailable.find(([primary]) => code === primary || code.startsWith(`${primary}_`));
  if (!known) return error;
  const message = (disksFault(code, path) ?? known[1])(path);
  return new StoreUnavailableError(`${message} (${code})`, { cause: error });
}

/** SQLite tells a full or a read-only disk as something else where it makes or maps the files beside the database. */
function disksFault(code: string, path: string): Message | null {
  if (path === ':memory:' || !/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return null;
  try {
    accessSync(dirname(path), constants.W_OK);
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < 64 * 1024 ? full : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS' ? readOnlyDisk : null;
  }
}
