import { cpSync, existsSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { beforeEach, describe, expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { StoreUnavailableError } from '../../src/store/port.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { losesCommits } from '../../src/store/sqlite/wal-file.ts';
import { postern } from '../support/command.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const frameBytes = 24 + 4096;
const checkpoint = 'PRAGMA wal_checkpoint(TRUNCATE)';

let directory: string;
/** The state after a power failure: a database file, and a log with acknowledged payments of 1 micro-dollar each. */
let path: string;
let log: string;
const payments = 30;

beforeEach(async () => {
  directory = temporaryFolder();
  const living = join(directory, 'living.sqlite');
  path = join(directory, 'postern.sqlite');
  log = `${path}-wal`;
  const first = openSqliteStore({ path: living, runtime: systemRuntime, durable: false });
  for (let i = 0; i < 200; i++) await first.accounts.create({ id: `acc_${i}`, name: 'Ada', createdAt: 1 });
  await first.close();
  const raw = new Libsql(living);
  raw.exec(checkpoint);
  const store = openSqliteStore({ path: living, runtime: systemRuntime, durable: false });
  for (let i = 0; i < payments; i++) expect(await pay(store, i)).toBe('applied');
  for (const suffix of ['', '-wal', '-shm']) cpSync(living + suffix, path + suffix);
  await store.close();
  raw.close();
});

const open = () => openSqliteStore({ path, runtime: systemRuntime });
const pay = (store: ReturnType<typeof open>, i: number) =>
  store.ledger.topUp({ id: `pay_${i}`, account: 'acc_7', micros: 1, description: 'x'.repeat(100), createdAt: i });

/** Runs SQL statements on the database file. */
function execute(...statements: string[]): void {
  const raw = new Libsql(path);
  for (const statement of statements) raw.exec(statement);
  raw.close();
}

async function paid(): Promise<number | undefined> {
  const store = open();
  try {
    return (await store.ledger.balance('acc_7'))?.paid;
  } finally {
    await store.close();
  }
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const content = readFileSync(file);
  bytes.copy(content, at);
  writeFileSync(file, content);
}

describe('after a power cut', () => {
  test('all acknowledged commits are present, with and without the -shm file', async () => {
    rmSync(`${path}-shm`);
    expect(await paid()).toBe(payments);
  });

  test.each([
    ['cut short in its last frame', (size: number) => truncateSync(log, size - 2_000)],
    ['ending in zeros', (size: number) => overwrite(log, size - 3_000, Buffer.alloc(3_000))],
    ['ending in noise', (size: number) => overwrite(log, size - 3_000, Buffer.alloc(3_000, 0xa7))],
  ])('a log %s opens with every commit before it, and goes on', async (_how, tear) => {
    tear(statSync(log).size);
    expect(await paid()).toBe(payments - 1);
    const store = open();
    expect(await pay(store, payments)).toBe('applied');
    await store.close();
    expect(await paid()).toBe(payments);
  });

  test('a log without written frames has only unacknowledged commits', async () => {
    writeFileSync(log, Buffer.alloc(statSync(log).size));
    expect(await paid()).toBe(0);
  });
});

describe('refused with the file and the next step, and not changed:', () => {
  const isRefused = (pattern: RegExp) => {
    const content = () => (existsSync(log) ? readFileSync(log) : Buffer.alloc(0));
    const before = content();
    expect(open).toThrow(StoreUnavailableError);
    expect(open).toThrow(pattern);
    expect(content().equals(before)).toBe(true);
  };

  test('a log that is damaged before acknowledged commits', () => {
    const frames = Math.floor((statSync(log).size - 32) / frameBytes);
    for (const frame of [0, 1, Math.floor(frames / 2), frames - 5]) {
      const whole = readFileSync(log);
      overwrite(log, 32 + frame * frameBytes + 1_000, Buffer.alloc(8, 0xa7));
      isRefused(/-wal is damaged, and commits after the damaged part would be lost: restore both/);
      writeFileSync(log, whole);
    }
  });

  test('a log whose header is damaged', () => {
    overwrite(log, 0, Buffer.alloc(32));
    isRefused(/-wal is damaged/);
  });

  test('a log whose file is empty', () => {
    truncateSync(path, 0);
    isRefused(/postern\.sqlite is empty, but its write-ahead log .*-wal exists: restore both from a backup/);
    expect(statSync(path).size).toBe(0);
  });

  test('a log whose file is missing', () => {
    renameSync(path, `${path}.away`);
    isRefused(/postern\.sqlite is missing, but its write-ahead log .*-wal exists: restore both/);
    expect(existsSync(path)).toBe(false);
  });

  test('a file that was cut in the middle', () => {
    truncateSync(path, 4096 * Math.floor(statSync(path).size / 4096 / 2));
    isRefused(/postern\.sqlite is damaged .*: restore it from a backup, or move it away/);
  });

  test.each([1, 2, 5])('a file with noise in page %i', (page) => {
    const noise = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 + 13) % 256));
    execute(checkpoint);
    overwrite(path, (page - 1) * 4096, noise);
    isRefused(/postern\.sqlite is (damaged .*: restore it from a backup|not an SQLite database)/);
  });

  test('a changed byte in a row, which its index contradicts', () => {
    execute(
      "INSERT INTO api_key (id, account, name, prefix, hash, created_at) VALUES ('k', 'acc_7', 'K', 'p', 'a-hash', 1)",
      checkpoint,
    );
    overwrite(path, readFileSync(path).indexOf('a-hash'), Buffer.from('b'));
    isRefused(/postern\.sqlite is damaged .*: restore it from a backup/);
  });

  test('a text that is not UTF-8', async () => {
    const name = (hex: string) => execute(`UPDATE account SET name = CAST(x'${hex}' AS TEXT) WHERE id = 'acc_7'`);
    name(Buffer.from('Zoë').toString('hex'));
    expect(await paid()).toBe(payments);
    name('5a6fff');
    isRefused(/postern\.sqlite is damaged \(a text in the table account is not UTF-8\): restore it from a backup/);
  });

  test('balances that are inconsistent', () => {
    for (const change of [
      "UPDATE account SET avail = avail + 1 WHERE id = 'acc_7'",
      "UPDATE account SET avail = avail - 1, charged = charged + 1 WHERE id = 'acc_7'",
      "UPDATE account SET avail = avail + 1, paid = paid + 1 WHERE id = 'acc_7'",
    ]) {
      execute('SAVEPOINT one', change, 'RELEASE one');
      expect(open).toThrow(
        /money does not add up: .* is not so for 1 accounts, such as acc_7.*restore it from a backup/,
      );
      execute("UPDATE account SET paid = 30, avail = 30, charged = 0 WHERE id = 'acc_7'");
    }
  });
});

test('a log to which other processes write is not reported as damaged', async () => {
  const store = open();
  const stop = performance.now() + 1_500;
  const writing = (async () => {
    for (let i = 1_000; performance.now() < stop; i++) await pay(store, i);
  })();
  while (performance.now() < stop) {
    expect(losesCommits(log)).toBe(false);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writing;
  await store.close();
});

test('the commands print one line and exit with 1', async () => {
  const env = { DATA_DIR: directory, PORT: '0', PLATFORM_KIND: 'sandbox', PLATFORM_URL: 'http://127.0.0.1:9' };
  rmSync(path);
  for (const command of [['account', 'list'], ['serve']]) {
    const { code, out, err } = await postern(command, env);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toMatch(/^postern: The database \S+postern\.sqlite is missing, but .*\n$/);
  }
  cpSync(join(directory, 'living.sqlite'), path);
  rmSync(log);
  execute("PRAGMA user_version = 9000; DELETE FROM meta WHERE name = 'compatible_since'");
  for (const command of [['account', 'list'], ['serve']]) {
    const { code, err } = await postern(command, env);
    expect(code).toBe(1);
    expect(err).toMatch(/^postern: The database \S+postern\.sqlite was written by a newer version of Postern .*\n$/);
  }
});
