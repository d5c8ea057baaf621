import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Entry } from '../dataset/entries.ts';
import { lock } from './lock.ts';
import { explainSqliteError, refuseDamagedFile, refuseOrphan } from './sqlite-errors.ts';

/** The format version of the file and of each row. Raise it if older programs cannot read what newer ones write. */
const VERSION = 2;

export interface OpenedJournal {
  readonly journal: Journal;
  /** The time of the first start in milliseconds. Times in the seed dataset are relative to it. */
  readonly epochMs: number;
  readonly entries: readonly Entry[];
}

/**
 * Stores accepted writes. `append` queues an entry, and `settled` resolves when all queued entries are on disk. A
 * response may be sent only after that. Entries queued at the same time share one transaction.
 */
export interface Journal {
  append(entry: Entry): void;
  /** True if an appended entry is not yet on disk. */
  readonly pending: boolean;
  /** True if the last write to disk failed. Memory then has entries that the disk lacks, so no more may be appended. */
  readonly failing: boolean;
  /** Waits until all entries are on disk. After a failure, each call retries the write. */
  settled(): Promise<void>;
  close(): void;
}

/** A journal that stores nothing, for a sandbox without a data directory. */
export const memoryJournal: Journal = {
  append() {},
  pending: false,
  failing: false,
  settled: () => Promise.resolve(),
  close() {},
};

export function openJournal(dataDir: string, seed: string, epochMs: number): OpenedJournal {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const unlock = lock(join(dataDir, 'sandbox.lock'));
  const file = join(dataDir, 'sandbox.sqlite');
  let db: Database.Database | undefined;
  try {
    refuseOrphan(file);
    db = new Database(file);
    prepare(db, file);
    refuseDamagedFile(db, file);
    chmodSync(file, 0o600);
    const meta = readOrWriteMeta(db, seed, epochMs);
    if (meta.seed !== seed) throw new Error(`${file} holds the dataset of seed "${meta.seed}", not of "${seed}"`);
    return { journal: new SqliteJournal(db, file, unlock), epochMs: meta.epochMs, entries: readEntries(db, file) };
  } catch (error) {
    db?.close();
    unlock();
    throw explainSqliteError(error, file);
  }
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
    CREATE TABLE IF NOT EXISTS latest (id TEXT PRIMARY KEY, v INTEGER NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID;
    PRAGMA user_version = ${VERSION};
    COMMIT;
  `);
}

function readOrWriteMeta(db: Database.Database, seed: string, epochMs: number): { seed: string; epochMs: number } {
  const write = db.prepare('INSERT OR IGNORE INTO meta (name, value) VALUES (?, ?)');
  write.run('seed', seed);
  write.run('epoch', String(epochMs));
  const rows = db.prepare('SELECT name, value FROM meta').all() as { name: string; value: string }[];
  const meta = new Map(rows.map((row) => [row.name, row.value]));
  return { seed: meta.get('seed') ?? seed, epochMs: Number(meta.get('epoch') ?? epochMs) };
}

function readEntries(db: Database.Database, file: string): Entry[] {
  const rows = ['journal ORDER BY seq', 'latest'].flatMap(
    (from) => db.prepare(`SELECT v, entry FROM ${from}`).all() as { v: number; entry: string }[],
  );
  return rows.map((row) => {
    if (row.v > VERSION) throw new Error(`${file} has an entry of a newer version (${row.v})`);
    return JSON.parse(row.entry) as Entry;
  });
}

class SqliteJournal implements Journal {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement;
  /** Grants of the sign-in change with every refresh, so only the last entry of each is kept. */
  readonly #replace: Database.Statement;
  readonly #remove: Database.Statement;
  readonly #file: string;
  readonly #unlock: () => void;
  #waiting: Entry[] = [];
  #commit: Promise<void> | undefined;
  #failing = false;

  constructor(db: Database.Database, file: string, unlock: () => void) {
    this.#db = db;
    this.#file = file;
    this.#unlock = unlock;
    this.#insert = db.prepare('INSERT INTO journal (v, entry) VALUES (?, ?)');
    this.#replace = db.prepare('INSERT OR REPLACE INTO latest (id, v, entry) VALUES (?, ?, ?)');
    this.#remove = db.prepare('DELETE FROM latest WHERE id = ?');
  }

  get pending(): boolean {
    return this.#commit !== undefined || this.#waiting.length > 0;
  }

  get failing(): boolean {
    return this.#failing;
  }

  append(entry: Entry): void {
    this.#waiting.push(entry);
    this.#begin();
  }

  settled(): Promise<void> {
    return this.pending ? this.#begin() : Promise.resolve();
  }

  close(): void {
    try {
      this.#flush();
    } catch {
      // The entries cannot be written, and no response has confirmed them.
    }
    this.#db.close();
    this.#unlock();
  }

  #begin(): Promise<void> {
    if (this.#commit !== undefined) return this.#commit;
    this.#commit = new Promise((resolve, reject) => {
      setImmediate(() => {
        this.#commit = undefined;
        try {
          this.#flush();
          resolve();
        } catch (error) {
          reject(error);
        }
      });
    });
    // Callers get this error from `settled`. The handler here only prevents an unhandled rejection.
    this.#commit.catch(() => {});
    return this.#commit;
  }

  #flush(): void {
    const entries = this.#waiting;
    if (entries.length === 0) return;
    try {
      this.#write(entries);
    } catch (error) {
      this.#failing = true;
      throw explainSqliteError(error, this.#file);
    }
    this.#waiting = [];
    this.#failing = false;
  }

  #write(entries: readonly Entry[]): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      for (const entry of entries) {
        // A reset replaces the dataset, so earlier entries are no longer needed.
        if (entry.kind === 'reset') this.#db.exec('DELETE FROM journal; DELETE FROM latest');
        if (entry.kind !== 'oauth_grant' && entry.kind !== 'oauth_client') {
          this.#insert.run(VERSION, JSON.stringify(entry));
        } else if (entry.kind === 'oauth_grant' && entry.grant === null) this.#remove.run(entry.id);
        else this.#replace.run(entry.id, VERSION, JSON.stringify(entry));
      }
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}
