import { closeSync, existsSync, openSync } from 'node:fs';
import Libsql from 'libsql';
import { StoreUnavailableError } from '../port.ts';
import { refuseDamage, refuseLostFile } from './damage.ts';
import { translateError } from './errors.ts';
import { migrate, useWriteAheadLog } from './migrate.ts';

export type SqliteValue = string | number | null;

export interface DatabaseOptions {
  /** A file, or `:memory:`. */
  path: string;
  /** True waits for the disk at every commit; false survives the death of the process only. */
  durable: boolean;
  /** How long one statement waits while another process writes, once the database is open. */
  busyTimeoutMs?: number;
}

/**
 * One connection to one SQLite file. Calls block. Statements are prepared once and kept; every fault that means
 * "away" leaves as `StoreUnavailableError`.
 */
export class Database {
  readonly #connection: Libsql.Database;
  readonly #path: string;
  readonly #statements = new Map<string, Libsql.Statement>();
  #closed = false;

  constructor(options: DatabaseOptions) {
    this.#path = options.path;
    if (options.path !== ':memory:') refuseLostFile(options.path);
    this.#connection = connect(options.path);
    try {
      // First of all, so that the statements below wait for other processes too.
      this.#connection.exec('PRAGMA busy_timeout = 5000');
      useWriteAheadLog(this.#connection);
      // In WAL mode FULL waits for the disk at every commit, NORMAL only at checkpoints: https://sqlite.org/pragma.html#pragma_synchronous
      this.#connection.exec(`PRAGMA synchronous = ${options.durable ? 'FULL' : 'OFF'}`);
      // Overwrites what is deleted or replaced within pages that are written anyway: https://sqlite.org/pragma.html#pragma_secure_delete
      this.#connection.exec('PRAGMA secure_delete = FAST');
      // In KiB. What a busy account touches stays in memory, however much history lies beside it.
      this.#connection.exec('PRAGMA cache_size = -65536');
      migrate(this.#connection, options.path);
      if (options.path !== ':memory:') refuseDamage(this.#connection, options.path);
      if (options.busyTimeoutMs !== undefined) {
        this.#connection.exec(`PRAGMA busy_timeout = ${options.busyTimeoutMs}`);
      }
    } catch (error) {
      closeUntouched(this.#connection);
      throw translateError(error, options.path);
    }
  }

  /** The first row. Callers name their columns in the SQL and map them: rows carry a `_metadata` of libsql's. */
  get<Row>(sql: string, values: readonly SqliteValue[] = []): Row | undefined {
    return this.#guard(() => this.#prepare(sql).get(values) as Row | undefined);
  }

  all<Row>(sql: string, values: readonly SqliteValue[] = []): Row[] {
    return this.#guard(() => this.#prepare(sql).all(values) as Row[]);
  }

  /** Answers how many rows changed. */
  run(sql: string, values: readonly SqliteValue[] = []): number {
    return this.#guard(() => this.#prepare(sql).run(values).changes);
  }

  /** Runs `work` in one write transaction: IMMEDIATE, since a reader that becomes a writer may find itself too late. */
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
    // SQLite itself rolls back after some faults, a full disk among them.
    if (!this.#connection.inTransaction) return;
    try {
      this.#prepare('ROLLBACK').run([]);
    } catch {
      // The fault that brought us here says more than this one.
    }
  }

  #prepare(sql: string): Libsql.Statement {
    // A statement outlives its connection in libsql, so a closed database must not hand one out.
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
      throw translateError(error, this.#path);
    }
  }
}

/** Statements that must not be collected: each keeps a connection from its last act. */
const held: unknown[] = [];

/**
 * The last connection to close moves the log into the file, which would mix the log of a damaged file into what is left
 * of it. A statement in the middle of its rows keeps SQLite from that: https://sqlite.org/c3ref/close.html
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
    // SQLite would create the file readable by others; its -wal and -shm take the mode of the file. One that exists is
    // left alone: closing any descriptor of it would drop the locks that this process holds on it (fcntl(2)).
    if (path !== ':memory:' && !existsSync(path)) closeSync(openSync(path, 'a', 0o600));
    return new Libsql(path);
  } catch (error) {
    const known = translateError(error, path);
    if (known instanceof StoreUnavailableError) throw known;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StoreUnavailableError(`Cannot open the database ${path}: ${reason}`, { cause: error });
  }
}
