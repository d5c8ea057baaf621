import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, expect, test } from 'vitest';
import { startForwardProxy } from '../proxy/forward-proxy.ts';
import { patientMs } from '../support/processor-time.ts';
import { until } from '../support/until.ts';
import { type Account, changeWebhook, register, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture({ OUTBOUND_ALLOW: '127.0.0.0/8', PLATFORM_WAIT_MS: '60000' });
afterEach(() => fixture.sandbox.clearFaults());
afterAll(async () => {
  await fixture.stop();
  await Promise.all(proxies.map((proxy) => proxy.stop()));
});

const proxies: Awaited<ReturnType<typeof startForwardProxy>>[] = [];
async function startProxy() {
  const proxy = await startForwardProxy({ user: 'user', password: 'a-password' });
  proxies.push(proxy);
  return proxy;
}

/** Resolves when the platform holds a request of the account's poller, which sends no other requests until it ends. */
async function untilItWaits({ userId }: Account): Promise<void> {
  await until(async () => expect(await fixture.sandbox.waiting(userId)).toBe(1));
}

test('the events of an active account arrive with the response to the request that waits', async () => {
  const { account, receiver } = await fixture.webhook();
  for (let event = 1; event <= 3; event++) {
    await untilItWaits(account);
    await fixture.happen(account);
    await until(() => expect(receiver.deliveries).toHaveLength(event));
  }
});

test('an account with a proxy waits too', async () => {
  const proxy = await startProxy();
  const { account, receiver } = await fixture.webhook({ proxy: proxy.url });
  await untilItWaits(account);
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
});

test('a waiting request that a proxy breaks off is not an outage: the events arrive with the next poll', async () => {
  const proxy = await startProxy();
  const { client, account, receiver, id } = await fixture.webhook({ proxy: proxy.url });
  await untilItWaits(account);
  const failed = () => fixture.service.log.filter((line) => line.includes('a poller could not go on')).length;
  const before = failed();
  await fixture.service.addFault({ kind: 'reset' }, { operation: 'activity', actor: account.userId, times: 1 });
  await untilItWaits(account);
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  expect(failed()).toBe(before);
  expect((await client.with({ authToken: '' }).get(`/webhooks/${id}`)).body.data['last_error']).toBeNull();
});

test('a change of the webhook ends the wait: new credentials are tried at once', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
  await untilItWaits(account);
  const before = await fixture.sandbox.requests('activity');
  await changeWebhook(client, 'PUT', `/webhooks/${id}`, { auth_token: account.authToken });
  // One request checks the credentials for the call; the poller sends the others.
  await until(async () => expect((await fixture.sandbox.requests('activity')) - before).toBeGreaterThan(2));
  await untilItWaits(account);
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
});

test('after a deletion no event that happens while a request waits is sent', async () => {
  const { client, account } = await fixture.actor();
  const [deleted, kept] = [await fixture.receiver(), await fixture.receiver()];
  const { id } = await register(client, { url: deleted.url });
  await register(client, { url: kept.url });
  await untilItWaits(account);
  await changeWebhook(client, 'DELETE', `/webhooks/${id}`);
  await fixture.happen(account);
  await until(() => expect(kept.deliveries).toHaveLength(1));
  await sleep(300);
  expect(deleted.deliveries).toHaveLength(0);
});

test('an unavailable platform is detected while a request waits, and polled again', async () => {
  const { account, receiver } = await fixture.webhook();
  await untilItWaits(account);
  await fixture.service.addFault(
    { kind: 'status', status: 503 },
    { operation: 'activity', actor: account.userId, times: 3 },
  );
  await until(() => expect(fixture.service.log.join('')).toContain('The platform failed with status 503'));
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
});

test('a stream receives the events of an active account with the response to the waiting request', async () => {
  const { client, account } = await fixture.actor();
  const stream = await fetch(`${fixture.service.demo.baseUrl}/events`, {
    headers: { authorization: `Bearer ${client.options.key}`, 'x-auth-token': account.authToken },
  });
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  await untilItWaits(account);
  await fixture.happen(account);
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += Buffer.from(part.value).toString();
    if (text.includes('user.follow')) break;
  }
  expect(text).toContain('user.follow');
  await reader.cancel();
});

test('with PLATFORM_WAIT_MS=0 no request waits', async () => {
  const polling = await startWebhookFixture({ PLATFORM_WAIT_MS: '0' });
  const { client } = await polling.actor();
  await register(client, { url: (await polling.receiver()).url });
  const before = await polling.sandbox.requests('activity');
  await until(async () => expect((await polling.sandbox.requests('activity')) - before).toBeGreaterThan(3));
  await polling.stop();
});

test('the service stops while requests wait', async () => {
  const stopping = await startWebhookFixture({ PLATFORM_WAIT_MS: '60000' });
  const { client } = await stopping.actor();
  await register(client, { url: (await stopping.receiver()).url });
  await until(async () => expect(await stopping.sandbox.requests('activity')).toBeGreaterThan(2));
  expect(await patientMs(() => stopping.stop())).toBeLessThan(50_000);
});
