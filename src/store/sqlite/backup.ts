import {
  closeSync,
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { pipeline } from 'node:stream/promises';
import Libsql from 'libsql';
import { OperatorError } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';
import { assertFileNotLost, damaged, findDamage } from './damage.ts';
import { Database } from './database.ts';
import { translateSqliteError } from './errors.ts';
import { PollerHostLock } from './poller-host-lock.ts';
import { migrations } from './schema.ts';
import { sqliteSecretCheck } from './secret-check.ts';

export const sqliteSchema = migrations.length;

const progressMs = 200;

/** Reports the progress of a backup or a restore in bytes. */
export type OnProgress = (done: number, total: number) => void;

/** Facts about the content of a backup that a restore checks first. */
interface BackupContent {
  /** The version of the store's schema. */
  schema: number;
  /** The check value of SECRET_KEY (`SecretCheckStore`); `null` if there is none. */
  secretCheck: string | null;
}

/**
 * Copies the database as of one point in time into the new file `target`, while other processes use it. Changes nothing in the database.
 * Throws if the database or the copy is damaged.
 */
export async function backupSqlite(path: string, target: string, onProgress: OnProgress): Promise<BackupContent> {
  assertFileNotLost(path);
  if (!existsSync(path)) {
    throw new OperatorError({ detail: `There is no database ${path}`, advice: 'set DATA_DIR or MONGODB_URL' });
  }
  const total = statSync(path).size;
  const reporting = setInterval(() => onProgress(sizeOf(target), total), progressMs);
  try {
    await copyDatabase(path, target);
    return checkCopy(path, target);
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && error.code === 'SQLITE_FULL';
    throw translateSqliteError(error, isFull ? target : path);
  } finally {
    clearInterval(reporting);
  }
}

/** `VACUUM INTO` copies one snapshot and does not block writers (https://sqlite.org/lang_vacuum.html). It runs in a thread of libsql. */
async function copyDatabase(path: string, target: string): Promise<void> {
  const { default: Connection } = await import('libsql/promise');
  // The empty file gives the copy its mode.
  closeSync(openSync(target, 'wx', 0o600));
  const connection = new Connection(path, {});
  await connection.exec('PRAGMA busy_timeout = 5000');
  await connection.exec(`VACUUM INTO '${target.replaceAll("'", "''")}'`);
  // After an error the connection stays open, because closing it could write the log into a damaged database.
  connection.close();
}

function checkCopy(path: string, target: string): BackupContent {
  const copy = new Libsql(target);
  try {
    const [problem] = findDamage((sql) => copy.prepare(sql).all());
    if (problem !== undefined) throw new StoreUnavailableError(damaged(path, problem));
    const { user_version: schema } = copy.prepare('PRAGMA user_version').get() as { user_version: number };
    const check = copy.prepare("SELECT value FROM meta WHERE name = 'secret_check'").get() as
      | { value: string }
      | undefined;
    return { schema, secretCheck: check?.value ?? null };
  } finally {
    copy.close();
  }
}

/**
 * Runs `work`, which may create the database. Throws if the database exists, or if a gateway or another restore uses it. No other restore
 * begins until `work` ends.
 */
export async function withNoDatabase(path: string, work: () => Promise<void>): Promise<void> {
  const lock = new PollerHostLock(path);
  try {
    if (!lock.enterAlone()) {
      throw new OperatorError({
        detail: `A gateway or another restore uses ${path}`,
        advice: 'stop every gateway of this DATA_DIR, and wait for the end of the other restore',
      });
    }
    refuseExisting(path);
    await work();
  } finally {
    lock.close();
  }
}

function refuseExisting(path: string): void {
  if (existsSync(path) || existsSync(`${path}-wal`)) {
    throw new OperatorError({
      detail: `There is already a database ${path}, and a restore overwrites nothing`,
      advice: 'move it away, together with its -wal and -shm files, or choose another DATA_DIR',
    });
  }
}

/**
 * Creates the database from the file of a backup. The database appears at `path` when it is complete. Must run in `withNoDatabase`, because
 * it deletes the draft of a restore that was interrupted.
 */
export async function restoreSqlite(source: string, path: string, withoutSealed: boolean): Promise<void> {
  const draft = `${path}.restoring`;
  const files = ['', '-wal', '-shm'].map((suffix) => `${draft}${suffix}`);
  for (const file of files) rmSync(file, { force: true });
  try {
    // `copyFile` would also copy the mode.
    await pipeline(createReadStream(source), createWriteStream(draft, { flags: 'wx', mode: 0o600 }));
    refuseForeignSchema(draft, source);
    // Migrates the database and checks it.
    const database = new Database({ path: draft, durable: true });
    if (withoutSealed) await sqliteSecretCheck(database).discardSealed();
    database.get('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') refuseExisting(path);
    throw error;
  } finally {
    for (const file of files) rmSync(file, { force: true });
  }
}

/**
 * Throws if the file has other tables, indexes, views or triggers than its schema version. A gateway would run a trigger of somebody else
 * with each of its changes.
 */
function refuseForeignSchema(path: string, source: string): void {
  const copy = new Libsql(path);
  const fresh = new Libsql(':memory:');
  try {
    copy.exec('PRAGMA trusted_schema = OFF');
    const { user_version: version } = copy.prepare('PRAGMA user_version').get() as { user_version: number };
    for (const step of migrations.slice(0, version)) fresh.exec(step);
    const [given, expected] = [schemaOf(copy), schemaOf(fresh)];
    const [other] = [...given, ...expected].filter((one) => !given.has(one) || !expected.has(one));
    if (other === undefined && version <= migrations.length) return;
    throw new OperatorError({
      detail: `${source} does not have the schema of its version ${version}: ${(other ?? 'it is newer').slice(0, 100)}`,
      advice: 'restore a backup that nobody has changed',
    });
  } finally {
    copy.close();
    fresh.close();
  }
}

/** Returns a line for each table, index, view and trigger. Tables that `ANALYZE` makes are left out. */
function schemaOf(connection: Libsql.Database): Set<string> {
  const sql = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT GLOB 'sqlite_stat[0-9]'";
  const rows = connection.prepare(sql).all() as { type: string; name: string; sql: string | null }[];
  return new Set(rows.map(({ type, name, sql: text }) => `${type} ${name} ${(text ?? '').replaceAll(/\s+/g, ' ')}`));
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
