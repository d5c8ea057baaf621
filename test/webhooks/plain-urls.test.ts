import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onSqlite } from '../support/on-sqlite.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { fetchWebhook, register, startWebhookFixture } from './fixture.ts';

test('URLs that an earlier release stored in plain text are encrypted when the service starts, and remain usable', async () => {
  const directory = temporaryFolder();
  const token = 'canary-token-in-a-url';
  let fixture = await startWebhookFixture({ DATA_DIR: directory });
  const { client, account } = await fixture.actor();
  const receiver = await fixture.receiver();
  const url = `${receiver.url}?token=${token}`;
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await register(client, { url: `${url}&i=${i}` })).id);
  await fixture.service.stop();

  onSqlite(join(directory, 'postern.sqlite'), (raw) => {
    raw.prepare('UPDATE webhook SET url = ?').run(url);
    raw.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  });
  const holds = (name: string) => readFileSync(join(directory, name), 'latin1').includes(token);
  expect(holds('postern.sqlite')).toBe(true);

  fixture = await startWebhookFixture({ DATA_DIR: directory });
  const owner = client.with({ baseUrl: fixture.service.demo.baseUrl });
  for (const id of ids) expect(await fetchWebhook(owner, id)).toMatchObject({ url, valid: true });
  // The webhooks now have equal URLs, which only earlier releases accepted. Later changes must still work.
  const changed = await owner.send('PATCH', `/webhooks/${ids[0]}`, JSON.stringify({ url, events: null }), {
    'content-type': 'application/json',
  });
  expect(changed.status).toBe(200);
  expect((await owner.post('/webhooks', { url })).status).toBe(409);
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(3));
  for (const delivery of receiver.deliveries) expect(delivery.url).toContain(token);
  await fixture.stop();
  const files = readdirSync(directory).filter((name) => name.startsWith('postern.sqlite'));
  expect(files.filter(holds)).toEqual([]);
});
