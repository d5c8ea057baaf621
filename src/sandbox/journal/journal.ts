import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Entry } from '../world/entries.ts';

/** Of the file, and of each row in it. Raise it when an older program could not read what a newer one writes. */
const VERSION = 2;

export interface Opened {
  readonly journal: Journal;
  /** The world's epoch: the first start, which the times of the seed count back from. */
  readonly epochMs: number;
  readonly entries: readonly Entry[];
}

/**
 * Keeps accepted writes. `append` takes an entry at once; `settled` resolves when all that was appended is on disk. Nothing
 * may be answered before that. What arrives together shares one commit.
 */
export interface Journal {
  append(entry: Entry): void;
  /** Whether something appended is not on disk yet. */
  readonly pending: boolean;
  settled(): Promise<void>;
  close(): void;
}

/** For a sandbox that keeps nothing. */
export const forgetfulJournal: Journal = {
  append() {},
  pending: false,
  settled: () => Promise.resolve(),
  close() {},
};

export function openJournal(dataDir: string, seed: string, epochMs: number): Opened {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lock(join(dataDir, 'sandbox.lock'));
  const file = join(dataDir, 'sandbox.sqlite');
  const db = new Database(file);
  try {
    prepare(db, file);
    chmodSync(file, 0o600);
    const meta = claim(db, seed, epochMs);
    if (meta.seed !== seed) throw new Error(`${file} holds the world of seed "${meta.seed}", not of "${seed}"`);
    return { journal: new SqliteJournal(db, unlock), epochMs: meta.epochMs, entries: readEntries(db, file) };
  } catch (error) {
    db.close();
    unlock();
    throw error;
  }
}

/**
 * One sandbox owns its folder: two that replay the same journal would drift apart. The lock is a transaction on a file of
 * its own, which ends with the process, however that ends. (SQLite's exclusive mode would hold the journal itself until the
 * library's last statement is collected as garbage.)
 */
function lock(file: string): () => void {
  const db = new Database(file);
  try {
    db.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw isBusy(error)
      ? new Error(`${file} is held: another sandbox uses this folder. Stop it, or choose another DATA_DIR`)
      : error;
  }
  return () => {
    db.exec('ROLLBACK');
    db.close();
  };
}

function prepare(db: Database.Database, file: string): void {
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = FULL');
  const version = (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
  if (version > VERSION) {
    throw new Error(`${file} was written by a newer version (format ${version}; this one reads up to ${VERSION})`);
  }
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS journal (seq INTEGER PRIMARY KEY, v INTEGER NOT NULL, entry TEXT NOT NULL);
    PRAGMA user_version = ${VERSION};
    COMMIT;
  `);
}

function claim(db: Database.Database, seed: string, epochMs: number): { seed: string; epochMs: number } {
  const write = db.prepare('INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)');
  write.run('seed', seed);
  write.run('epoch', String(epochMs));
  const rows = db.prepare('SELECT name, value FROM meta').all() as { name: string; value: string }[];
  const meta = new Map(rows.map((row) => [row.name, row.value]));
  return { seed: meta.get('seed') ?? seed, epochMs: Number(meta.get('epoch') ?? epochMs) };
}

function readEntries(db: Database.Database, file: string): Entry[] {
  const rows = db.prepare('SELECT v, entry FROM journal ORDER BY seq').all() as { v: number; entry: string }[];
  return rows.map((row) => {
    if (row.v > VERSION) throw new Error(`${file} has an entry of a newer version (${row.v})`);
    return JSON.parse(row.entry) as Entry;
  });
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY');
}

class SqliteJournal implements Journal {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement;
  readonly #unlock: () => void;
  #waiting: Entry[] = [];
  #commit: Promise<void> | undefined;
  #failure: unknown;

  constructor(db: Database.Database, unlock: () => void) {
    this.#db = db;
    this.#unlock = unlock;
    this.#insert = db.prepare('INSERT INTO journal (v, entry) VALUES (?, ?)');
  }

  get pending(): boolean {
    return this.#commit !== undefined || this.#failure !== undefined;
  }

  append(entry: Entry): void {
    this.#waiting.push(entry);
    this.#commit ??= new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#commit = undefined;
        try {
          this.#flush();
          resolve();
        } catch (error) {
          this.#failure = error;
          reject(error);
        }
      });
    });
    // Whoever has to answer waits on `settled`; nobody else needs to hear of it.
    this.#commit.catch(() => {});
  }

  settled(): Promise<void> {
    // After a failed commit, memory holds what the disk does not: from then on nothing is confirmed until a restart.
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    return this.#commit ?? Promise.resolve();
  }

  close(): void {
    try {
      if (this.#failure === undefined) this.#flush();
    } finally {
      this.#db.close();
      this.#unlock();
    }
  }

  #flush(): void {
    const entries = this.#waiting;
    if (entries.length === 0) return;
    this.#waiting = [];
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const entry of entries) {
        // A reset makes everything before it moot.
        if (entry.kind === 'reset') this.#db.exec('DELETE FROM journal');
        this.#insert.run(VERSION, JSON.stringify(entry));
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}
