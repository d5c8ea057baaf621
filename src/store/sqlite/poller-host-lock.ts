import { closeSync, existsSync, openSync } from 'node:fs';
import Libsql from 'libsql';

/**
 * Detects whether other processes run pollers with the same database file. Each process holds a shared lock on an empty file next to the
 * database. The operating system releases the lock when the process ends for any reason. A process that can take an exclusive lock is the
 * only one. A restore keeps the exclusive lock until it ends.
 */
export class PollerHostLock {
  readonly #path: string | null;
  #connection: Libsql.Database | null = null;
  #entered = false;

  /** `path` is the path of the database. A database in memory has only one process. */
  constructor(path: string) {
    this.#path = path === ':memory:' ? null : `${path}-runners`;
  }

  /**
   * Takes the lock at the first call; later calls do nothing. Returns true if no other process has the lock. Must be called in a write
   * transaction of the database, so that two processes that start together are serialised. If that transaction is repeated, this method
   * returns false.
   */
  enter(): boolean {
    if (this.#entered || this.#path === null) return false;
    this.#entered = true;
    try {
      this.#connection = connect(this.#path);
      const alone = this.#try('BEGIN EXCLUSIVE');
      if (alone) this.#try('COMMIT');
      this.#try('BEGIN');
      // A transaction takes its lock with the first statement that reads: https://sqlite.org/lang_transaction.html
      this.#try('SELECT 1 FROM sqlite_master');
      return alone;
    } catch {
      // If locks do not work on this file system, the pollers of a dead process are taken over when its heartbeat expires.
      return false;
    }
  }

  /** Takes the exclusive lock until `close`. Returns false if another process has the lock, or if locks do not work on this file system. */
  enterAlone(): boolean {
    if (this.#entered || this.#path === null) return false;
    this.#entered = true;
    try {
      this.#connection = connect(this.#path);
      return this.#try('BEGIN EXCLUSIVE');
    } catch {
      return false;
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }

  #try(sql: string): boolean {
    try {
      this.#connection?.exec(sql);
      return true;
    } catch {
      return false;
    }
  }
}

function connect(path: string): Libsql.Database {
  // An existing file is not opened here, because closing one of its descriptors would release the locks that this process has on it
  // (fcntl(2)).
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const connection = new Libsql(path);
  connection.exec('PRAGMA busy_timeout = 0');
  return connection;
}
