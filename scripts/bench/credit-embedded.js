import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Libsql from 'libsql';
import { openSqliteStoreInThread } from '../../dist/store/sqlite/worker-host.js';
import { temporaryFolder } from './processes.js';

const copied = ['payment', 'usage', 'ledger_commit'];
const tables = ['account', ...copied];

/** Opens the embedded store like the service: durable, on a disk, in its own thread. */
export async function embedded() {
  // Refuses tmpfs (0x01021994, statfs(2)), because waiting for a disk in memory costs nothing.
  const folder = temporaryFolder(statfsSync(tmpdir()).type === 0x01021994 ? '/var/tmp' : tmpdir());
  return {
    name: 'embedded',
    callers: 200,
    what: `SQLite in a thread of its own, durable, in ${folder}`,
    make: (name) => makeSubject(join(folder, `${name}.sqlite`)),
    bare: bareSqlite(join(folder, 'bare.sqlite')),
    close: async () => {},
  };
}

async function makeSubject(path) {
  const store = await openSqliteStoreInThread({ path });
  /** A second connection, for statements that no method of the store offers. */
  const beside = (work) => {
    const connection = new Libsql(path);
    try {
      connection.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
      return work(connection);
    } finally {
      connection.close();
    }
  };
  return {
    store,
    close: () => store.close(),
    rows: () => beside((connection) => Object.fromEntries(tables.map((table) => [table, count(connection, table)]))),
    forgetSince: (at) => beside((connection) => connection.prepare('DELETE FROM ledger_commit WHERE at >= ?').run(at)),
    fill: (copies, budgetMs) => beside((connection) => fill(connection, copies, budgetMs)),
  };
}

/** Copies the existing data repeatedly as if it had happened earlier. The balances are correct after each copy. */
function fill(connection, copies, budgetMs) {
  const until = performance.now() + budgetMs;
  const columns = {};
  for (const table of copied) {
    connection.exec(`CREATE TEMP TABLE first_${table} AS SELECT * FROM main.${table}`);
    columns[table] = connection
      .prepare(`PRAGMA main.table_info(${table})`)
      .all()
      .map(({ name }) => name);
  }
  const copyOf = (table, changes) => {
    const values = columns[table].map((name) => changes[name] ?? `f.${name}`);
    return `INSERT INTO main.${table} (${columns[table]}) SELECT ${values} FROM first_${table} f`;
  };
  const copy = (table, changes) => connection.exec(copyOf(table, changes));
  const spent = '(SELECT COALESCE(SUM(u.micros), 0) FROM first_usage u WHERE u.account = f.account)';
  connection.exec('CREATE INDEX temp.first_usage_by_account ON first_usage (account)');
  // Rows with random ids are inserted fastest if they are sorted, in large batches, and indexed afterwards.
  const indexes = connection
    .prepare("SELECT name, sql FROM main.sqlite_master WHERE tbl_name = 'ledger_commit' AND sql LIKE 'CREATE INDEX%'")
    .all();
  for (const { name } of indexes) connection.exec(`DROP INDEX main.${name}`);
  let done = 0;
  let perCopyMs = 0;
  while (done < copies && performance.now() + perCopyMs < until) {
    const from = done + 1;
    done = Math.min(copies, done === 0 ? 1 : done + Math.min(10, Math.floor((until - performance.now()) / perCopyMs)));
    const startedAt = performance.now();
    connection.exec('BEGIN IMMEDIATE');
    for (let copied = from; copied <= done; copied++) {
      copy('payment', { id: `f.id || '-${copied}'`, micros: spent, created_at: `f.created_at - 3600000 * ${copied}` });
      copy('usage', { hour: `f.hour - 2 * ${copied}` });
    }
    const times = done - from + 1;
    connection.exec(`UPDATE main.account AS a SET (paid, charged) =
      (SELECT a.paid + ${times} * SUM(u.micros), a.charged + ${times} * SUM(u.micros)
       FROM first_usage u WHERE u.account = a.id)
      WHERE a.id IN (SELECT account FROM first_usage)`);
    connection.exec(`WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ${times})
      ${copyOf('ledger_commit', { id: 'lower(hex(randomblob(16)))', at: 'f.at - abs(random() % 3000000)' })}
      CROSS JOIN copies ORDER BY 1`);
    connection.exec('COMMIT');
    perCopyMs = (performance.now() - startedAt) / times;
  }
  for (const { sql } of indexes) connection.exec(sql);
  connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  return done;
}

/** Makes the simplest durable commit: one UPDATE, with `group` of them in each transaction. */
function bareSqlite(path) {
  return async ({ accounts, group, durationMs }) => {
    const connection = new Libsql(path);
    try {
      connection.prepare('PRAGMA journal_mode = WAL').get();
      connection.exec(`PRAGMA synchronous = FULL;
        CREATE TABLE IF NOT EXISTS account (id TEXT PRIMARY KEY, avail INTEGER NOT NULL) STRICT, WITHOUT ROWID`);
      const insert = connection.prepare('INSERT INTO account VALUES (?, 1000000000000) ON CONFLICT DO NOTHING');
      connection.exec('BEGIN');
      for (const id of accounts) insert.run([id]);
      connection.exec('COMMIT');
      const update = connection.prepare('UPDATE account SET avail = avail - ? WHERE id = ?');
      const [begin, commit] = [connection.prepare('BEGIN IMMEDIATE'), connection.prepare('COMMIT')];
      let updates = 0;
      const startedAt = performance.now();
      while (performance.now() - startedAt < durationMs) {
        begin.run([]);
        for (let i = 0; i < group; i++) update.run([1, accounts[updates++ % accounts.length]]);
        commit.run([]);
        await nextTurn();
      }
      return updates / ((performance.now() - startedAt) / 1_000);
    } finally {
      connection.close();
    }
  };
}

function count(connection, table) {
  return connection.prepare(`SELECT COUNT(*) AS n FROM ${table}`).get().n;
}
