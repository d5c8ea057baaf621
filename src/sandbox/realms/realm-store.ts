import { chmodSync } from 'node:fs';
import Database from 'libsql';
import type { RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { explainSqliteError, refuseDamagedFile, refuseOrphan } from '../journal/sqlite-errors.ts';

/** The number of wrong guesses after which the share of an account is destroyed. A correct guess resets the count. */
export const ALLOWED_GUESSES = 20;

/** The format version of the file. */
const VERSION = 1;

export interface StoredRecord {
  readonly version: string;
  readonly guesses: number;
  /** The time of the last guess, in milliseconds. */
  readonly guessedAt: number;
  /** Null if the record was destroyed. */
  readonly record: RealmRecord | null;
}

interface Row {
  readonly version: string;
  readonly guesses: number;
  readonly guessed_at: number;
  readonly record: string | null;
}

const insert = 'INSERT INTO records (account, version, guesses, guessed_at, record) VALUES (?, ?, 0, 0, ?)';
const bytesOf = ['oprfKeyShare', 'commitment', 'unlockTag', 'sealedShare', 'sealedKeys'] as const;

/**
 * Stores the records of one key realm in a separate file. Each change is on disk when its call returns, so a crash
 * cannot undo a guess. Each change is one SQL statement, so concurrent guesses are all counted.
 */
export class RealmStore {
  readonly #db: Database.Database;
  readonly #file: string;

  /** If `file` is null, records are kept in memory only. */
  constructor(file: string | null) {
    this.#file = file ?? ':memory:';
    let db: Database.Database | undefined;
    try {
      if (file !== null) refuseOrphan(file);
      db = new Database(this.#file);
      prepare(db, this.#file);
      if (file !== null) {
        refuseDamagedFile(db, file);
        chmodSync(file, 0o600);
      }
      this.#db = db;
    } catch (error) {
      db?.close();
      throw explainSqliteError(error, this.#file);
    }
  }

  find(account: string): StoredRecord | undefined {
    const row = this.#do(() =>
      this.#db.prepare('SELECT version, guesses, guessed_at, record FROM records WHERE account = ?').get(account),
    ) as Row | undefined;
    if (row === undefined) return undefined;
    const { version, guesses, guessed_at: guessedAt, record } = row;
    return { version, guesses, guessedAt, record: record === null ? null : readRecord(version, record) };
  }

  /**
   * Stores a record with a guess count of 0 if the account has no record, a destroyed one, or the one with version
   * `replaces`. Returns false otherwise, so the second of two simultaneous enrollments is refused.
   */
  put(account: string, record: RealmRecord, replaces: string | null): boolean {
    const text = `${insert} ON CONFLICT (account) DO UPDATE
      SET version = excluded.version, guesses = 0, guessed_at = 0, record = excluded.record
      WHERE records.record IS NULL OR records.version = ?`;
    const changes = this.#run(text, account, record.version, writeRecord(record), replaces ?? '');
    // An equal version means that an earlier attempt of the same call stored the record.
    if (changes === 0) return this.find(account)?.version === record.version;
    this.#scrub();
    return true;
  }

  /** Stores a record if the account has never had one. A destroyed record is not replaced. */
  putIfNone(account: string, record: RealmRecord): void {
    this.#run(`${insert} ON CONFLICT DO NOTHING`, account, record.version, writeRecord(record));
  }

  /** Counts a guess. Returns false if no guesses remain or the record has another version. */
  countGuess(account: string, version: string, now: number): boolean {
    const text = `UPDATE records SET guesses = guesses + 1, guessed_at = ?
      WHERE account = ? AND version = ? AND record IS NOT NULL AND guesses < ${ALLOWED_GUESSES}`;
    return this.#run(text, now, account, version) === 1;
  }

  forgetGuesses(account: string, version: string): void {
    this.#run('UPDATE records SET guesses = 0 WHERE account = ? AND version = ? AND guesses > 0', account, version);
  }

  /** Destroys the share, but remembers that the account had a record. */
  destroy(account: string): void {
    if (this.#run('UPDATE records SET record = NULL WHERE account = ? AND record IS NOT NULL', account) === 0) return;
    this.#scrub();
  }

  clear(): void {
    this.#run('DELETE FROM records');
    this.#scrub();
  }

  close(): void {
    this.#db.close();
  }

  /**
   * Truncates the write-ahead log. SQLite overwrites deleted content in the database file (`secure_delete`), but not in
   * the log.
   */
  #scrub(): void {
    this.#do(() => this.#db.pragma('wal_checkpoint(TRUNCATE)'));
  }

  #run(text: string, ...values: (string | number)[]): number {
    return this.#do(() => this.#db.prepare(text).run(...values).changes);
  }

  #do<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw explainSqliteError(error, this.#file);
    }
  }
}

function prepare(db: Database.Database, file: string): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  db.pragma('secure_delete = ON');
  const version = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (version > VERSION) {
    throw new Error(`${file} was written by a newer version (format ${version}; this one reads up to ${VERSION})`);
  }
  if (version === VERSION) return;
  // A single transaction waits for the disk only once.
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS records (
      account TEXT PRIMARY KEY,
      version TEXT NOT NULL,
      guesses INTEGER NOT NULL,
      guessed_at INTEGER NOT NULL,
      record TEXT
    ) WITHOUT ROWID;
    PRAGMA user_version = ${VERSION};
    COMMIT;
  `);
}

function writeRecord(record: RealmRecord): string {
  return JSON.stringify(bytesOf.map((name) => Buffer.from(record[name]).toString('base64')));
}

function readRecord(version: string, text: string): RealmRecord {
  const fields = (JSON.parse(text) as string[]).map((field) => Buffer.from(field, 'base64'));
  const [oprfKeyShare, commitment, unlockTag, sealedShare, sealedKeys] = fields;
  if (!oprfKeyShare || !commitment || !unlockTag || !sealedShare || !sealedKeys)
    throw new Error('a record lacks fields');
  return { version, oprfKeyShare, commitment, unlockTag, sealedShare, sealedKeys };
}
