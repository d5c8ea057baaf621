import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startFakeProxy, startForwardProxy } from '../proxy/forward-proxy.ts';
import { change, LeapingRuntime, look, register, startWorld, until, type Webhook, type World } from './world.ts';

const runtime = new LeapingRuntime();
let world: World;
beforeAll(async () => {
  world = await startWorld({ OUTBOUND_ALLOW: '127.0.0.0/8', PLATFORM_TIMEOUT_MS: '1500' }, { runtime });
});
afterEach(() => world.sandbox.clearFaults());
afterAll(() => world.stop());

const password = 'hunter2-of-the-proxy';

/** Polls that failed with this text until now. */
const failures = (text: string) =>
  world.service.log.filter((line) => line.includes('a poller could not go on') && line.includes(text)).length;

async function untilPollFails(text: string): Promise<void> {
  const before = failures(text);
  await until(() => expect(failures(text)).toBeGreaterThan(before));
}

/** Lets the time pass in which the poller tries again. */
async function leapUntil(check: () => Promise<void>): Promise<void> {
  await until(async () => {
    try {
      await check();
    } catch (error) {
      runtime.leap(5_000);
      await new Promise((resolve) => setTimeout(resolve, 300));
      throw error;
    }
  }, 30_000);
}

/** A proxy that opens tunnels, or breaks each connection while it is `dead`. */
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

test('a proxy that is out of order for 30 s is named by the webhooks that use it until it works again, and by no others', async () => {
  const proxy = await switchedProxy();
  const { client, account } = await world.actor();
  const [one, wrong, direct] = [await world.receiver(), await world.receiver(), await world.receiver()];
  const hook = await register(client, { url: one.url, proxy: proxy.url });
  wrong.secret = 'another secret than it has';
  const broken = await register(client, { url: wrong.url, proxy: proxy.url });
  const other = await register(client, { url: direct.url });
  const errorOf = async ({ id }: Webhook) => (await look(client, id)).last_error;
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
  expect((await look(client, hook.id)).valid).toBe(true);
  expect((await client.get('/webhooks')).body.data['webhooks']).toContainEqual(
    expect.objectContaining({ id: hook.id, last_error: said }),
  );
  expect(await errorOf(broken)).toMatch(/^CRC failed: response_token/);
  expect(await errorOf(other)).toBeNull();
  // A handshake mends the receiver, not the way to the platform.
  wrong.secret = one.secret;
  expect((await change(client, 'PUT', `/webhooks/${broken.id}`)).body.data).toMatchObject({
    valid: true,
    last_error: expect.stringContaining(proxy.name),
  });

  proxy.state.dead = false;
  await leapUntil(async () => expect(await errorOf(hook)).toBeNull());
  expect(await errorOf(broken)).toBeNull();
  await world.happen(account);
  await leapUntil(async () => expect(one.deliveries).toHaveLength(1));
  await proxy.stop();
}, 90_000);

test('another proxy instead of a dead one clears it', async () => {
  const [dead, good] = [
    await startForwardProxy({ user: 'user', password }),
    await startForwardProxy({ user: 'user', password }),
  ];
  const { client, account } = await world.actor();
  const { id } = await register(client, { url: (await world.receiver()).url, proxy: dead.url });
  const lastError = async () => (await look(client, id)).last_error;
  await dead.stop();
  await leapUntil(async () =>
    expect(await lastError()).toMatch(
      new RegExp(`The proxy ${dead.name} cannot be reached: it refused the connection`),
    ),
  );
  const renewed = await change(client, 'PUT', `/webhooks/${id}`, { auth_token: account.authToken, proxy: good.url });
  expect(renewed.body.data['last_error']).toBeNull();
  expect(await lastError()).toBeNull();
  await good.stop();
}, 90_000);

test.each([
  [
    '403 for another reason than the token',
    { kind: 'status', status: 403, message: 'This account is locked' },
    /locked/,
  ],
  ['500', { kind: 'status', status: 500 }, /The platform failed with status 500/],
  ['no answer in time', { kind: 'hang' }, /The platform did not answer in time/],
])(
  'a platform that answers with %s for 30 s is tried again, and shows until it works',
  async (_name, fault, said) => {
    const { client, account } = await world.actor();
    const receiver = await world.receiver();
    const { id } = await register(client, { url: receiver.url });
    const lastError = async () => (await look(client, id)).last_error ?? '';
    await world.service.addFault(fault, { operation: 'activity', times: null });
    await leapUntil(async () => {
      const error = await lastError();
      expect(error).toMatch(/^Nothing new is read from the platform: /);
      expect(error).toMatch(said);
    });
    // A token that is refused meanwhile stops the poller, which is the worse fault.
    await world.sandbox.clearFaults();
    await world.service.addFault({ kind: 'status', status: 401 }, { operation: 'activity', times: null });
    await leapUntil(async () => expect(await lastError()).toMatch(/^Not polled any more: /));
    await world.sandbox.clearFaults();
    await change(client, 'PUT', `/webhooks/${id}`, { auth_token: account.authToken });
    expect(await lastError()).toBe('');

    await world.service.addFault(fault, { operation: 'activity', times: null });
    await leapUntil(async () => expect(await lastError()).toMatch(said));
    await world.sandbox.clearFaults();
    await leapUntil(async () => expect(await lastError()).toBe(''));
    await world.happen(account);
    await leapUntil(async () => expect(receiver.deliveries).toHaveLength(1));
  },
  120_000,
);
