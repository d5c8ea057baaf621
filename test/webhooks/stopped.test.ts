import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { openSqliteStore } from '../../src/store/sqlite/store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, register, startWebhookFixture } from './fixture.ts';

test('the webhooks of a stopped poller show the reason, also after a crash and after a failed handshake', async () => {
  const directory = temporaryFolder(onTestFinished);
  const env = { DATA_DIR: directory };
  const before = await startWebhookFixture(env);
  const { client } = await before.actor();
  const [one, two] = [await before.receiver(), await before.receiver()];
  const webhooks = [await register(client, { url: one.url }), await register(client, { url: two.url })];
  two.secret = 'forgotten';
  await changeWebhook(client, 'PUT', `/webhooks/${webhooks[1]?.id}`);
  await before.stop();

  const store = openSqliteStore({ path: join(directory, 'postern.sqlite'), runtime: systemRuntime });
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
  await after.stop();
});

test('a token that is accepted again clears the error of all its webhooks', async () => {
  const fixture = await startWebhookFixture();
  const { client, account } = await fixture.actor();
  const { url } = await fixture.receiver();
  const webhooks = [await register(client, { url }), await register(client, { url: `${url}?second` })];
  await fixture.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
  const errors = async () => Promise.all(webhooks.map(async ({ id }) => (await fetchWebhook(client, id)).last_error));
  await until(async () => {
    for (const error of await errors()) expect(error).toMatch(/^Not polled any more/);
  });
  await fixture.sandbox.clearFaults();
  await changeWebhook(client, 'PUT', `/webhooks/${webhooks[0]?.id}`, { auth_token: account.authToken });
  await until(async () => expect(await errors()).toEqual([null, null]));
  await fixture.stop();
});

test('a live stream with a token that is accepted again starts a stopped poller', async () => {
  const fixture = await startWebhookFixture();
  const { client, account } = await fixture.actor();
  const receiver = await fixture.receiver();
  const { id } = await register(client, { url: receiver.url });
  const lastError = async () => (await fetchWebhook(client, id)).last_error;
  await fixture.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
  await until(async () => expect(await lastError()).toMatch(/^Not polled any more/));
  await fixture.sandbox.clearFaults();
  const stream = await fetch(`${fixture.service.demo.baseUrl}/events`, {
    headers: { authorization: `Bearer ${client.options.key}`, 'x-auth-token': account.authToken },
  });
  expect(await lastError()).toBeNull();
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await stream.body?.cancel();
  await fixture.stop();
});
