import { chmodSync, existsSync, renameSync } from 'node:fs';
import Database from 'libsql';
import { problemOf } from '../http/problem.ts';
import { explainSqliteError, refuseDamagedFile, refuseOrphan } from '../journal/sqlite-errors.ts';
import { packRecord, type RealmRecord, unpackRecord } from './record.ts';

/** The format version of the file. Version 1 had records of another protocol, which cannot be converted. */
const VERSION = 2;

/** The state of an account. `locked`: all guesses were used, and the record was destroyed. */
export type StoredState =
  | { readonly state: 'none' | 'locked' }
  | { readonly state: 'registered'; readonly record: RealmRecord; readonly guesses: number; readonly allowed: number };

interface Row {
  readonly state: StoredState['state'];
  readonly record: Uint8Array;
  readonly guesses: number;
  readonly allowed: number;
}

const noRecord = Buffer.alloc(0);

/**
 * Stores the records of one key realm in a separate file. Each change is on disk when its call returns, so a crash
 * cannot undo a guess.
 */
export class RealmStore {
  readonly #db: Database.Database;
  readonly #file: string;

  /** If `file` is null, records are kept in memory only. A file of an older format is renamed to `*.old`. */
  constructor(file: string | null) {
    this.#file = file ?? ':memory:';
    try {
      this.#db = open(file) ?? setAside(this.#file);
      if (file !== null) chmodSync(file, 0o600);
    } catch (error) {
      throw explainSqliteError(error, this.#file);
    }
  }

  find(account: string): StoredState {
    const row = this.#row(account);
    if (row?.state !== 'registered') return { state: row?.state ?? 'none' };
    const { record, guesses, allowed } = row;
    return { state: 'registered', record: unpackRecord(record), guesses, allowed };
  }

  /** Returns true if the account has or had a record. */
  knows(account: string): boolean {
    return this.#row(account) !== undefined;
  }

  /** Stores a record with a guess count of 0, whatever the account has. */
  put(account: string, record: RealmRecord, allowed: number): void {
    this.#run(
      'INSERT OR REPLACE INTO records VALUES (?, ?, 0, ?, ?)',
      account,
      'registered',
      allowed,
      packRecord(record),
    );
    this.#scrub();
  }

  countGuess(account: string): void {
    this.#run('UPDATE records SET guesses = guesses + 1 WHERE account = ?', account);
  }

  forgetGuesses(account: string): void {
    this.#run('UPDATE records SET guesses = 0 WHERE account = ? AND guesses > 0', account);
  }

  /** Destroys the record, but remembers that the account had one. */
  lock(account: string): void {
    this.#destroy(account, 'locked');
  }

  delete(account: string): void {
    this.#destroy(account, 'none');
  }

  clear(): void {
    this.#run('DELETE FROM records');
    this.#scrub();
  }

  close(): void {
    this.#db.close();
  }

  #destroy(account: string, state: 'none' | 'locked'): void {
    this.#run('INSERT OR REPLACE INTO records VALUES (?, ?, 0, 0, ?)', account, state, noRecord);
    this.#scrub();
  }

  #row(account: string): Row | undefined {
    const text = 'SELECT state, record, guesses, allowed FROM records WHERE account = ?';
    return this.#do(() => this.#db.prepare(text).get(account)) as Row | undefined;
  }

  /**
   * Truncates the write-ahead log. SQLite overwrites deleted content in the database file (`secure_delete`), but not in
   * the log.
   */
  #scrub(): void {
    this.#do(() => this.#db.pragma('wal_checkpoint(TRUNCATE)'));
  }

  #run(text: string, ...values: (string | number | Buffer)[]): void {
    this.#do(() => this.#db.prepare(text).run(...values));
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw problemOf(explainSqliteError(error, this.#file));
    }
  }
}

/** Opens a file. Returns null if it has an older format. */
function open(file: string | null): Database.Database | null {
  if (file !== null) refuseOrphan(file);
  const db = new Database(file ?? ':memory:');
  try {
    if (file !== null) refuseDamagedFile(db, file);
    db.pragma('journal_mode = WAL');
    db.pragma('synchronous = FULL');
    db.pragma('secure_delete = ON');
    const version = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
    if (version > VERSION) {
      throw new Error(`${file} was written by a newer version (format ${version}; this one reads up to ${VERSION})`);
    }
    if (version === VERSION) return db;
    if (version > 0) {
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.close();
      return null;
    }
    // A single transaction waits for the disk only once.
    db.exec(`
      BEGIN IMMEDIATE;
      CREATE TABLE records (
        account TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        guesses INTEGER NOT NULL,
        allowed INTEGER NOT NULL,
        record BLOB NOT NULL
      ) WITHOUT ROWID;
      PRAGMA user_version = ${VERSION};
      COMMIT;
    `);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function setAside(file: string): Database.Database {
  // The database comes last, because a log without it would prevent the next start.
  for (const suffix of ['-shm', '-wal', ''])
    if (existsSync(file + suffix)) renameSync(file + suffix, `${file}.old${suffix}`);
  const db = open(file);
  if (db === null) throw new Error(`${file} has an older format`);
  return db;
}
