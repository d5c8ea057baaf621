import { afterAll, beforeAll, expect, test } from 'vitest';
import { Writer } from '../direct-messages/world.ts';
import { RealmClient } from '../sandbox/realm-client.ts';
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

test('a code that is refused later is not tried again: the messages stop, the webhook says so, and all else goes on', async () => {
  const { client } = await world.actor();
  const mint = async () => new Writer((await world.sandbox.mint()) as never, client);
  const [anna, ben] = [await mint(), await mint()];
  const receiver = await world.receiver();
  const hook = await register(anna.client, { url: receiver.url, encryption_code: anna.account.encryptionCode });
  await ben.sends(anna, 'Heard');
  await until(() => expect(receiver.deliveries).toHaveLength(1));

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
      /^Messages are not opened any more: .+ goes on$/,
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
