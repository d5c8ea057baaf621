import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execPath } from 'node:process';
import Libsql from 'libsql';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { type Store, StoreUnavailableError } from '../../src/store/port.ts';
import { sqliteAccounts } from '../../src/store/sqlite/accounts.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { translateSqliteError } from '../../src/store/sqlite/errors.ts';
import { WriteGroup } from '../../src/store/sqlite/group.ts';
import { sqliteLedger } from '../../src/store/sqlite/ledger.ts';
import { migrations } from '../../src/store/sqlite/schema.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { describeStore } from './conformance.ts';
import { manualRuntime } from './manual-runtime.ts';
import { copiedErrors, makeCommit, poller, webhook } from './webhook-makers.ts';

/** The statements that the tests of this file run. */
const statements = new Set<string>();
const { prepare } = Libsql.prototype;
const preparing = vi.spyOn(Libsql.prototype, 'prepare').mockImplementation(function (this: Libsql.Database, sql) {
  statements.add(sql);
  return prepare.call(this, sql);
});
afterAll(() => preparing.mockRestore());

describeStore('the sqlite store', async () => {
  const path = join(temporaryFolder(), 'postern.db');
  const runtime = manualRuntime();
  const opened: Store[] = [];
  return {
    async open() {
      const store = openSqliteStore({ path, runtime, durable: false });
      opened.push(store);
      return store;
    },
    now: runtime.now,
    leap: runtime.leap,
    async end() {
      for (const store of opened) await store.close();
    },
  };
});

describe('the sqlite file', () => {
  let path: string;
  beforeEach(() => {
    path = join(temporaryFolder(), 'postern.db');
  });

  const open = () => openSqliteStore({ path, runtime: systemRuntime });

  test('is readable by its owner only, with the files beside it', async () => {
    const store = open();
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    await store.close();
  });

  test('lets the next process claim the pollers of killed processes at once, and none of running processes', async () => {
    const claims = (process: string, then: string) =>
      spawn(
        execPath,
        [
          ...['--input-type=module', '-e'],
          `import { openSqliteStore } from ${JSON.stringify(new URL('../../dist/store/sqlite/store.js', import.meta.url))};
           const runtime = { now: () => Date.now(), randomBytes: () => Buffer.alloc(9), after: () => ({ cancel() {} }) };
           const store = openSqliteStore({ path: ${JSON.stringify(path)}, runtime });
           await store.pollers.beat('${process}');
           console.log(JSON.stringify((await store.pollers.claim('${process}', 10)).map(({ id }) => id)));
           ${then}`,
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
    const told = async (child: ReturnType<typeof claims>) => JSON.parse(String((await once(child.stdout, 'data'))[0]));
    const store = open();
    await store.webhooks.create(webhook('w1', { poller: 'p1' }), poller('p1'), 10);
    const first = claims('first', 'setInterval(() => {}, 1_000)');
    expect(await told(first)).toEqual(['p1']);
    expect(await told(claims('beside it', ''))).toEqual([]);
    const dead = once(first, 'exit');
    first.kill('SIGKILL');
    await dead;
    expect(await told(claims('next', ''))).toEqual(['p1']);
    await store.close();
  });

  test('lets one process write while others read', async () => {
    const store = open();
    await store.close();
    const raw = new Libsql(path);
    // See https://sqlite.org/wal.html.
    expect(raw.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    raw.close();
  });

  test('of a newer version of Postern is refused with the next step', async () => {
    await open().close();
    const raw = new Libsql(path);
    raw.exec("PRAGMA user_version = 9000; UPDATE meta SET value = '9000' WHERE name = 'compatible_since'");
    raw.close();
    expect(open).toThrow(/newer version of Postern.*use the newer version of Postern, or another DATA_DIR/);
  });

  test('of a newer version of Postern is used if the newer version allows it', async () => {
    await open().close();
    const raw = new Libsql(path);
    const { length } = migrations;
    raw.exec(
      `PRAGMA user_version = ${length + 1}; UPDATE meta SET value = '${length}' WHERE name = 'compatible_since'`,
    );
    const store = open();
    await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 });
    await store.close();
    expect(raw.prepare('PRAGMA user_version').get()).toMatchObject({ user_version: length + 1 });
    raw.close();
  });

  test('is not migrated while processes run that could not work with it', async () => {
    const raw = new Libsql(path);
    for (const step of migrations.slice(0, 17)) raw.exec(step);
    raw.exec('PRAGMA user_version = 17');
    raw.prepare("INSERT INTO process (id, until) VALUES ('old', ?)").run([Date.now() + 20_000]);
    expect(open).toThrow(
      /running processes of an older version.*1 of them.*stop them first.*counts as running for 30 s/,
    );
    raw.exec('DELETE FROM process');
    raw.close();
    await open().close();
  });

  test('of an older Postern keeps its accounts, payments and usage', async () => {
    const raw = new Libsql(path);
    raw.exec(`${migrations[0]}
      INSERT INTO account (id, name, created_at, paid, charged, avail) VALUES ('a', 'Ada', 1, 500, 300, 200);
      INSERT INTO payment (id, account, micros, description, created_at) VALUES ('p', 'a', 500, 'Paid', 2);
      INSERT INTO usage (account, hour, action, calls, micros)
        VALUES ('a', 7200000, 'user/me', 2, 200), ('a', 3600000, 'user/me', 1, 100);
      PRAGMA user_version = 1`);
    raw.close();
    const store = open();
    expect(await store.ledger.balance('a')).toMatchObject({ paid: 500, avail: 200, charged: 300, held: 0 });
    expect(await store.ledger.usage('a', 0, 10_000_000)).toEqual([
      { hour: 3_600_000, action: 'user/me', calls: 1, micros: 100, platformMicros: 0 },
      { hour: 7_200_000, action: 'user/me', calls: 2, micros: 200, platformMicros: 0 },
    ]);
    expect(await store.ledger.payments('a', 10)).toMatchObject([{ id: 'p', micros: 500 }]);
    await store.close();
  });

  test('without platform costs is migrated beside a running process, and adds up the usage of both', async () => {
    const old = new Libsql(path);
    const before = migrations.findIndex((step) => step.includes('platform_micros'));
    for (const step of migrations.slice(0, before)) old.exec(step);
    old.exec(`INSERT INTO account (id, name, created_at, paid, avail) VALUES ('a', 'Ada', 1, 500, 500);
      INSERT INTO payment (id, account, micros, description, created_at) VALUES ('p', 'a', 500, 'Paid', 2);
      PRAGMA user_version = ${before}`);
    old.prepare("INSERT INTO process (id, until) VALUES ('old', ?)").run([Date.now() + 20_000]);
    const useOld = () =>
      old.exec(`INSERT INTO usage (account, hour, action, calls, micros) VALUES ('a', 1, 'user/me', 1, 100)
        ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, micros = micros + excluded.micros;
        UPDATE account SET charged = charged + 100, avail = avail - 100 WHERE id = 'a'`);
    useOld();
    const store = open();
    const line = { hour: 1, action: 'user/me', calls: 1, micros: 100, platformMicros: 9 };
    await store.ledger.commit(makeCommit(store, 'c', { begins: true, late: [{ usage: [line] }] }));
    useOld();
    expect(await store.ledger.usage('a', 0, 2)).toEqual([{ ...line, calls: 3, micros: 300 }]);
    await store.close();
    old.close();
  });

  test('without account events is migrated beside a running process, and has the low credit of both', async () => {
    const old = new Libsql(path);
    const before = migrations.findIndex((step) => step.includes('CREATE TABLE connection'));
    for (const step of migrations.slice(0, before)) old.exec(step);
    old.exec(`PRAGMA user_version = ${before}`);
    old.prepare("INSERT INTO process (id, until) VALUES ('old', ?)").run([Date.now() + 20_000]);
    const store = open();
    old.exec("INSERT INTO low_credit (id, account, at, credit, threshold) VALUES ('evt_1', 'a', 1, 5, 6)");
    await store.accountEvents.add({ id: 'evt_2', account: 'a', type: 'connection.expired', sealed: 'sealed' });
    const found = await store.accountEvents.waiting(10);
    const low = { id: 'evt_1', account: 'a', type: 'account.low_credit', at: 1, sealed: null };
    expect(found).toEqual([{ ...low, amounts: { credit: 5, threshold: 6 } }, expect.objectContaining({ id: 'evt_2' })]);
    for (const event of found) await store.accountEvents.queue(event, 'sealed', []);
    expect(await store.accountEvents.waiting(10)).toEqual([]);
    expect(old.prepare('SELECT id FROM low_credit').all()).toEqual([]);
    await store.close();
    old.close();
  });

  test('of an older Postern loses only the errors of webhooks that are now derived', async () => {
    const raw = new Libsql(path);
    for (const step of migrations.slice(0, 7)) raw.exec(step);
    raw.exec('PRAGMA user_version = 7');
    const insert = raw.prepare(
      `INSERT INTO webhook (id, account, poller, created_at, url, sealed, has_encryption_code, valid, last_error, revision)
       VALUES (?, 'a', 'p1', 1, 'https://a.test/', 'sealed', 0, 1, ?, 1)`,
    );
    for (const [id, error] of copiedErrors) insert.run(id, error);
    raw.close();
    const store = open();
    const kept = async ([id]: (typeof copiedErrors)[number]) => (await store.webhooks.find('a', id))?.lastError;
    expect(await Promise.all(copiedErrors.map(kept))).toEqual([null, null, 'CRC failed: it refuses connections', null]);
    await store.close();
  });

  test('that is not a database is refused as unavailable', () => {
    writeFileSync(path, 'this is a letter to my aunt, and not a database at all.'.repeat(100));
    expect(open).toThrow(StoreUnavailableError);
    expect(open).toThrow(/not an SQLite database/);
  });

  test('in a missing directory is refused with its name', () => {
    path = join(temporaryFolder(), 'missing', 'postern.db');
    expect(open).toThrow(StoreUnavailableError);
    expect(open).toThrow(/missing/);
  });

  test('is in memory if it is configured so', async () => {
    const store = openSqliteStore({ path: ':memory:', runtime: systemRuntime });
    expect(await store.accounts.create({ id: 'a', name: 'Ada', createdAt: 1 })).toBe(true);
    await store.ready();
    await store.close();
  });

  test('has a version in every row', async () => {
    await open().close();
    const raw = new Libsql(path);
    const tables = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    expect(tables.length).toBeGreaterThan(5);
    for (const { name } of tables) {
      const columns = raw.prepare(`PRAGMA table_info(${name})`).all() as { name: string }[];
      expect(columns.map((column) => column.name)).toContain('v');
    }
    raw.close();
  });
});

test('sqliteLedger: reports a full disk, changes nothing, and succeeds when there is space again', async () => {
  const database = new Database({ path: ':memory:', durable: false });
  const runtime = manualRuntime();
  const ledger = sqliteLedger(database, new WriteGroup(database), runtime);
  await sqliteAccounts(database, runtime).create({ id: 'a', name: 'Ada', createdAt: 1 });
  const payments = ['small', 'large'.repeat(10_000)].map((description, index) => ({ id: `p${index}`, description }));
  const pay = () => payments.map((each) => ledger.topUp({ ...each, account: 'a', micros: 1, createdAt: 1 }));
  const pages = database.get<{ page_count: number }>('PRAGMA page_count')?.page_count ?? 0;
  database.get(`PRAGMA max_page_count = ${pages + 2}`);
  const reason = { name: 'StoreUnavailableError', message: expect.stringContaining('is full') };
  for (const result of await Promise.allSettled(pay())) expect(result).toMatchObject({ status: 'rejected', reason });
  expect(await ledger.balance('a')).toEqual({ paid: 0, charged: 0, avail: 0, held: 0 });
  database.get('PRAGMA max_page_count = 100000');
  expect(await Promise.all(pay())).toEqual(['applied', 'applied']);
  database.close();
});

describe('faults of sqlite', () => {
  const fault = (code: string) => translateSqliteError(Object.assign(new Error('raw'), { code }), ':memory:');

  test.each([
    ['SQLITE_BUSY', /locked/],
    ['SQLITE_BUSY_SNAPSHOT', /locked/],
    ['SQLITE_FULL', /disk .* is full/],
    ['SQLITE_READONLY_DBMOVED', /cannot be written/],
    ['SQLITE_IOERR_FSYNC', /input\/output error/],
    ['SQLITE_CANTOPEN', /cannot be opened/],
    ['SQLITE_CORRUPT_INDEX', /damaged/],
    ['SQLITE_NOTADB', /not an SQLite database/],
  ])('%s means that the store is away', (code, message) => {
    const error = fault(code);
    expect(error).toBeInstanceOf(StoreUnavailableError);
    expect((error as Error).message).toMatch(message);
    expect((error as Error).cause).toBeInstanceOf(Error);
  });

  test('other errors are unchanged', () => {
    expect(fault('SQLITE_CONSTRAINT_CHECK')).not.toBeInstanceOf(StoreUnavailableError);
    expect(translateSqliteError('text', ':memory:')).toBe('text');
  });
});

/** Parts of the statements that may read a whole table. They run in checks of the database and in a command that lists all keys. */
const readAll = [
  'MIN(a.id) AS example',
  'SELECT CAST(',
  'SELECT sealed FROM',
  'SELECT answer AS sealed FROM idempotency',
  "SELECT COALESCE(record ->> 'login'",
  'FROM api_key ORDER BY created_at, id',
];

test('no statement of a running service reads all keys, webhooks, pollers, events, deliveries, connections or calls', () => {
  const raw = new Libsql(':memory:');
  for (const migration of migrations) raw.exec(migration);
  const grows =
    'api_key|webhook|poller|event|delivery|usage|ledger_commit|idempotency|call_statistics|payment|audit|connection';
  const scans = [...statements]
    .filter((sql) => /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/i.test(sql) && !/sqlite_|pragma_/.test(sql))
    .filter((sql) => !readAll.some((part) => sql.includes(part)))
    .flatMap((sql) => {
      const values = Array.from(sql.matchAll(/\?/g), () => null);
      const plan = raw.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(values) as { detail: string }[];
      const scan = plan.find(({ detail }) => new RegExp(`^SCAN (${grows})\\b`).test(detail));
      // Indexes of waiting deliveries and of all pollers are read without their tables.
      return scan && !/COVERING INDEX (delivery_waiting|poller_by_\w+)$/.test(scan.detail) ? [sql] : [];
    });
  raw.close();
  expect(scans).toEqual([]);
});
