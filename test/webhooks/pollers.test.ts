import { expect, test } from 'vitest';
import { startForwardProxy } from '../proxy/forward-proxy.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, idsOf, register, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture({ OUTBOUND_ALLOW: '127.0.0.0/8' });

/** Returns the number of running pollers according to `/metrics`. */
async function pollers(): Promise<number> {
  const text = await (await fetch(`${fixture.service.origin}/metrics`)).text();
  const [, count] = /^postern_\w*pollers\w* (\d+)$/m.exec(text) ?? [];
  return Number(count);
}

test('webhooks of one account, actor and proxy share a poller; other accounts and proxies have their own', async () => {
  const proxy = await startForwardProxy();
  const { client, account } = await fixture.actor();
  const receivers = await Promise.all(Array.from({ length: 4 }, () => fixture.receiver()));
  const url = (i: number) => receivers[i]?.url;
  const before = await pollers();
  await register(client, { url: url(0) });
  await register(client, { url: url(1) });
  await until(async () => expect(await pollers()).toBe(before + 1));
  await register(client, { url: url(2), proxy: proxy.url });
  await until(async () => expect(await pollers()).toBe(before + 2));
  const { client: other } = await fixture.actor();
  await register(other.with({ authToken: account.authToken }), { url: url(3) });
  await until(async () => expect(await pollers()).toBe(before + 3));
  await fixture.happen(account);
  await until(() => expect(receivers.map(({ deliveries }) => deliveries.length)).toEqual([1, 1, 1, 1]));
  const [a, b, c, d] = receivers.map(({ deliveries }) => idsOf(deliveries)[0]);
  expect([b, c]).toEqual([a, a]);
  expect(d).not.toBe(a);
  expect(proxy.tunnels.length).toBeGreaterThan(0);
});

test('a refused token stops the poller, all its webhooks show the error, and a new token continues at its cursor', async () => {
  const { client, account } = await fixture.actor();
  const [one, two] = [await fixture.receiver(), await fixture.receiver()];
  const webhooks = [await register(client, { url: one.url }), await register(client, { url: two.url })];
  await fixture.happen(account);
  await until(() => expect([one.deliveries.length, two.deliveries.length]).toEqual([1, 1]));

  await fixture.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
  const stopped = /^Not polled any more: .*auth_token/;
  await until(async () => {
    for (const { id } of webhooks) expect((await fetchWebhook(client, id)).last_error).toMatch(stopped);
  });
  expect((await fetchWebhook(client, webhooks[0]?.id ?? '')).valid).toBe(true);
  await fixture.sandbox.clearFaults();
  await fixture.happen(account);

  // A handshake alone does not change this.
  const checked = await changeWebhook(client, 'PUT', `/webhooks/${webhooks[0]?.id}`);
  expect(checked.body.data).toMatchObject({ valid: true, last_error: expect.stringMatching(stopped) });
  const renewed = await changeWebhook(client, 'PUT', `/webhooks/${webhooks[0]?.id}`, { auth_token: account.authToken });
  expect(renewed.body.data).toMatchObject({ valid: true, last_error: null });
  for (const { id } of webhooks) expect((await fetchWebhook(client, id)).last_error).toBeNull();
  await until(() => expect([one.deliveries.length, two.deliveries.length]).toEqual([2, 2]));
});

test('events from before a webhook is first valid are not delivered', async () => {
  const { client, account } = await fixture.actor();
  const [early, late] = [await fixture.receiver(), await fixture.receiver({ secret: 'not known there yet' })];
  await register(client, { url: early.url });
  const { id } = await register(client, { url: late.url });
  await fixture.happen(account, 'follow', 3);
  await until(() => expect(early.deliveries).toHaveLength(3));
  late.secret = early.secret;
  expect((await changeWebhook(client, 'PUT', `/webhooks/${id}`)).body.data['valid']).toBe(true);
  await fixture.happen(account);
  await until(() => expect(late.deliveries).toHaveLength(1));
  await until(() => expect(early.deliveries).toHaveLength(4));
  expect(idsOf(late.deliveries)).toEqual([idsOf(early.deliveries)[3]]);
});

test('events that happen when a webhook becomes valid are delivered, also if another webhook exists', async () => {
  for (let round = 0; round < 3; round++) {
    const { client, account } = await fixture.actor();
    const [first, second] = [await fixture.receiver(), await fixture.receiver()];
    await register(client, { url: first.url });
    await fixture.happen(account);
    await until(() => expect(first.deliveries).toHaveLength(1));
    await register(client, { url: second.url });
    await fixture.happen(account, 'follow', 2);
    await until(() => expect([first.deliveries.length, second.deliveries.length]).toEqual([3, 2]));
  }
});

test('events of an invalid webhook are kept, and delivered when it is valid again', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
  const known = receiver.secret;
  receiver.secret = 'forgotten';
  expect((await changeWebhook(client, 'PUT', `/webhooks/${id}`)).body.data['valid']).toBe(false);
  await fixture.happen(account, 'follow', 350);
  const kept = async () =>
    (await client.with({ authToken: '' }).get(`/webhooks/${id}/deliveries`)).body.data['deliveries'] as object[];
  await until(async () => expect((await kept())[0]).toMatchObject({ outcome: 'waiting', attempt: 0 }));
  expect(receiver.deliveries).toHaveLength(0);
  receiver.secret = known;
  await changeWebhook(client, 'PUT', `/webhooks/${id}`);
  await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBe(350));
  expect(receiver.deliveries).toHaveLength(350);
});

test('retries of one type of event do not delay other events of the receiver', async () => {
  const { client, account } = await fixture.actor();
  await client.post('/tweet/create', { text: 'Mine' });
  const receiver = await fixture.receiver({
    answer: ({ body }) => ({ status: body.includes('user.follow') ? 500 : 200 }),
  });
  await register(client, { url: receiver.url });
  await fixture.happen(account, 'follow', 150);
  await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBe(150));
  await fixture.happen(account, 'like', 40);
  const likes = () => receiver.deliveries.filter(({ body }) => body.includes('tweet.like'));
  await until(() => expect(likes()).toHaveLength(40));
});
