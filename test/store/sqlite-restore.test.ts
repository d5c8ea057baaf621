import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { restoreSqlite } from '../../src/store/sqlite/backup.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { migrations } from '../../src/store/sqlite/schema.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();

let made = 0;
/** Makes the file of a backup with the schema of `version`, and returns its path and that of the database to restore. */
function makeBackup({ version = migrations.length, change = '' } = {}) {
  made += 1;
  const backup = join(folder, `backup-${made}`);
  const connection = new Libsql(backup);
  connection.exec('PRAGMA synchronous = OFF');
  connection.exec(
    `BEGIN; ${migrations.slice(0, version).join(';')}; PRAGMA user_version = ${version}; COMMIT; ${change}`,
  );
  connection.close();
  return { backup, path: join(folder, `restored-${made}`) };
}

test('restores a backup of every earlier schema version', async () => {
  for (let version = 1; version <= migrations.length; version++) {
    const { backup, path } = makeBackup({ version });
    await restoreSqlite(backup, path, false);
    const database = new Database({ path, durable: false });
    expect(database.get('PRAGMA user_version')).toMatchObject({ user_version: migrations.length });
    database.close();
  }
});

test.each(['644', '666', '400'])(
  'makes the database readable by its owner only, from one with mode %s',
  async (mode) => {
    const { backup, path } = makeBackup();
    chmodSync(backup, Number.parseInt(mode, 8));
    await restoreSqlite(backup, path, false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  },
);

test.each([
  ['a trigger', 'CREATE TRIGGER extra AFTER UPDATE ON account BEGIN UPDATE account SET avail = 1; END'],
  ['a table', 'CREATE TABLE extra (x)'],
  ['a virtual table', 'CREATE VIRTUAL TABLE extra USING fts5 (x)'],
  ['a view', 'CREATE VIEW extra AS SELECT * FROM account'],
  ['an index', 'CREATE INDEX extra ON account (name)'],
  ['a column', "ALTER TABLE account ADD COLUMN extra TEXT DEFAULT 'x'"],
  ['a generated column', 'ALTER TABLE account ADD COLUMN extra INTEGER AS (abs(paid))'],
  ['no index', 'DROP INDEX audit_by_at'],
  ['no table', 'DROP TABLE audit'],
  [
    'a view as a table',
    'DROP TABLE audit; CREATE VIEW audit AS SELECT 1 AS account, 2 AS at, 3 AS id, 4 AS v, 5 AS entry',
  ],
  ['another version', 'PRAGMA user_version = 3'],
  ['a newer version', 'PRAGMA user_version = 999'],
])('refuses a backup with %s, and writes nothing', async (_name, change) => {
  const { backup, path } = makeBackup({ change });
  await expect(restoreSqlite(backup, path, false)).rejects.toThrow('does not have the schema of its version');
  expect(existsSync(path)).toBe(false);
  expect(readdirSync(folder).filter((name) => name.includes('restoring'))).toEqual([]);
});

test('accepts a backup of a store that the operator analysed', async () => {
  const { backup, path } = makeBackup({ change: 'ANALYZE' });
  await restoreSqlite(backup, path, false);
  expect(existsSync(path)).toBe(true);
});
