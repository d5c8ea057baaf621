import { expect, test } from 'vitest';
import { dataOf, Writer } from '../messaging/conversations/fixture.ts';
import { RealmClient } from '../sandbox/realm-client.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { Client } from '../support/client.ts';
import { until } from '../support/until.ts';
import { fetchWebhook, register, startWebhookFixture } from './fixture.ts';

const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({}, { runtime });
const realms = new RealmClient(() => fixture.service.demo.sandboxUrl);

/** Waits for the delivery before the clock is advanced, because a running delivery would time out and be repeated. */
const isDelivered = (client: Client, id: string) =>
  until(async () => expect((await fetchWebhook(client, id)).last_delivery_at).not.toBeNull());

test('a code that is refused later is not tried again: messages stop, `lastError` has the reason, and other events are delivered', async () => {
  const [anna, ben] = await fixture.writers();
  const receiver = await fixture.receiver();
  const hook = await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
  await ben.sends(anna, 'Heard');
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await isDelivered(anna.client, hook.id);

  // Another client uses up all guesses of Anna, and the gateway's cache of her keys expires.
  const account = { ...anna.account, premium: false };
  for (const realm of [1, 2, 3]) {
    for (let guess = 0; guess < 21; guess++) await realms.guess(realm, account);
  }
  runtime.leap(20 * 60_000);
  const guesses = () => fixture.sandbox.requests('getUsersPublicKey');
  await ben.sends(anna, 'Not heard');
  // After such a long quiet period the platform is polled once a minute.
  runtime.leap(70_000);
  await until(async () =>
    expect((await fetchWebhook(anna.client, hook.id)).last_error ?? '').toMatch(
      /^Messages are not opened any more: .+ goes on, with what came meanwhile$/,
    ),
  );
  const asked = await guesses();
  await ben.sends(anna, 'Not heard either');
  await fixture.happen(anna.account);
  await until(() => expect(receiver.deliveries.map(({ body }) => JSON.parse(body).type)).toContain('user.follow'));
  expect(await guesses()).toBe(asked);
  expect(receiver.deliveries).toHaveLength(2);
  // A handshake alone does not repair it.
  const headers = { 'content-type': 'application/json' };
  const put = await anna.client.send('PUT', `/webhooks/${hook.id}`, '{}', headers);
  expect(put.body.data).toMatchObject({ valid: true, last_error: expect.stringMatching(/^Messages are not opened/) });
});

test('messages that arrived while a code was refused are delivered when its owner sets a right code', async () => {
  const [anna, ben] = await fixture.writers();
  const [receiver, picky] = [await fixture.receiver(), await fixture.receiver()];
  const encryption_code = anna.account.encryptionCode;
  const hook = await register(anna.client, { url: receiver.url, encryption_code });
  const reactions = await register(anna.client, { url: picky.url, encryption_code, events: ['message.reactionAdded'] });
  const first = await ben.sends(anna, 'Heard');
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await isDelivered(anna.client, hook.id);

  runtime.leap(20 * 60_000);
  const fault = { kind: 'status', status: 403, code: 'forbidden', message: 'Not this code' };
  await fixture.sandbox.setFault({ fault, operation: 'getUsersPublicKey', times: null });
  const says = (text: string) =>
    fixture.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text });
  await says('In between');
  runtime.leap(70_000);
  const lastError = async (id: string) => (await fetchWebhook(anna.client, id)).last_error;
  await until(async () =>
    expect(await lastError(hook.id)).toMatch(/^Messages are not opened any more: .*Not this code/),
  );
  await says('And another');
  const { conversation_id, seq_id } = first;
  await fixture.sandbox.clearFaults();
  dataOf(await ben.post('/dm/react', { conversation_id, seq_id, emoji: '👍' }));
  await fixture.happen(anna.account);
  await until(() => expect(receiver.deliveries.map(({ body }) => JSON.parse(body).type)).toContain('user.follow'));
  expect(receiver.deliveries).toHaveLength(2);

  const body = JSON.stringify({ encryption_code });
  const setCode = async ({ id }: { id: string }) => {
    const put = await anna.client.send('PUT', `/webhooks/${id}`, body, { 'content-type': 'application/json' });
    expect(put.body.data).toMatchObject({ valid: true, last_error: null });
  };
  await setCode(hook);
  const said = () => receiver.deliveries.map(({ body }) => JSON.parse(body)).filter(({ text }) => text !== undefined);
  // Waiting deliveries are sent at the same time, so they arrive in any order.
  await until(() =>
    expect(said().map(({ text }) => text)).toEqual(expect.arrayContaining(['Heard', 'In between', 'And another'])),
  );
  await until(() => expect(receiver.deliveries).toHaveLength(5));
  expect((await fetchWebhook(anna.client, hook.id)).last_error).toBeNull();
  // The code of the other webhook was refused too. The first webhook that received the event determines the bytes.
  await setCode(reactions);
  await until(() => expect(picky.deliveries.map(({ body }) => JSON.parse(body).emoji)).toEqual(['👍']));
  const sameReaction = receiver.deliveries.find(({ body }) => JSON.parse(body).emoji === '👍');
  expect(picky.deliveries[0]?.body).toBe(sameReaction?.body);

  await ben.sends(anna, 'From now on');
  await until(() => expect(said().at(-1)).toMatchObject({ text: 'From now on' }));
  expect(receiver.deliveries).toHaveLength(6);
});

test('a refused code is not tried with other credentials, until its owner sets another code', async () => {
  const { client } = await fixture.actor();
  const mint = async () => new Writer((await fixture.sandbox.mint()) as never, client);
  const [anna, ben, cleo] = [await mint(), await mint(), await mint()];
  const receiver = await fixture.receiver();
  const hook = await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
  runtime.leap(20 * 60_000);
  const fault = { kind: 'status', status: 403, code: 'forbidden', message: 'Not this code' };
  await fixture.sandbox.setFault({ fault, operation: 'getUsersPublicKey', times: null });
  const says = (to: Writer, text: string) =>
    fixture.sandbox.makeMessage({ from: ben.account.userName, to: to.account.userName, text });
  await says(anna, 'Not heard');
  runtime.leap(70_000);
  const lastError = async () => (await fetchWebhook(anna.client, hook.id)).last_error ?? '';
  await until(async () => expect(await lastError()).toMatch(/^Messages are not opened any more/));
  await fixture.sandbox.clearFaults();

  const put = (body: object) =>
    cleo.client.send('PUT', `/webhooks/${hook.id}`, JSON.stringify(body), { 'content-type': 'application/json' });
  expect((await put({ auth_token: cleo.account.authToken })).body.data).toMatchObject({ valid: true });
  const asked = await fixture.sandbox.requests('getUsersPublicKey');
  // The cursor of Anna's poller is not valid for Cleo.
  await until(async () => {
    await fixture.happen(cleo.account);
    expect(receiver.deliveries).not.toHaveLength(0);
  });
  await says(cleo, 'Waits');
  await fixture.happen(cleo.account, 'mention');
  await until(() => expect(receiver.deliveries.map(({ body }) => JSON.parse(body).type)).toContain('tweet.mention'));
  expect(await fixture.sandbox.requests('getUsersPublicKey')).toBe(asked);
  expect(await lastError()).toMatch(/^Messages are not opened any more/);

  const encryption_code = cleo.account.encryptionCode;
  // The cursor belongs to the other account, so the platform refused it, which caused a gap.
  const gapError = expect.stringMatching(/^Events before \S+ are missing/);
  expect((await put({ encryption_code })).body.data).toMatchObject({ valid: true, last_error: gapError });
  await until(() => expect(JSON.parse(receiver.deliveries.at(-1)?.body ?? '')).toMatchObject({ text: 'Waits' }));
});

test('a code that is refused while messages wait for many webhooks is tried once for all of them', async () => {
  const [anna, ben] = await fixture.writers();
  const encryption_code = anna.account.encryptionCode;
  const receivers = await Promise.all([fixture.receiver(), fixture.receiver(), fixture.receiver()]);
  const hooks = await Promise.all(receivers.map(({ url }) => register(anna.client, { url, encryption_code })));
  await fixture.sandbox.setFault({
    fault: { kind: 'status', status: 500 },
    operation: 'getChatConversationEvents',
    times: null,
  });
  await fixture.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text: 'Waits' });
  await fixture.happen(anna.account);
  for (const receiver of receivers) await until(() => expect(receiver.deliveries).toHaveLength(1));

  const fault = { kind: 'status', status: 403, code: 'forbidden', message: 'Not this code' };
  await fixture.sandbox.setFault({ fault, operation: 'getUsersPublicKey', times: null });
  const asked = await fixture.sandbox.requests('getUsersPublicKey');
  runtime.leap(20 * 60_000);
  for (const { id } of hooks) {
    await until(async () =>
      expect((await fetchWebhook(anna.client, id)).last_error).toMatch(/^Messages are not opened/),
    );
  }
  expect(await fixture.sandbox.requests('getUsersPublicKey')).toBe(asked + 1);
  await fixture.sandbox.clearFaults();
});
