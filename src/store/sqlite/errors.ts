import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Fault } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';
import { damaged } from './damage.ts';

type FaultOf = (path: string) => Fault;

const locked: FaultOf = (path) => ({ detail: `The database ${path} is locked by another process`, advice: null });
const full: FaultOf = (path) => ({ detail: `The disk that holds ${path} is full`, advice: 'make room on it' });
const readOnlyDisk: FaultOf = (path) => ({
  detail: `The disk that holds ${path} is mounted read-only`,
  advice: 'mount it so that it can be written, or choose another DATA_DIR',
});

const cannot =
  (what: string, advice: string): FaultOf =>
  (path) => ({ detail: `The database ${path} cannot be ${what}`, advice });

/** Primary result codes (https://sqlite.org/rescode.html) that mean: this database cannot be reached or written now. */
const unavailable: readonly (readonly [code: string, fault: FaultOf])[] = [
  ['SQLITE_BUSY', locked],
  ['SQLITE_LOCKED', locked],
  ['SQLITE_FULL', full],
  ['SQLITE_READONLY', cannot('written', 'check the owner and the mode of it and of DATA_DIR')],
  ['SQLITE_CANTOPEN', cannot('opened', 'check that DATA_DIR exists and may be written')],
  ['SQLITE_PERM', cannot('opened', 'check its owner and its mode')],
  [
    'SQLITE_IOERR',
    (path) => ({
      detail: `The disk that holds ${path} reports an input/output error`,
      advice: "check the disk and the system's log",
    }),
  ],
  ['SQLITE_CORRUPT', (path) => damaged(path, 'SQLite found pages that make no sense')],
  [
    'SQLITE_NOTADB',
    (path) => ({
      detail: `${path} is not an SQLite database`,
      advice: 'restore it from a backup, or choose another DATA_DIR',
    }),
  ],
  ['SQLITE_NOMEM', () => ({ detail: 'SQLite has run out of memory', advice: null })],
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
  const fault = (disksFault(code, path) ?? known[1])(path);
  return new StoreUnavailableError(withCode(fault, code), { cause: error });
}

/** The code stands at the end of the message. */
function withCode({ detail, advice }: Fault, code: string): Fault {
  return advice === null ? { detail: `${detail} (${code})`, advice } : { detail, advice: `${advice} (${code})` };
}

/** SQLite tells a full or a read-only disk as something else where it makes or maps the files beside the database. */
function disksFault(code: string, path: string): FaultOf | null {
  if (path === ':memory:' || !/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return null;
  try {
    accessSync(dirname(path), constants.W_OK);
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < 64 * 1024 ? full : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS' ? readOnlyDisk : null;
  }
}
