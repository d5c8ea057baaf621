import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, register, startWebhookFixture } from './fixture.ts';

test('the webhooks of a stopped poller show the reason, also after a crash and after a failed handshake', async () => {
  const env = { DATA_DIR: temporaryFolder() };
  const before = await startWebhookFixture(env);
  const { client } = await before.actor();
  const [one, two] = [await before.receiver(), await before.receiver()];
  const webhooks = [await register(client, { url: one.url }), await register(client, { url: two.url })];
  two.secret = 'forgotten';
  await changeWebhook(client, 'PUT', `/webhooks/${webhooks[1]?.id}`);
  await before.stop();

  const store = openSqliteStore({ path: join(env.DATA_DIR, 'postern.sqlite'), runtime: systemRuntime });
  for (const poller of await store.pollers.claim('dead', 10)) {
    expect(await store.pollers.stop(poller, 'Platform rejected auth_token')).toBe(true);
    await store.pollers.release([poller]);
  }
  await store.close();

  const after = await startWebhookFixture(env);
  const again = client.with({ baseUrl: after.service.demo.baseUrl });
  const error = async (index: number) => (await fetchWebhook(again, webhooks[index]?.id ?? '')).last_error;
  await until(async () => expect(await error(0)).toMatch(/^Not polled any more: Platform rejected auth_token/));
  expect(await error(1)).toMatch(/^CRC failed.*\. Not polled any more: Platform rejected auth_token/);
});

test('a live stream with a token that is accepted again starts a stopped poller', async () => {
  const fixture = await startWebhookFixture();
  const { client, account, receiver, id } = await fixture.webhook();
  const lastError = async () => (await fetchWebhook(client, id)).last_error;
  await fixture.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
  await until(async () => expect(await lastError()).toMatch(/^Not polled any more/));
  await fixture.sandbox.clearFaults();
  const stream = await fetch(`${client.options.baseUrl}/events`, { headers: client.headers });
  expect(await lastError()).toBeNull();
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await stream.body?.cancel();
});
