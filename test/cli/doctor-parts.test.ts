import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import Libsql from 'libsql';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { Machine, well } from '../support/doctor.ts';
import { patientMs } from '../support/processor-time.ts';

let machine: Machine;

beforeEach(() => {
  machine = new Machine();
});
afterEach(() => machine.end());

async function makeStore(): Promise<string> {
  mkdirSync(machine.dataDir, { mode: 0o700 });
  const path = join(machine.dataDir, 'postern.sqlite');
  const store = openSqliteStore({ path, runtime: systemRuntime });
  for (let i = 0; i < 200; i++) await store.accounts.create({ id: `acc_${i}`, name: 'Ada', createdAt: i });
  await store.close();
  return path;
}

function sql(path: string, statement: string): Libsql.Database {
  const raw = new Libsql(path);
  raw.exec(statement);
  return raw;
}

describe('what is wrong with', () => {
  const useNewer = 'use the newer version of Postern, or another DATA_DIR';

  test('a store that a newer version of Postern wrote', async () => {
    sql(await makeStore(), "PRAGMA user_version = 9000; DELETE FROM meta WHERE name = 'compatible_since'").close();
    const { code, of, states } = await machine.examine();
    expect(code).toBe(1);
    const detail = expect.stringContaining('newer version of Postern');
    expect(of('store')).toMatchObject([{ state: 'fail', detail, todo: useNewer }]);
    expect(states).toMatchObject({ disk: 'ok', clock: 'skip', platform: 'ok' });
  });

  test('a store in a folder with a colon in its name', async () => {
    sql(await makeStore(), "PRAGMA user_version = 9000; DELETE FROM meta WHERE name = 'compatible_since'").close();
    const folder = join(machine.folder, 'data: 2');
    renameSync(machine.dataDir, folder);
    const { of } = await machine.examine({ DATA_DIR: folder });
    const detail = `The database ${folder}/postern.sqlite was written by a newer version of Postern`;
    expect(of('store')).toMatchObject([{ detail: expect.stringContaining(detail), todo: useNewer }]);
  });

  test('a store that is damaged, lost, or does not add up', async () => {
    const path = await makeStore();
    sql(path, "UPDATE account SET paid = 5 WHERE id = 'acc_7'").close();
    const money = await machine.examine();
    expect(money.of('store')[0]).toMatchObject({ state: 'fail', detail: expect.stringContaining('acc_7') });
    truncateSync(path, 12_288);
    const damaged = await machine.examine();
    expect(damaged.code).toBe(1);
    expect(damaged.of('store')[0]).toMatchObject({ state: 'fail', detail: expect.stringContaining(path) });
    rmSync(path);
    writeFileSync(`${path}-wal`, 'x'.repeat(5_000));
    const lost = await machine.examine();
    expect(lost.of('store')[0]).toMatchObject({ state: 'fail', detail: expect.stringContaining('is missing') });
    expect(existsSync(path)).toBe(false);
  });

  test('a store that another program keeps locked', async () => {
    const other = sql(await makeStore(), 'BEGIN IMMEDIATE');
    const { code, of } = await machine.examine();
    other.close();
    expect(code).toBe(1);
    const detail = expect.stringContaining('locked by another process');
    expect(of('store')).toMatchObject([{ state: 'fail', detail }]);
  });

  test('a MongoDB that is not there or does not answer, without its password', async () => {
    const silent = await machine.listen(createServer(() => {}));
    const SECRET_KEY = createHash('sha256').update('a key').digest('base64');
    const env = (port: string) => ({ SECRET_KEY, MONGODB_URL: `mongodb://ann:pa%24sword@127.0.0.1:${port}/postern` });
    let examined: Awaited<ReturnType<typeof machine.examine>>[] = [];
    const ms = await patientMs(async () => {
      examined = await Promise.all([machine.examine(env('1')), machine.examine(env(silent))]);
    });
    for (const { code, out, states } of examined) {
      expect({ code, states }).toEqual({ code: 1, states: { ...well, store: 'fail', clock: 'skip' } });
      for (const secret of ['pa%24sword', 'pa$sword', SECRET_KEY]) expect(out).not.toContain(secret);
    }
    // MongoDB's driver alone waits for 30 s.
    expect(ms).toBeLessThan(25_000);
    expect(readdirSync(machine.folder)).toEqual([]);
  });

  test('a platform that is unreachable, does not respond, or is another service', async () => {
    const silent = await machine.listen(createServer(() => {}));
    const other = await machine.listenHttp((_request, response) => void response.end('<h1>Something else</h1>'));
    const env = (port: string) => ({ PLATFORM_URL: `http://127.0.0.1:${port}`, PLATFORM_KIND: 'sandbox' });
    const examined = await Promise.all(['1', silent, other].map((port) => machine.examine(env(port))));
    for (const { code, states, of } of examined) {
      expect({ code, states }).toEqual({ code: 1, states: { ...well, platform: 'fail' } });
      expect(of('platform')[0]?.todo).toMatch(/platform|PLATFORM_URL/);
    }
  });

  test('a platform of the AT Protocol', async () => {
    let status = 200;
    const port = await machine.listenHttp((request, response) => {
      response.statusCode = request.url === '/xrpc/com.atproto.server.describeServer' ? status : 404;
      response.end('{}');
    });
    const env = { PLATFORM_URL: `http://127.0.0.1:${port}`, PLATFORM_KIND: 'atproto' };
    const found = (await machine.examine(env)).of('platform')[0];
    expect(found).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^atproto at http/) });
    status = 404;
    expect((await machine.examine(env)).of('platform')[0]).toMatchObject({ state: 'fail' });
  });

  test('the clock of the platform', async () => {
    const demo = { accounts: [], appToken: '', listId: '1', organization: '2' };
    let aheadMs = 0;
    const port = await machine.listenHttp(({ url }, response) => {
      if (url === '/2/users/me') response.statusCode = 401;
      response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
      response.end(JSON.stringify({ seed: 'postern', demo }));
    });
    const env = { PLATFORM_URL: `http://127.0.0.1:${port}`, PLATFORM_KIND: 'sandbox' };
    expect((await machine.examine(env)).of('platform')[0]).toMatchObject({ state: 'ok' });
    aheadMs = -7_200_000;
    const { code, of } = await machine.examine(env);
    expect(code).toBe(1);
    expect(of('platform')[0]).toMatchObject({ detail: expect.stringMatching(/7(19|20)\d s behind ours/) });
  });

  test('a port that something else has', async () => {
    const taken = await machine.listenHttp((_request, response) => void response.end('{}'));
    expect((await machine.examine({ PORT: taken })).states).toEqual({ ...well, port: 'fail' });
    expect((await machine.examine({ SANDBOX_PORT: taken })).states).toEqual({ ...well, platform: 'fail' });
    const { of } = await machine.examine({ HOST: '203.0.113.7', SANDBOX_PUBLIC: '1' });
    expect(of('port')[0]?.detail).toMatch(/HOST is no address of this machine/);
  });
});

test('warns about a setting that was removed', async () => {
  expect((await machine.examine({ WORKERS: '4' })).of('config')).toContainEqual(
    expect.objectContaining({ state: 'warn', detail: 'WORKERS has no effect any more' }),
  );
});
