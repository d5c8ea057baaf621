import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'libsql';
import type { Entry } from '../dataset/entries.ts';
import { explain, refuseDamage, refuseOrphan } from './faults.ts';
import { lock } from './lock.ts';

/** Of the file, and of each row in it. Raise it when an older program could not read what a newer one writes. */
const VERSION = 2;

export interface OpenedJournal {
  readonly journal: Journal;
  /** The dataset's epoch: the first start, which the times of the seed count back from. */
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
  /** Whether the disk refused what was appended last: memory is ahead of it, so nothing may be added. */
  readonly failing: boolean;
  /** After a failure it tries again, so that what there was no room for is written once there is. */
  settled(): Promise<void>;
  close(): void;
}

/** For a sandbox that keeps nothing. */
export const forgetfulJournal: Journal = {
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
    refuseDamage(db, file);
    chmodSync(file, 0o600);
    const meta = claim(db, seed, epochMs);
    if (meta.seed !== seed) throw new Error(`${file} holds the dataset of seed "${meta.seed}", not of "${seed}"`);
    return { journal: new SqliteJournal(db, file, unlock), epochMs: meta.epochMs, entries: readEntries(db, file) };
  } catch (error) {
    db?.close();
    unlock();
    throw explain(error, file);
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

class SqliteJournal implements Journal {
  readonly #db: Database.Database;
  readonly #insert: Database.Statement;
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
      // The disk refuses them, and nobody was told that they were accepted.
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
    // Whoever has to answer waits on `settled`; nobody else needs to hear of it.
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
      throw explain(error, this.#file);
    }
    this.#waiting = [];
    this.#failing = false;
  }

  #write(entries: readonly Entry[]): void {
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
