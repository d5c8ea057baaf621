import { afterAll, beforeAll, expect, test } from 'vitest';
import { startForwardProxy } from '../proxy/forward-proxy.ts';
import { change, idsOf, look, register, startWorld, until, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ OUTBOUND_ALLOW: '127.0.0.0/8' });
});
afterAll(() => world.stop());

/** How many pollers run, as `/metrics` has it. */
async function pollers(): Promise<number> {
  const text = await (await fetch(`${world.service.origin}/metrics`)).text();
  const [, count] = /^postern_\w*pollers\w* (\d+)$/m.exec(text) ?? [];
  return Number(count);
}

test('webhooks of one account, actor and proxy share a poller; other accounts and proxies have their own', async () => {
  const proxy = await startForwardProxy({ user: 'user', password: 'a-password' });
  const { client, account } = await world.actor();
  const receivers = await Promise.all(Array.from({ length: 4 }, () => world.receiver()));
  const url = (i: number) => receivers[i]?.url;
  const before = await pollers();
  await register(client, { url: url(0) });
  await register(client, { url: url(1) });
  await until(async () => expect(await pollers()).toBe(before + 1));
  await register(client, { url: url(2), proxy: proxy.url });
  await until(async () => expect(await pollers()).toBe(before + 2));
  const { client: other } = await world.actor();
  await register(other.with({ authToken: account.authToken }), { url: url(3) });
  await until(async () => expect(await pollers()).toBe(before + 3));
  await world.happen(account);
  await until(() => expect(receivers.map(({ deliveries }) => deliveries.length)).toEqual([1, 1, 1, 1]));
  const [a, b, c, d] = receivers.map(({ deliveries }) => idsOf(deliveries)[0]);
  expect([b, c]).toEqual([a, a]);
  expect(d).not.toBe(a);
  expect(proxy.tunnels.length).toBeGreaterThan(0);
  await proxy.stop();
});

test('a refused token stops the poller, all its webhooks say so, and a new token goes on where it was', async () => {
  const { client, account } = await world.actor();
  const [one, two] = [await world.receiver(), await world.receiver()];
  const webhooks = [await register(client, { url: one.url }), await register(client, { url: two.url })];
  await world.happen(account);
  await until(() => expect([one.deliveries.length, two.deliveries.length]).toEqual([1, 1]));

  await world.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
  const stopped = /^Not polled any more: .*auth_token/;
  await until(async () => {
    for (const { id } of webhooks) expect((await look(client, id)).last_error).toMatch(stopped);
  });
  expect((await look(client, webhooks[0]?.id ?? '')).valid).toBe(true);
  await world.sandbox.clearFaults();
  await world.happen(account);

  // A handshake alone changes nothing of that.
  const checked = await change(client, 'PUT', `/webhooks/${webhooks[0]?.id}`);
  expect(checked.body.data).toMatchObject({ valid: true, last_error: expect.stringMatching(stopped) });
  const renewed = await change(client, 'PUT', `/webhooks/${webhooks[0]?.id}`, { auth_token: account.authToken });
  expect(renewed.body.data).toMatchObject({ valid: true, last_error: null });
  await until(() => expect([one.deliveries.length, two.deliveries.length]).toEqual([2, 2]));
});

test('nothing that happened before the first validity is delivered', async () => {
  const { client, account } = await world.actor();
  const [early, late] = [await world.receiver(), await world.receiver({ secret: 'not known there yet' })];
  await register(client, { url: early.url });
  const { id } = await register(client, { url: late.url });
  await world.happen(account, 'follow', 3);
  await until(() => expect(early.deliveries).toHaveLength(3));
  late.secret = early.secret;
  expect((await change(client, 'PUT', `/webhooks/${id}`)).body.data['valid']).toBe(true);
  await world.happen(account);
  await until(() => expect(late.deliveries).toHaveLength(1));
  await until(() => expect(early.deliveries).toHaveLength(4));
  expect(idsOf(late.deliveries)).toEqual([idsOf(early.deliveries)[3]]);
});

test('events of the very moment in which a webhook became valid are delivered, also beside one that is there', async () => {
  for (let round = 0; round < 5; round++) {
    const { client, account } = await world.actor();
    const [first, second] = [await world.receiver(), await world.receiver()];
    await register(client, { url: first.url });
    await world.happen(account);
    await until(() => expect(first.deliveries).toHaveLength(1));
    await register(client, { url: second.url });
    await world.happen(account, 'follow', 2);
    await until(() => expect([first.deliveries.length, second.deliveries.length]).toEqual([3, 2]));
  }
});

test('events of an invalid webhook are kept, and delivered when it is valid again', async () => {
  const { client, account } = await world.actor();
  const receiver = await world.receiver();
  const { id } = await register(client, { url: receiver.url });
  const known = receiver.secret;
  receiver.secret = 'forgotten';
  expect((await change(client, 'PUT', `/webhooks/${id}`)).body.data['valid']).toBe(false);
  await world.happen(account, 'follow', 350);
  const kept = async () =>
    (await client.with({ authToken: '' }).get(`/webhooks/${id}/deliveries`)).body.data['deliveries'] as object[];
  await until(async () => expect((await kept())[0]).toMatchObject({ outcome: 'waiting', attempt: 0 }));
  expect(receiver.deliveries).toHaveLength(0);
  receiver.secret = known;
  await change(client, 'PUT', `/webhooks/${id}`);
  await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBe(350));
  expect(receiver.deliveries).toHaveLength(350);
});

test('the retries of a receiver that fails at one kind of event hold up no other events', async () => {
  const { client, account } = await world.actor();
  await client.post('/tweet/create', { text: 'Mine' });
  const receiver = await world.receiver({
    answer: ({ body }) => ({ status: body.includes('user.follow') ? 500 : 200 }),
  });
  await register(client, { url: receiver.url });
  await world.happen(account, 'follow', 500);
  await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBe(500));
  await world.happen(account, 'like', 100);
  const likes = () => receiver.deliveries.filter(({ body }) => body.includes('tweet.like'));
  await until(() => expect(likes()).toHaveLength(100));
});
