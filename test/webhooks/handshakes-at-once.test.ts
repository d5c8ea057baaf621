import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { startFleet } from '../support/fleet.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, register, secret, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();
/** An account with as many webhooks as it may have, all of one receiver. */
const crowd = { client: (await fixture.actor()).client, receiver: await fixture.receiver() };
const urls = Array.from({ length: 100 }, (_, at) => `${crowd.receiver.url}?${at}`);
await Promise.all(urls.map((url) => register(crowd.client, { url })));

/** Waits until this many requests run at the gateways together. */
const untilRunning = (count: number, origins = [fixture.service.origin]) =>
  until(async () => {
    const texts = await Promise.all(origins.map(async (origin) => (await fetch(new URL('/metrics', origin))).text()));
    const running = texts.map((text) => Number(/^postern_http_requests_in_flight (\d+)$/m.exec(text)?.[1]));
    expect(running.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(count);
  });

const crcs = (requests: readonly { method: string }[]) => requests.filter(({ method }) => method === 'GET').length;

test('50 parallel PUTs of one webhook share a handshake', async () => {
  const { client, receiver, id } = await fixture.webhook();
  const allRun = untilRunning(50);
  receiver.answerCrcWith(async ({ url }) => {
    await allRun;
    await sleep(300);
    return sign(url);
  });
  const before = crcs(receiver.requests);
  const answers = await Promise.all(Array.from({ length: 50 }, () => changeWebhook(client, 'PUT', `/webhooks/${id}`)));
  for (const { status, body } of answers) expect([status, body.data['valid']]).toEqual([200, true]);
  expect(crcs(receiver.requests) - before).toBeLessThanOrEqual(3);
});

test('10 parallel replays of 100 webhooks send about 100 handshakes, 20 at a time', async () => {
  const { client, receiver } = crowd;
  receiver.requests.length = 0;
  let running = 0;
  let most = 0;
  const allRun = untilRunning(10);
  receiver.answerCrcWith(async ({ url }) => {
    most = Math.max(most, ++running);
    await allRun;
    await sleep(20);
    running -= 1;
    return sign(url);
  });
  const owner = client.with({ authToken: '' });
  const answers = await Promise.all(Array.from({ length: 10 }, () => owner.post('/webhooks/replay', {})));
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    expect(body.data['webhooks']).toHaveLength(100);
  }
  expect(crcs(receiver.requests)).toBeLessThanOrEqual(200);
  expect(most).toBeLessThanOrEqual(20);
});

test('a handshake runs again if the secret was changed before its outcome was written', async () => {
  const { client, receiver, id, owner } = await fixture.webhook();
  let rotated = '';
  receiver.answerCrcWith(async ({ url }) => {
    const before = receiver.secret;
    if (rotated === '') {
      rotated = String((await owner.post(`/webhooks/${id}/rotate-secret`)).body.data['secret']);
      receiver.secret = rotated;
      return sign(url, before);
    }
    return sign(url, rotated);
  });
  receiver.requests.length = 0;
  expect((await changeWebhook(client, 'PUT', `/webhooks/${id}`)).body.data).toMatchObject({
    valid: true,
    last_error: null,
  });
  expect(crcs(receiver.requests)).toBe(2);
});

test('a registration that is refused because of the limit sends nothing', async () => {
  const { client, receiver } = crowd;
  receiver.requests.length = 0;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => client.post('/webhooks', { url: receiver.url, secret })),
  );
  for (const { status } of answers) expect(status).toBe(429);
  expect(receiver.requests).toHaveLength(0);
});

test('the request of a caller without credit sends nothing', async () => {
  const receiver = await fixture.receiver();
  const account = await fixture.sandbox.mint();
  const { key } = await fixture.service.makeAccount('0.0025');
  const { client: rich } = await fixture.actor();
  const client = rich.with({ key, authToken: account.authToken });
  const { id } = await register(client, { url: receiver.url });
  receiver.requests.length = 0;
  const owner = client.with({ authToken: '' });
  const refused = await Promise.all([
    client.post('/webhooks', { url: receiver.url, secret }),
    changeWebhook(client, 'PUT', `/webhooks/${id}`),
    changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: `${receiver.url}2` }),
    owner.post(`/webhooks/${id}/test`),
    owner.post('/webhooks/replay', {}),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([402, 402, 402, 402, 402]);
  expect(receiver.requests).toHaveLength(0);
});

test('two gateways share a handshake, and one that is killed during it delays the other by its lease at most', async () => {
  const fleet = await startFleet(null);
  const gateways = [await fleet.start(), await fleet.start()];
  const { key } = await fleet.newKey(1_000_000);
  const origins = gateways.map(({ demo }) => demo.baseUrl);
  const authToken = gateways[0]?.demo.accounts[0].authToken ?? '';
  const clients = origins.map((baseUrl) => new Client({ baseUrl, key, authToken }));
  const [one, two] = clients as [Client, Client];
  const receiver = await fixture.receiver();
  const { id } = await register(one, { url: receiver.url });
  receiver.requests.length = 0;
  const allRun = untilRunning(20, origins);
  receiver.answerCrcWith(async ({ url }) => {
    await allRun;
    await sleep(700);
    return sign(url);
  });
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => changeWebhook(clients[i % 2] ?? one, 'PUT', `/webhooks/${id}`)),
  );
  for (const { status, body } of answers) expect([status, body.data['valid']]).toEqual([200, true]);
  expect(crcs(receiver.requests)).toBe(1);

  receiver.requests.length = 0;
  receiver.answerCrcWith(() => new Promise(() => {}));
  const lost = changeWebhook(one, 'PUT', `/webhooks/${id}`).catch(() => null);
  await until(() => expect(crcs(receiver.requests)).toBe(1));
  await gateways[0]?.process.end('SIGKILL');
  expect(await lost).toBeNull();
  receiver.answerCrcWith(null);
  const { body } = await changeWebhook(two, 'PUT', `/webhooks/${id}`);
  expect(body.data['valid']).toBe(true);
  expect(crcs(receiver.requests)).toBe(2);
  expect((await fetchWebhook(two, id)).last_error).toBeNull();
});

function sign(url: string, key = secret) {
  const token = new URL(url, 'http://receiver').searchParams.get('crc_token') ?? '';
  const mac = createHmac('sha256', key).update(token).digest('base64');
  return { status: 200, body: JSON.stringify({ response_token: `sha256=${mac}` }) };
}
