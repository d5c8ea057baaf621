import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { startForwardProxy } from '../proxy/forward-proxy.ts';
import { patientMs } from '../support/processor-time.ts';
import { until } from '../support/until.ts';
import { type Account, changeWebhook, register, startWebhookFixture } from './fixture.ts';
import { eventsOf } from './stream-fixture.ts';

const fixture = await startWebhookFixture({ OUTBOUND_ALLOW: '127.0.0.0/8', PLATFORM_WAIT_MS: '60000' });
afterEach(() => fixture.sandbox.clearFaults());

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
  const proxy = await startForwardProxy();
  const { account, receiver } = await fixture.webhook({ proxy: proxy.url });
  await untilItWaits(account);
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
});

test('a waiting request that a proxy breaks off is not an outage: the events arrive with the next poll', async () => {
  const proxy = await startForwardProxy();
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
  const fault = { kind: 'status', status: 503 };
  await fixture.service.addFault(fault, { operation: 'activity', actor: account.userId, times: 3 });
  await until(() => expect(fixture.service.log.join('')).toContain('The platform failed with status 503'));
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
});

test('a stream receives the events of an active account with the response to the waiting request', async () => {
  const { client, account } = await fixture.actor();
  const stream = await fetch(`${client.options.baseUrl}/events`, { headers: client.headers });
  await untilItWaits(account);
  await fixture.happen(account);
  for await (const text of eventsOf(stream)) if (text.includes('user.follow')) return;
  expect.fail('the stream ended');
});

test('with PLATFORM_WAIT_MS=0 no request waits', async () => {
  const polling = await startWebhookFixture({ PLATFORM_WAIT_MS: '0' });
  await polling.webhook();
  const before = await polling.sandbox.requests('activity');
  await until(async () => expect((await polling.sandbox.requests('activity')) - before).toBeGreaterThan(3));
});

test('the service stops while requests wait', async () => {
  const stopping = await startWebhookFixture({ PLATFORM_WAIT_MS: '60000' });
  await stopping.webhook();
  await until(async () => expect(await stopping.sandbox.requests('activity')).toBeGreaterThan(2));
  expect(await patientMs(() => stopping.stop())).toBeLessThan(50_000);
});
