import { closeSync, existsSync, openSync } from 'node:fs';
import Libsql from 'libsql';

/**
 * Which processes run pollers out of one database file, told by a lock that ends with its process, however that ends: each
 * holds a shared one on an empty file beside the database. Whoever gets it for itself alone is the only one.
 */
export class PollerHostLock {
  readonly #path: string | null;
  #connection: Libsql.Database | null = null;
  #entered = false;

  /** `path` of the database. One in memory has nobody beside it. */
  constructor(path: string) {
    this.#path = path === ':memory:' ? null : `${path}-runners`;
  }

  /**
   * Takes the lock, once; later calls do nothing. True where no other process has it. To be called in a write transaction
   * of the database, so that of two that begin together one is the first. Where that runs again, it is not told again.
   */
  enter(): boolean {
    if (this.#entered || this.#path === null) return false;
    this.#entered = true;
    try {
      this.#connection = connect(this.#path);
      const alone = this.#try('BEGIN EXCLUSIVE');
      if (alone) this.#try('COMMIT');
      this.#try('BEGIN');
      // A transaction reads, and takes its lock, with its first statement: https://sqlite.org/lang_transaction.html
      this.#try('SELECT 1 FROM sqlite_master');
      return alone;
    } catch {
      // Where locks do not work, the pollers of the dead wait until they were not heard of for a while.
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
  // Not where it exists: closing a descriptor would drop the locks that this process holds on it (fcntl(2)).
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
  const connection = new Libsql(path);
  connection.exec('PRAGMA busy_timeout = 0');
  return connection;
}
