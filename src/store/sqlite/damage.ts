import { statSync } from 'node:fs';
import type Libsql from 'libsql';
import type { Fault } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';
import { losesCommits } from './wal-file.ts';

/**
 * Below this the whole file is checked at every start, above it only what money rests on, and the doctor checks the rest.
 * SQLite checks some 1.5 GB a second out of the cache, but no faster than a cold disk reads.
 */
const wholeCheckBytes = 64 * 1024 * 1024;

/** Before the file is opened: SQLite would begin an empty database, and remove or overwrite a log that it cannot use. */
export function refuseLostFile(path: string): void {
  // The log first: where it has content, the file had it before.
  const log = sizeOf(`${path}-wal`) ?? 0;
  const size = sizeOf(path);
  if (log > 0 && !size) {
    throw new StoreUnavailableError({
      detail: `The database ${path} is ${size === null ? 'missing' : 'empty'}, but its write-ahead log ${path}-wal is there`,
      advice: `restore both from a backup, or move ${path}-wal away to begin anew`,
    });
  }
  if (log > 0 && losesCommits(`${path}-wal`)) {
    throw new StoreUnavailableError({
      detail: `The write-ahead log ${path}-wal is damaged, and commits behind the damage would be lost`,
      advice:
        `restore a backup in the place of ${path} and ${path}-wal. To go on without those commits, keep a copy of both ` +
        `files, then run \`sqlite3 ${path} 'PRAGMA wal_checkpoint(TRUNCATE)'\``,
    });
  }
}

/** After it was opened: pages that make no sense, and balances that do not add up. */
export function refuseDamage(connection: Libsql.Database, path: string): void {
  const small = pageBytes(connection) <= wholeCheckBytes;
  const checks = small ? ['quick_check(1)'] : moneyTables.map((table) => `quick_check('${table}')`);
  for (const check of checks) {
    const row = connection.prepare(`PRAGMA ${check}`).get() as { quick_check: string };
    if (row.quick_check !== 'ok') throw new StoreUnavailableError(damaged(path, row.quick_check));
  }
  const [fault] = moneyFaults((sql) => connection.prepare(sql).get(), small);
  if (fault !== undefined) throw new StoreUnavailableError(damaged(path, fault));
}

export function damaged(path: string, finding: string): Fault {
  // SQLite puts a line with the name of the database before what it found.
  const short = finding.replace(/^\*{3}.*\*{3}\n/, '').replaceAll('\n', '; ');
  return {
    detail: `The database ${path} is damaged (${short})`,
    advice: 'restore it from a backup, or move it away, with the -wal and -shm beside it, to begin anew',
  };
}

const moneyTables = ['account', 'hold', 'payment', 'api_key'];

/** What must hold at every commit (docs/architecture-decisions.md, Money). `whole` reads all usage and payments too. */
export function moneyFaults(first: (sql: string) => unknown, whole: boolean): string[] {
  return (whole ? invariants : invariants.slice(0, 1)).flatMap(([rule, table, sum, condition]) => {
    const row = first(
      `SELECT COUNT(*) AS n, MIN(a.id) AS example FROM account a
       LEFT JOIN (SELECT account, SUM(${sum}) AS total FROM ${table} GROUP BY account) s ON s.account = a.id
       WHERE ${condition} <> COALESCE(s.total, 0)`,
    ) as { n: number; example: string | null };
    return row.n === 0
      ? []
      : [`money does not add up: ${rule} is not so for ${row.n} accounts, such as ${row.example}`];
  });
}

const invariants = [
  ['paid = available + held + charged', 'hold', 'open', 'a.paid - a.avail - a.charged'],
  ['charged = the sum of usage', 'usage', 'micros', 'a.charged'],
  ['paid = the sum of payments', 'payment', 'micros', 'a.paid'],
] as const;

function pageBytes(connection: Libsql.Database): number {
  const { page_count: count } = connection.prepare('PRAGMA page_count').get() as { page_count: number };
  const { page_size: size } = connection.prepare('PRAGMA page_size').get() as { page_size: number };
  return count * size;
}

function sizeOf(path: string): number | null {
  return statSync(path, { throwIfNoEntry: false })?.size ?? null;
}
