import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startFakeProxy, startForwardProxy } from '../proxy/forward-proxy.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, register, startWebhookFixture, type Webhook } from './fixture.ts';

const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({ OUTBOUND_ALLOW: '127.0.0.0/8', PLATFORM_TIMEOUT_MS: '1500' }, { runtime });
afterEach(() => fixture.sandbox.clearFaults());

const password = 'hunter2-of-the-proxy';

/** Returns the number of polls that failed with this text so far. */
const failures = (text: string) =>
  fixture.service.log.filter((line) => line.includes('a poller could not go on') && line.includes(text)).length;

async function untilPollFails(text: string): Promise<void> {
  const before = failures(text);
  await until(() => expect(failures(text)).toBeGreaterThan(before));
}

/** Advances the clock until the poller has tried again. */
async function leapUntil(check: () => Promise<void>): Promise<void> {
  await until(async () => {
    try {
      await check();
    } catch (error) {
      runtime.leap(5_000);
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw error;
    }
  });
}

/** Starts a proxy that opens tunnels, or breaks each connection while it is `dead`. */
async function switchedProxy() {
  const state = { dead: false };
  const proxy = await startFakeProxy((socket, request) => {
    const [, host, port] = /^CONNECT ([^:]+):(\d+)/.exec(request) ?? [];
    if (state.dead || !host) return socket.destroy();
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    target.on('close', () => socket.destroy());
    socket.on('close', () => target.destroy());
  });
  return { ...proxy, state, url: `http://user:${password}@${proxy.name}` };
}

test('a proxy that fails for 30 s is named in the errors of its webhooks, and of no others, until it works again', async () => {
  const proxy = await switchedProxy();
  const { client, account } = await fixture.actor();
  const [one, wrong, direct] = [await fixture.receiver(), await fixture.receiver(), await fixture.receiver()];
  const hook = await register(client, { url: one.url, proxy: proxy.url });
  wrong.secret = 'another secret than it has';
  const broken = await register(client, { url: wrong.url, proxy: proxy.url });
  const other = await register(client, { url: direct.url });
  const errorOf = async ({ id }: Webhook) => (await fetchWebhook(client, id)).last_error;
  expect(broken.last_error).toMatch(/^CRC failed: response_token/);

  proxy.state.dead = true;
  proxy.breakAll();
  await untilPollFails(proxy.name);
  runtime.leap(20_000);
  await untilPollFails(proxy.name);
  expect(await errorOf(hook)).toBeNull();
  runtime.leap(10_500);
  await until(async () => expect(await errorOf(hook)).not.toBeNull());
  const said = await errorOf(hook);
  expect(said).toMatch(/^Nothing new is read from the platform: The proxy 127\.0\.0\.1:\d+ broke the connection/);
  expect(said).toContain(proxy.name);
  expect(said).not.toContain(password);
  expect((await fetchWebhook(client, hook.id)).valid).toBe(true);
  expect((await client.get('/webhooks')).body.data['webhooks']).toContainEqual(
    expect.objectContaining({ id: hook.id, last_error: said }),
  );
  expect(await errorOf(broken)).toMatch(/^CRC failed: response_token/);
  expect(await errorOf(other)).toBeNull();
  // A handshake does not repair the connection to the platform.
  wrong.secret = one.secret;
  expect((await changeWebhook(client, 'PUT', `/webhooks/${broken.id}`)).body.data).toMatchObject({
    valid: true,
    last_error: expect.stringContaining(proxy.name),
  });

  proxy.state.dead = false;
  await leapUntil(async () => expect(await errorOf(hook)).toBeNull());
  expect(await errorOf(broken)).toBeNull();
  await fixture.happen(account);
  await leapUntil(async () => expect(one.deliveries).toHaveLength(1));
});

test('another proxy in place of a failed one clears the error', async () => {
  const [dead, good] = [await startForwardProxy({ password }), await startForwardProxy({ password })];
  const { client, account, id } = await fixture.webhook({ proxy: dead.url });
  const lastError = async () => (await fetchWebhook(client, id)).last_error;
  await dead.stop();
  await leapUntil(async () =>
    expect(await lastError()).toMatch(
      new RegExp(`The proxy ${dead.name} cannot be reached: it refused the connection`),
    ),
  );
  const renewed = await changeWebhook(client, 'PUT', `/webhooks/${id}`, {
    auth_token: account.authToken,
    proxy: good.url,
  });
  expect(renewed.body.data['last_error']).toBeNull();
  expect(await lastError()).toBeNull();
});

test.each([
  [
    '403 for another reason than the token',
    { kind: 'status', status: 403, message: 'This account is locked' },
    /locked/,
  ],
  ['500', { kind: 'status', status: 500 }, /The platform failed with status 500/],
  ['no answer in time', { kind: 'hang' }, /The platform did not answer in time/],
])('a platform that answers with %s for 30 s is tried again, and shows until it works', async (_name, fault, said) => {
  const { client, account, receiver, id } = await fixture.webhook();
  const lastError = async () => (await fetchWebhook(client, id)).last_error ?? '';
  await fixture.service.addFault(fault, { operation: 'activity', times: null });
  await leapUntil(async () => {
    const error = await lastError();
    expect(error).toMatch(/^Nothing new is read from the platform: /);
    expect(error).toMatch(said);
  });
  // A refused token stops the poller and is reported first.
  await fixture.sandbox.clearFaults();
  await fixture.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
  await leapUntil(async () => expect(await lastError()).toMatch(/^Not polled any more: /));
  await fixture.sandbox.clearFaults();
  await changeWebhook(client, 'PUT', `/webhooks/${id}`, { auth_token: account.authToken });
  expect(await lastError()).toBe('');

  await fixture.service.addFault(fault, { operation: 'activity', times: null });
  await leapUntil(async () => expect(await lastError()).toMatch(said));
  await fixture.sandbox.clearFaults();
  await leapUntil(async () => expect(await lastError()).toBe(''));
  await fixture.happen(account);
  await leapUntil(async () => expect(receiver.deliveries).toHaveLength(1));
});
