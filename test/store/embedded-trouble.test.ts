import { statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { atEnd } from '../support/at-end.ts';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { readDemo } from '../support/demo.ts';
import { type PosternProcess, startPostern } from '../support/process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

async function serve() {
  const env = { DATA_DIR: temporaryFolder(), PORT: '0', SANDBOX_PORT: '0' };
  const service = startPostern(['serve'], env);
  atEnd(() => service.end('SIGKILL'));
  await service.printed(/listening on/);
  const demo = readDemo(env.DATA_DIR);
  const client = new Client({ baseUrl: demo.baseUrl, key: demo.apiKey, authToken: demo.accounts[0].authToken });
  const call = async (path = '/user/info') => {
    const { status, body } = await client.get(path, path === '/user/info' ? { userName: 'ada' } : {});
    return { status, error: body.error };
  };
  return { ...service, env, call, file: join(env.DATA_DIR, 'postern.sqlite') };
}

const told = (service: PosternProcess, what: string) => service.log().split(what).length - 1;

test('another process that holds the write lock makes calls 503 in bounded time, and calls succeed afterwards', async () => {
  const service = await serve();
  expect((await service.call()).status).toBe(200);
  const other = new Libsql(service.file);
  other.exec('BEGIN IMMEDIATE');
  // A read runs before its charge is recorded. Once a commit has failed, reads reserve first.
  const first = await service.call();
  expect(first).toMatchObject({ status: 503, error: expect.stringContaining('It may still be charged, once') });
  const heldUntil = performance.now() + 7_000;
  while (performance.now() < heldUntil) {
    const [call, balance] = await Promise.all([service.call(), service.call('/account/balance')]);
    expect(call).toMatchObject({ status: 503, error: expect.stringContaining('Nothing was charged') });
    expect([200, 503]).toContain(balance.status);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  other.exec('ROLLBACK');
  other.close();
  await expect.poll(async () => (await service.call()).status).toBe(200);
  expect(told(service, 'is locked by another process')).toBeLessThanOrEqual(2);
  await expect.poll(() => told(service, 'the store has recovered')).toBe(1);
  expect(await service.end('SIGTERM')).toBe(0);
});

test('a file that is damaged while the service runs makes calls 503, is reported once, and prevents the next start', async () => {
  const service = await serve();
  expect((await service.call()).status).toBe(200);
  const { file } = service;
  const raw = new Libsql(file);
  raw.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  raw.close();
  expect(statSync(file).size).toBeGreaterThan(8_192);
  truncateSync(file, 4_096);
  for (let i = 0; i < 5; i++) expect((await service.call()).status).toBe(503);
  expect(service.child.exitCode).toBeNull();
  await expect.poll(() => told(service, 'the store fails')).toBeGreaterThanOrEqual(1);
  expect(await service.end('SIGTERM')).toBe(0);
  const again = await postern(['serve'], service.env);
  expect(again.code).toBe(1);
  expect(again.err).toMatch(/^postern: .*postern\.sqlite.*\n$/);
});
