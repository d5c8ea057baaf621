import { createHmac } from 'node:crypto';
import { createServer as createTls } from 'node:https';
import { createServer as createTcp } from 'node:net';
import { describe, expect, test } from 'vitest';
import { selfSigned } from '../proxy/self-signed.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { listen } from '../support/listen.ts';
import type { ReceiverReply } from '../support/receiver.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, register, secret, startWebhookFixture } from './fixture.ts';

const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({ OUTBOUND_ALLOW: '127.0.0.0/8' }, { runtime });
const { client } = await fixture.actor();

const token = (url: string) => new URL(url, 'http://receiver').searchParams.get('crc_token') ?? '';
const mac = (url: string, key = secret) => createHmac('sha256', key).update(token(url));
const json = (body: unknown): ReceiverReply => ({ status: 200, body: JSON.stringify(body) });

describe.each<[string, (url: string) => ReceiverReply, string | RegExp]>([
  ['that is not JSON', () => ({ status: 200, body: '<p>Hello</p>' }), 'its answer is not JSON'],
  ['without response_token', () => json({ token: 'x' }), 'its answer has no text under response_token'],
  ['nested too deep', () => ({ status: 200, body: `${'['.repeat(65)}${']'.repeat(65)}` }), 'its answer is not JSON'],
  ['that is a JSON text', () => json('sha256=x'), 'its answer has no text under response_token'],
  ['that is null', () => json(null), 'its answer has no text under response_token'],
  [
    'in hex',
    (url) => json({ response_token: `sha256=${mac(url).digest('hex')}` }),
    'response_token is in hex instead of base64',
  ],
  [
    'without sha256=',
    (url) => json({ response_token: mac(url).digest('base64') }),
    'response_token does not begin with sha256=',
  ],
  [
    'made with another secret',
    (url) => json({ response_token: `sha256=${mac(url, 'another').digest('base64')}` }),
    'response_token was not made with the secret of this webhook, over the crc_token',
  ],
  [
    'that redirects',
    () => ({ status: 302, headers: { location: '/elsewhere' } }),
    'it answered with a redirect (302), which is not followed',
  ],
  ['with status 404', () => ({ status: 404 }), 'it answered with status 404 instead of 200'],
  ['with status 500', () => ({ status: 500 }), 'it answered with status 500 instead of 200'],
  [
    'longer than 16 KiB',
    (url) => ({ status: 200, body: `${' '.repeat(17_000)}{"response_token":"sha256=${mac(url).digest('base64')}"}` }),
    'its answer is not JSON',
  ],
])('an answer %s', (_name, answer, reason) => {
  test('leaves the webhook invalid with the reason', async () => {
    const receiver = await fixture.receiver();
    receiver.answerCrcWith(({ url }) => answer(url));
    const { id, valid } = await register(client, { url: receiver.url });
    expect(valid).toBe(false);
    expect((await fetchWebhook(client, id)).last_error).toBe(`CRC failed: ${reason}`);
    expect(receiver.requests).toHaveLength(1);
    receiver.answerCrcWith(null);
    const { body } = await changeWebhook(client, 'PUT', `/webhooks/${id}`);
    expect(body.data).toMatchObject({ valid: true, last_error: null });
    await changeWebhook(client, 'DELETE', `/webhooks/${id}`);
  });
});

test('no response within 10 seconds is reported', async () => {
  const receiver = await fixture.receiver();
  receiver.answerCrcWith(() => new Promise(() => {}));
  const registering = register(client, { url: receiver.url });
  await until(() => expect(receiver.requests).toHaveLength(1));
  runtime.leap(10_000);
  const { id, valid } = await registering;
  expect([valid, (await fetchWebhook(client, id)).last_error]).toEqual([false, 'CRC failed: no response within 10 s']);
});

test('a refused and a broken connection are reported', async () => {
  const gone = await fixture.receiver();
  await gone.stop();
  const { id } = await register(client, { url: gone.url });
  expect((await fetchWebhook(client, id)).last_error).toBe('CRC failed: it refuses connections');
  const rude = await listen(createTcp((socket) => socket.on('data', () => socket.destroy())));
  const other = await register(client, { url: `http://localhost:${rude}/` });
  expect((await fetchWebhook(client, other.id)).last_error).toMatch(/^CRC failed: the connection broke/);
});

test('an untrusted certificate and a server without TLS are reported', async () => {
  const port = await listen(createTls(selfSigned(), (_request, response) => response.end('{}')));
  const { id } = await register(client, { url: `https://127.0.0.1:${port}/` });
  expect((await fetchWebhook(client, id)).last_error).toBe('CRC failed: TLS failed (DEPTH_ZERO_SELF_SIGNED_CERT)');
  const { url } = await fixture.receiver();
  const plain = await register(client, { url: url.replace('http://localhost', 'https://127.0.0.1') });
  expect((await fetchWebhook(client, plain.id)).last_error).toMatch(/^CRC failed: TLS failed \(/);
});
