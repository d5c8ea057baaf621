import { statSync } from 'node:fs';
import type { StoreReport } from '../port.ts';
import { damaged, findDamage } from './damage.ts';
import type { Database } from './database.ts';
import { migrations } from './schema.ts';

/** Returns the report on an SQLite store for `postern doctor`. Reads the whole file to detect damage early. */
export function inspectSqlite(database: Database, path: string): StoreReport {
  const version = database.get<{ version: string }>('SELECT sqlite_version() AS version')?.version ?? 'unknown';
  const journal = database.get<{ journal_mode: string }>('PRAGMA journal_mode')?.journal_mode;
  const problems = findDamage((sql) => database.all(sql)).map((finding) => damaged(path, finding));
  const size = path === ':memory:' ? 0 : statSync(path).size;
  if (path !== ':memory:' && (statSync(path).mode & 0o077) !== 0) {
    problems.push({ detail: 'Others may read the database file', advice: `chmod 600 ${path}` });
  }
  return {
    facts: [
      ['version', `SQLite ${version}, schema ${migrations.length}`],
      ['file', `${path}, ${(size / 1e6).toFixed(1)} MB`],
      ['durability', `journal ${journal}, synchronous FULL: every commit waits for the disk`],
    ],
    problems,
  };
}
