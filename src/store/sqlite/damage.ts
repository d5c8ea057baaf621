import { isUtf8 } from 'node:buffer';
import { statSync } from 'node:fs';
import type Libsql from 'libsql';
import type { OperatorProblem } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';
import { losesCommits } from './wal-file.ts';

/**
 * Files below this size are checked completely at every start. In larger files only the tables with money are checked, and `postern doctor`
 * checks the rest. The checks read about 250 MB per second from the cache, but a cold disk is slower.
 */
const wholeCheckBytes = 64 * 1024 * 1024;

/**
 * Throws if the file was lost or truncated. Must run before the file is opened, because SQLite would create an empty database and delete or
 * overwrite a log that it cannot use.
 */
export function assertFileNotLost(path: string): void {
  // The size of the log is read first: if the log has content, the file had content before that.
  const log = sizeOf(`${path}-wal`) ?? 0;
  const size = sizeOf(path);
  if (log > 0 && !size) {
    throw new StoreUnavailableError({
      detail: `The database ${path} is ${size === null ? 'missing' : 'empty'}, but its write-ahead log ${path}-wal exists`,
      advice: `restore both from a backup, or move ${path}-wal away to start with an empty database`,
    });
  }
  if (log > 0 && losesCommits(`${path}-wal`)) {
    throw new StoreUnavailableError({
      detail: `The write-ahead log ${path}-wal is damaged, and commits after the damaged part would be lost`,
      advice:
        `restore both ${path} and ${path}-wal from a backup. To continue without those commits, keep a copy of both ` +
        `files, then run \`sqlite3 ${path} 'PRAGMA wal_checkpoint(TRUNCATE)'\``,
    });
  }
}

/** Throws if the opened database has damaged pages or balances that do not add up. */
export function assertUndamaged(connection: Libsql.Database, path: string): void {
  const small = pageBytes(connection) <= wholeCheckBytes;
  const query: Query = (sql) => connection.prepare(sql).all();
  const [problem] = small ? findDamage(query) : findDamageOfMoney(query);
  if (problem !== undefined) throw new StoreUnavailableError(damaged(path, problem));
}

/** Returns all rows of a query. */
type Query = (sql: string) => unknown[];

/** Checks the whole file. Returns at most five problems. */
export function findDamage(query: Query): string[] {
  const findings = query('PRAGMA integrity_check(5)') as { integrity_check: string }[];
  const damage = findings.map(({ integrity_check: finding }) => finding).filter((finding) => finding !== 'ok');
  return damage.length > 0 ? damage : [...invalidTexts(query), ...violatedInvariants(query, true)];
}

function findDamageOfMoney(query: Query): string[] {
  const findings = moneyTables.flatMap((table) => query(`PRAGMA quick_check('${table}')`) as { quick_check: string }[]);
  const damage = findings.map(({ quick_check: finding }) => finding).filter((finding) => finding !== 'ok');
  return damage.length > 0 ? damage : violatedInvariants(query, false);
}

/** Finds texts that are not UTF-8. SQLite does not check them, and libsql ends the process when it reads one. */
function invalidTexts(query: Query): string[] {
  const tables = query("SELECT name FROM sqlite_master WHERE type = 'table'") as { name: string }[];
  return tables.flatMap(({ name: table }) => {
    const columns = query(`SELECT name FROM pragma_table_info('${table}') WHERE type = 'TEXT'`) as { name: string }[];
    if (columns.length === 0) return [];
    const bytes = columns.map(({ name }) => `CAST(${name} AS BLOB) AS ${name}`).join(', ');
    const notAscii = columns.map(({ name }) => `${name} GLOB '*[^' || char(1) || '-~]*'`).join(' OR ');
    const rows = query(`SELECT ${bytes} FROM ${table} WHERE ${notAscii}`) as Record<string, Buffer | null>[];
    const isInvalid = rows.some((row) =>
      columns.some(({ name }) => {
        const text = row[name];
        return text && !isUtf8(text);
      }),
    );
    return isInvalid ? [`a text in the table ${table} is not UTF-8`] : [];
  });
}

export function damaged(path: string, finding: string): OperatorProblem {
  // SQLite writes a line with the name of the database before its findings.
  const short = finding.replace(/^\*{3}.*\*{3}\n/, '').replaceAll('\n', '; ');
  return {
    detail: `The database ${path} is damaged (${short})`,
    advice:
      'restore it from a backup, or move it away, together with its -wal and -shm files, to start with an empty database. ' +
      '`postern restore` needs it moved away too',
  };
}

const moneyTables = ['account', 'hold', 'payment', 'api_key'];

/** Checks the invariants of money (docs/decisions.md, Money). With `whole`, also reads all usage and payments. */
function violatedInvariants(query: Query, whole: boolean): string[] {
  return (whole ? invariants : invariants.slice(0, 1)).flatMap(([rule, table, sum, condition]) => {
    const [row] = query(
      `SELECT COUNT(*) AS n, MIN(a.id) AS example FROM account a
       LEFT JOIN (SELECT account, SUM(${sum}) AS total FROM ${table} GROUP BY account) s ON s.account = a.id
       WHERE ${condition} <> COALESCE(s.total, 0)`,
    ) as { n: number; example: string | null }[];
    return !row || row.n === 0
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
