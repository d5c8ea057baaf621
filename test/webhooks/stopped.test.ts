import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { change, look, register, startWorld, until } from './world.ts';

test('the webhooks of a poller that was stopped say so, also after a crash, and beside a failed handshake', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'postern-stopped-'));
  const env = { DATA_DIR: directory };
  const before = await startWorld(env);
  const { client } = await before.actor();
  const [one, two] = [await before.receiver(), await before.receiver()];
  const webhooks = [await register(client, { url: one.url }), await register(client, { url: two.url })];
  two.secret = 'forgotten';
  await change(client, 'PUT', `/webhooks/${webhooks[1]?.id}`);
  await before.stop();

  const store = openSqliteStore({ path: join(directory, 'postern.sqlite'), runtime: systemRuntime });
  for (const poller of await store.pollers.claim('dead', 10)) {
    expect(await store.pollers.stop(poller, 'Platform rejected auth_token')).toBe(true);
    await store.pollers.release([poller]);
  }
  await store.close();

  const after = await startWorld(env);
  const again = client.with({ baseUrl: after.service.demo.baseUrl });
  const error = async (index: number) => (await look(again, webhooks[index]?.id ?? '')).last_error;
  await until(async () => expect(await error(0)).toMatch(/^Not polled any more: Platform rejected auth_token/));
  expect(await error(1)).toMatch(/^CRC failed.*\. Not polled any more: Platform rejected auth_token/);
  await after.stop();
  rmSync(directory, { recursive: true });
}, 60_000);

test('a token that is accepted again clears what every webhook of it says', async () => {
  const world = await startWorld();
  const { client, account } = await world.actor();
  const { url } = await world.receiver();
  const webhooks = [await register(client, { url }), await register(client, { url })];
  await world.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
  const errors = async () => Promise.all(webhooks.map(async ({ id }) => (await look(client, id)).last_error));
  await until(async () => {
    for (const error of await errors()) expect(error).toMatch(/^Not polled any more/);
  });
  await world.sandbox.clearFaults();
  await change(client, 'PUT', `/webhooks/${webhooks[0]?.id}`, { auth_token: account.authToken });
  await until(async () => expect(await errors()).toEqual([null, null]));
  await world.stop();
});
