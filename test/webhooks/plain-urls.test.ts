import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Libsql from 'libsql';
import { expect, test } from 'vitest';
import { look, register, startWorld, until } from './world.ts';

test('URLs that an earlier release stored in plain text are sealed when the service starts, and work on', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-plain-urls-'));
  const path = join(directory, 'postern.sqlite');
  const token = 'canary-token-in-a-url';
  let world = await startWorld({ DATA_DIR: directory });
  const { client, account } = await world.actor();
  const receiver = await world.receiver();
  const url = `${receiver.url}?token=${token}`;
  const ids: string[] = [];
  for (let i = 0; i < 3; i++) ids.push((await register(client, { url })).id);
  await world.service.stop();

  const raw = new Libsql(path);
  raw.prepare('UPDATE webhook SET url = ?').run(url);
  raw.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  raw.close();
  const holds = (name: string) => readFileSync(join(directory, name), 'latin1').includes(token);
  expect(holds('postern.sqlite')).toBe(true);

  world = await startWorld({ DATA_DIR: directory });
  const owner = client.with({ baseUrl: world.service.demo.baseUrl });
  for (const id of ids) expect(await look(owner, id)).toMatchObject({ url, valid: true });
  await world.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(3));
  for (const delivery of receiver.deliveries) expect(delivery.url).toContain(token);
  await world.stop();
  const files = readdirSync(directory).filter((name) => name.startsWith('postern.sqlite'));
  expect(files.filter(holds)).toEqual([]);
  await receiver.stop();
  rmSync(directory, { recursive: true });
}, 60_000);
