import { chmodSync } from 'node:fs';
import Database from 'libsql';
import type { RealmRecord } from '../../messaging/encryption/recovery/enroll.ts';
import { explain, refuseDamage, refuseOrphan } from '../journal/faults.ts';

/** Guesses of a code that an account has until its share is destroyed. The right one sets the count back. */
export const ALLOWED_GUESSES = 20;

/** Of the file. */
const VERSION = 1;

export interface Kept {
  readonly version: string;
  readonly guesses: number;
  /** When the last of them was made. */
  readonly guessedAt: number;
  /** Null: destroyed. */
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
 * What one realm keeps, in a file of its own. Each change is on disk when its call returns, so that no crash gives a guess
 * back; and each is one statement, so that no two callers make the same guess.
 */
export class RealmStore {
  readonly #db: Database.Database;
  readonly #file: string;

  /** Null: records are kept in memory only. */
  constructor(file: string | null) {
    this.#file = file ?? ':memory:';
    let db: Database.Database | undefined;
    try {
      if (file !== null) refuseOrphan(file);
      db = new Database(this.#file);
      prepare(db, this.#file);
      if (file !== null) {
        refuseDamage(db, file);
        chmodSync(file, 0o600);
      }
      this.#db = db;
    } catch (error) {
      db?.close();
      throw explain(error, this.#file);
    }
  }

  find(account: string): Kept | undefined {
    const row = this.#do(() =>
      this.#db.prepare('SELECT version, guesses, guessed_at, record FROM records WHERE account = ?').get(account),
    ) as Row | undefined;
    if (row === undefined) return undefined;
    const { version, guesses, guessed_at: guessedAt, record } = row;
    return { version, guesses, guessedAt, record: record === null ? null : readRecord(version, record) };
  }

  /**
   * Puts the record where there is none, or a destroyed one, or the one of the version that it replaces, the count of guesses
   * at none. False where there is another: of two who enroll at once, the second learns of the first.
   */
  put(account: string, record: RealmRecord, replaces: string | null): boolean {
    const text = `${insert} ON CONFLICT (account) DO UPDATE
      SET version = excluded.version, guesses = 0, guessed_at = 0, record = excluded.record
      WHERE records.record IS NULL OR records.version = ?`;
    const changes = this.#run(text, account, record.version, writeRecord(record), replaces ?? '');
    // One that is there already came by the same call before.
    if (changes === 0) return this.find(account)?.version === record.version;
    this.#scrub();
    return true;
  }

  /** Puts the record where the account has none, not even a destroyed one. */
  putIfNone(account: string, record: RealmRecord): void {
    this.#run(`${insert} ON CONFLICT DO NOTHING`, account, record.version, writeRecord(record));
  }

  /** Counts a guess. False where none remain, or the record is another one. */
  countGuess(account: string, version: string, now: number): boolean {
    const text = `UPDATE records SET guesses = guesses + 1, guessed_at = ?
      WHERE account = ? AND version = ? AND record IS NOT NULL AND guesses < ${ALLOWED_GUESSES}`;
    return this.#run(text, now, account, version) === 1;
  }

  forgetGuesses(account: string, version: string): void {
    this.#run('UPDATE records SET guesses = 0 WHERE account = ? AND version = ? AND guesses > 0', account, version);
  }

  /** The share is gone for good; that there was one stays known. */
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

  /** What was deleted is overwritten in the file (`secure_delete`), but the log before it still has it. */
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
      throw explain(error, this.#file);
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
  db.exec(`
    CREATE TABLE IF NOT EXISTS records (
      account TEXT PRIMARY KEY,
      version TEXT NOT NULL,
      guesses INTEGER NOT NULL,
      guessed_at INTEGER NOT NULL,
      record TEXT
    ) WITHOUT ROWID;
    PRAGMA user_version = ${VERSION};
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
