import { accessSync, constants, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OperatorProblem } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';
import { damaged } from './damage.ts';

type ProblemOf = (path: string) => OperatorProblem;

const locked: ProblemOf = (path) => ({ detail: `The database ${path} is locked by another process`, advice: null });
const full: ProblemOf = (path) => ({ detail: `The disk that holds ${path} is full`, advice: 'free some space on it' });
const readOnlyDisk: ProblemOf = (path) => ({
  detail: `The disk that holds ${path} is mounted read-only`,
  advice: 'mount it so that it can be written, or choose another DATA_DIR',
});

const cannot =
  (what: string, advice: string): ProblemOf =>
  (path) => ({ detail: `The database ${path} cannot be ${what}`, advice });

/** Primary result codes (https://sqlite.org/rescode.html) which mean that the database cannot be read or written now. */
const unavailable: readonly (readonly [code: string, problem: ProblemOf])[] = [
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
 * Converts an error of SQLite to a `StoreUnavailableError` if it means that the database at `path` is unavailable. Returns other errors
 * unchanged.
 */
export function translateSqliteError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return error;
  const code = error.code;
  const known = unavailable.find(([primary]) => code === primary || code.startsWith(`${primary}_`));
  if (!known) return error;
  const problem = (diskProblem(code, path) ?? known[1])(path);
  return new StoreUnavailableError(withCode(problem, code), { cause: error });
}

/** Appends the error code to the message. */
function withCode({ detail, advice }: OperatorProblem, code: string): OperatorProblem {
  return advice === null ? { detail: `${detail} (${code})`, advice } : { detail, advice: `${advice} (${code})` };
}

/** Detects a full or read-only disk. SQLite reports it as another error when it creates or maps the files next to the database. */
function diskProblem(code: string, path: string): ProblemOf | null {
  if (path === ':memory:' || !/^SQLITE_(IOERR|CANTOPEN|READONLY)/.test(code)) return null;
  try {
    accessSync(dirname(path), constants.W_OK);
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize < 64 * 1024 ? full : null;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EROFS' ? readOnlyDisk : null;
  }
}
