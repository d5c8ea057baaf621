import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pollDelayMs } from '../../src/webhooks/polling/poll-delays.ts';
import { onSqlite } from '../support/on-sqlite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { startWebhookFixture } from './fixture.ts';

const minute = 60_000;
const directory = temporaryFolder();

test('the platform is polled twice a second while events happen, and once a minute after twenty quiet minutes', () => {
  expect([0, minute, 5 * minute, 20 * minute, 600 * minute].map((quiet) => pollDelayMs(quiet, 500, 0))).toEqual([
    500, 3_000, 15_000, 60_000, 60_000,
  ]);
  expect(pollDelayMs(20 * minute, 500, 0.999)).toBeGreaterThan(47_000);
});

test('an account that was quiet before a start is polled rarely after it', async () => {
  const before = await startWebhookFixture({ DATA_DIR: directory });
  await before.webhook();
  await until(async () => expect(await before.sandbox.requests('activity')).toBeGreaterThan(2));
  await before.stop();
  const update = `UPDATE poller SET created_at = created_at - ${60 * minute}`;
  onSqlite(join(directory, 'postern.sqlite'), (raw) => raw.exec(update));
  const after = await startWebhookFixture({ DATA_DIR: directory });
  await until(async () => expect(await after.sandbox.requests('activity')).toBe(1));
  await sleep(2_000);
  expect(await after.sandbox.requests('activity')).toBe(1);
});
