import { closeSync, existsSync, openSync } from 'node:fs';
import Libsql from 'libsql';
import { StoreUnavailableError } from '../port.ts';
import { assertFileNotLost, assertUndamaged } from './damage.ts';
import { translateSqliteError } from './errors.ts';
import { migrateSqlite, useWriteAheadLog } from './migrate.ts';

export type SqliteValue = string | number | null;

export interface DatabaseOptions {
  /** The path of the file, or `:memory:`. */
  path: string;
  /** If true, every commit waits for the disk. If false, commits survive a crash of the process, but not of the machine. */
  durable: boolean;
  /** The time in milliseconds that a statement waits while another process writes. Applies after the database is open. */
  busyTimeoutMs?: number;
}

/**
 * A connection to an SQLite file. Its calls are synchronous. Statements are prepared once and cached. Errors that mean that the database is
 * unavailable are thrown as `StoreUnavailableError`.
 */
export class Database {
  readonly #connection: Libsql.Database;
  readonly #path: string;
  readonly #statements = new Map<string, Libsql.Statement>();
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.#path = options.path;
    if (options.path !== ':memory:') assertFileNotLost(options.path);
    this.#connection = connect(options.path);
    try {
      // This must be the first statement, so that all others wait for other processes.
      this.#connection.exec('PRAGMA busy_timeout = 5000');
      useWriteAheadLog(this.#connection);
      // In WAL mode, FULL waits for the disk at every commit and NORMAL only at checkpoints:
      // https://sqlite.org/pragma.html#pragma_synchronous
      this.#connection.exec(`PRAGMA synchronous = ${options.durable ? 'FULL' : 'OFF'}`);
      // Overwrites deleted and replaced data in pages that are written anyway: https://sqlite.org/pragma.html#pragma_secure_delete
      this.#connection.exec('PRAGMA secure_delete = FAST');
      // The cache size in KiB. It keeps the data of busy accounts in memory, however large the history is.
      this.#connection.exec('PRAGMA cache_size = -65536');
      migrateSqlite(this.#connection, options.path);
      if (options.path !== ':memory:') assertUndamaged(this.#connection, options.path);
      if (options.busyTimeoutMs !== undefined) {
        this.#connection.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
      }
    } catch (error) {
      closeUntouched(this.#connection);
      throw translateSqliteError(error, options.path);
    }
  }

  /** Returns the first row. Callers must name the columns in the SQL and copy them, because libsql adds a `_metadata` field to rows. */
  get<Row>(sql: string, values: readonly SqliteValue[] = []): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(values) as Row | undefined);
  }

  all<Row>(sql: string, values: readonly SqliteValue[] = []): Row[] {
    return this.#guard(() => this.#prepare(sql).all(values) as Row[]);
  }

  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, values: readonly SqliteValue[] = []): number {
    return this.#guard(() => this.#prepare(sql).run(values).changes);
  }

  /**
   * Runs `work` in one write transaction. It is IMMEDIATE, because a transaction that begins with a read can fail when it begins to write.
   */
  transaction<T>(work: () => T): T {
    this.run('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      this.#rollback();
      throw error;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#statements.clear();
    this.#connection.close();
  }

  #rollback(): void {
    // SQLite rolls back a transaction itself after some errors, such as a full disk.
    if (!this.#connection.inTransaction) return;
    try {
      this.#prepare('ROLLBACK').run([]);
    } catch {
      // The original error is more useful than an error of the rollback.
    }
  }

  #prepare(sql: string): Libsql.Statement {
    // A statement of libsql outlives its connection, so a closed database must not return one.
    if (this.#closed) throw new StoreUnavailableError('The database is closed');
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #guard<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw translateSqliteError(error, this.#path);
    }
  }
}

/** Statements that must not be garbage-collected, because each of them prevents its connection from being closed completely. */
const held: unknown[] = [];

/**
 * Closes a connection to a damaged file without a checkpoint. The last connection to close would move the log into the file, which would
 * mix the log with the damaged data. A statement that is in the middle of its rows prevents this: https://sqlite.org/c3ref/close.html
 */
function closeUntouched(connection: Libsql.Database): void {
  try {
    const rows = connection.prepare('SELECT 1 UNION ALL SELECT 2').iterate();
    rows.next();
    held.push(rows);
  } finally {
    connection.close();
  }
}

function connect(path: string): Libsql.Database {
  try {
    // Creates the file with mode 0600, because SQLite would make it readable by others. The -wal and -shm files get the mode of the file.
    // An existing file is not opened here, because closing any of its descriptors would release the locks that this process has on it
    // (fcntl(2)).
    if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    return new Libsql(path);
  } catch (error) {
    const known = translateSqliteError(error, path);
    if (known instanceof StoreUnavailableError) throw known;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailableError(`Cannot open the database ${path}: ${reason}`, { cause: error });
  }
}
