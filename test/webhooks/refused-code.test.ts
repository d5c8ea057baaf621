import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataOf, Writer } from '../messaging/conversations/world.ts';
import { RealmClient } from '../sandbox/realm-client.ts';
import type { Client } from '../support/client.ts';
import { LeapingRuntime, look, register, startWorld, until, type World } from './world.ts';

const runtime = new LeapingRuntime();
let world: World;
let realms: RealmClient;
beforeAll(async () => {
  world = await startWorld({}, { runtime });
  realms = new RealmClient(() => world.service.demo.sandboxUrl);
});
afterAll(async () => {
  await realms.close();
  await world.stop();
});

/** Before a leap of the clock, which would time out what is still under way, so that it came twice. */
const isDelivered = (client: Client, id: string) =>
  until(async () => expect((await look(client, id)).last_delivery_at).not.toBeNull());

test('a code that is refused later is not tried again: the messages stop, the webhook says so, and all else goes on', async () => {
  const { client } = await world.actor();
  const mint = async () => new Writer((await world.sandbox.mint()) as never, client);
  const [anna, ben] = [await mint(), await mint()];
  const receiver = await world.receiver();
  const hook = await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
  await ben.sends(anna, 'Heard');
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await isDelivered(anna.client, hook.id);

  // Somebody else uses up all guesses of anna's, and what the gateway knows of her keys is forgotten by and by.
  const account = { ...anna.account, premium: false };
  for (const realm of [1, 2, 3]) {
    const { version } = await realms.state(realm, account);
    for (let guess = 0; guess < 21; guess++) await realms.guess(realm, account, version).catch(() => {});
  }
  runtime.leap(20 * 60_000);
  const guesses = () => world.sandbox.requests('realmState');
  await ben.sends(anna, 'Not heard');
  // After so long in silence the platform is asked once a minute.
  runtime.leap(70_000);
  await until(async () =>
    expect((await look(anna.client, hook.id)).last_error ?? '').toMatch(
      /^Messages are not opened any more: .+ goes on, with what came meanwhile$/,
    ),
  );
  const asked = await guesses();
  await ben.sends(anna, 'Not heard either');
  await world.happen(anna.account);
  await until(() => expect(receiver.deliveries.map(({ body }) => JSON.parse(body).type)).toContain('user.follow'));
  expect(await guesses()).toBe(asked);
  expect(receiver.deliveries).toHaveLength(2);
  // A handshake alone does not mend it.
  const headers = { 'content-type': 'application/json' };
  const put = await anna.client.send('PUT', `/webhooks/${hook.id}`, '{}', headers);
  expect(put.body.data).toMatchObject({ valid: true, last_error: expect.stringMatching(/^Messages are not opened/) });
}, 60_000);

test('what came while a code was refused is delivered once its owner gives one that opens it', async () => {
  const { client } = await world.actor();
  const mint = async () => new Writer((await world.sandbox.mint()) as never, client);
  const [anna, ben] = [await mint(), await mint()];
  const [receiver, picky] = [await world.receiver(), await world.receiver()];
  const encryption_code = anna.account.encryptionCode;
  const hook = await register(anna.client, { url: receiver.url, encryption_code });
  await register(anna.client, { url: picky.url, encryption_code, events: ['message.reactionAdded'] });
  const first = await ben.sends(anna, 'Heard');
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await isDelivered(anna.client, hook.id);

  runtime.leap(20 * 60_000);
  const fault = { kind: 'status', status: 403, code: 'forbidden', message: 'Not this code' };
  await world.sandbox.setFault({ fault, path_prefix: '/realms/', times: null });
  const says = (text: string) =>
    world.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text });
  await says('In between');
  runtime.leap(70_000);
  const lastError = async (id: string) => (await look(anna.client, id)).last_error;
  await until(async () =>
    expect(await lastError(hook.id)).toMatch(/^Messages are not opened any more: .*Not this code/),
  );
  await says('And another');
  const { conversation_id, seq_id } = first;
  await world.sandbox.clearFaults();
  dataOf(await ben.post('/dm/react', { conversation_id, seq_id, emoji: '👍' }));
  await world.happen(anna.account);
  await until(() => expect(receiver.deliveries.map(({ body }) => JSON.parse(body).type)).toContain('user.follow'));
  expect(receiver.deliveries).toHaveLength(2);

  const body = JSON.stringify({ encryption_code });
  const put = await anna.client.send('PUT', `/webhooks/${hook.id}`, body, { 'content-type': 'application/json' });
  expect(put.body.data).toMatchObject({ valid: true, last_error: null });
  const said = () => receiver.deliveries.map(({ body }) => JSON.parse(body)).filter(({ text }) => text !== undefined);
  // Deliveries that wait are sent at the same time, so they arrive in any order.
  await until(() =>
    expect(said().map(({ text }) => text)).toEqual(expect.arrayContaining(['Heard', 'In between', 'And another'])),
  );
  await until(() => expect(receiver.deliveries).toHaveLength(5));
  expect((await look(anna.client, hook.id)).last_error).toBeNull();
  // The one that was told first has made the bytes.
  await until(() => expect(picky.deliveries.map(({ body }) => JSON.parse(body).emoji)).toEqual(['👍']));
  const sameReaction = receiver.deliveries.find(({ body }) => JSON.parse(body).emoji === '👍');
  expect(picky.deliveries[0]?.body).toBe(sameReaction?.body);

  await ben.sends(anna, 'From now on');
  await until(() => expect(said().at(-1)).toMatchObject({ text: 'From now on' }));
  expect(receiver.deliveries).toHaveLength(6);
}, 60_000);

test('a code that was refused is not tried with other credentials either, until its owner gives another', async () => {
  const { client } = await world.actor();
  const mint = async () => new Writer((await world.sandbox.mint()) as never, client);
  const [anna, ben, cleo] = [await mint(), await mint(), await mint()];
  const receiver = await world.receiver();
  const hook = await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
  runtime.leap(20 * 60_000);
  const fault = { kind: 'status', status: 403, code: 'forbidden', message: 'Not this code' };
  await world.sandbox.setFault({ fault, path_prefix: '/realms/', times: null });
  const says = (to: Writer, text: string) =>
    world.sandbox.makeMessage({ from: ben.account.userName, to: to.account.userName, text });
  await says(anna, 'Not heard');
  runtime.leap(70_000);
  const lastError = async () => (await look(anna.client, hook.id)).last_error ?? '';
  await until(async () => expect(await lastError()).toMatch(/^Messages are not opened any more/));
  await world.sandbox.clearFaults();

  const put = (body: object) =>
    cleo.client.send('PUT', `/webhooks/${hook.id}`, JSON.stringify(body), { 'content-type': 'application/json' });
  expect((await put({ auth_token: cleo.account.authToken })).body.data).toMatchObject({ valid: true });
  const asked = await world.sandbox.requests('realmState');
  // What the platform told of anna is no place of cleo's to go on from.
  await until(async () => {
    await world.happen(cleo.account);
    expect(receiver.deliveries).not.toHaveLength(0);
  });
  await says(cleo, 'Waits');
  await world.happen(cleo.account, 'mention');
  await until(() => expect(receiver.deliveries.map(({ body }) => JSON.parse(body).type)).toContain('tweet.mention'));
  expect(await world.sandbox.requests('realmState')).toBe(asked);
  expect(await lastError()).toMatch(/^Messages are not opened any more/);

  const encryption_code = cleo.account.encryptionCode;
  expect((await put({ encryption_code })).body.data).toMatchObject({ valid: true, last_error: null });
  await until(() => expect(JSON.parse(receiver.deliveries.at(-1)?.body ?? '')).toMatchObject({ text: 'Waits' }));
}, 60_000);

test('a code that is refused while messages wait for many webhooks is tried once for all of them', async () => {
  const { client } = await world.actor();
  const mint = async () => new Writer((await world.sandbox.mint()) as never, client);
  const [anna, ben] = [await mint(), await mint()];
  const encryption_code = anna.account.encryptionCode;
  const receivers = await Promise.all([world.receiver(), world.receiver(), world.receiver()]);
  const hooks = await Promise.all(receivers.map(({ url }) => register(anna.client, { url, encryption_code })));
  await world.sandbox.setFault({ fault: { kind: 'status', status: 500 }, operation: 'chatConversation', times: null });
  await world.sandbox.makeMessage({ from: ben.account.userName, to: anna.account.userName, text: 'Waits' });
  await world.happen(anna.account);
  for (const receiver of receivers) await until(() => expect(receiver.deliveries).toHaveLength(1));

  const fault = { kind: 'status', status: 403, code: 'forbidden', message: 'Not this code' };
  await world.sandbox.setFault({ fault, path_prefix: '/realms/', times: null });
  const asked = await world.sandbox.requests('realmState');
  runtime.leap(20 * 60_000);
  for (const { id } of hooks) {
    await until(async () => expect((await look(anna.client, id)).last_error).toMatch(/^Messages are not opened/));
  }
  expect(await world.sandbox.requests('realmState')).toBe(asked + 3);
  await world.sandbox.clearFaults();
}, 60_000);
