import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, expect, test } from 'vitest';
import { pauseMs } from '../../src/webhooks/polling/pace.ts';
import { register, startWorld, until } from './world.ts';

const minute = 60_000;
const directory = mkdtempSync(join(tmpdir(), 'postern-pace-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('the platform is asked twice a second while things happen, and once a minute after twenty quiet ones', () => {
  expect([0, minute, 5 * minute, 20 * minute, 600 * minute].map((quiet) => pauseMs(quiet, 0))).toEqual([
    500, 3_000, 15_000, 60_000, 60_000,
  ]);
  expect(pauseMs(20 * minute, 0.999)).toBeGreaterThan(47_000);
});

test('an account that was quiet before a start is asked about seldom after it', async () => {
  const before = await startWorld({ DATA_DIR: directory });
  const { client } = await before.actor();
  const { url, secret } = await before.receiver();
  await register(client, { url, secret });
  await until(async () => expect(await before.sandbox.requests('activity')).toBeGreaterThan(2));
  await before.stop();
  const raw = new Libsql(join(directory, 'postern.sqlite'));
  raw.exec(`UPDATE poller SET created_at = created_at - ${60 * minute}`);
  raw.close();
  const after = await startWorld({ DATA_DIR: directory });
  await until(async () => expect(await after.sandbox.requests('activity')).toBe(1));
  await sleep(2_000);
  expect(await after.sandbox.requests('activity')).toBe(1);
  await after.stop();
});
