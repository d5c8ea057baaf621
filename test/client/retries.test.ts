import { expect, test } from 'vitest';
import { errorTable } from '../../src/client/error-table.ts';
import { ConnectionError, PlatformError, type Postern, RateLimitError } from '../../src/client/index.ts';
import type { ClientOptions } from '../../src/client/transport.ts';
import { breaks, errorOf, type Scripted, scriptedServer, success } from './scripted-server.ts';

const error = 'Refused';
const refusal = (status: number, headers: Record<string, string> = {}): Scripted => ({ status, headers, error });
const write = (postern: Postern) => postern.tweet.create({ text: 'Hello' });
const read = (postern: Postern) => postern.user.me();

test.each<[string, Scripted]>([
  ['a broken connection', breaks],
  [
    'a response that ends too early',
    (response) => response.writeHead(200, { 'content-length': '99' }).write('{', () => response.destroy()),
  ],
  ['408', refusal(408)],
  ['500', refusal(500)],
  ['502', refusal(502)],
  ['503', refusal(503)],
  ['504', refusal(504)],
  ['429 with Retry-After', refusal(429, { 'retry-after': '0' })],
  ['409 with Retry-After, while the first request runs', refusal(409, { 'retry-after': '0' })],
])('a write is sent again after %s, with the same key and body', async (_, failure) => {
  const { postern, requests } = await scriptedServer([failure, failure, success]);
  const { data, retries } = await write(postern).withResponse();
  expect({ data, retries }).toEqual({ data: { id: '1' }, retries: 2 });
  const keys = requests.map(({ headers }) => headers['idempotency-key']);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  expect(new Set(keys).size).toBe(1);
  expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
});

test('each write has its own key, a key of the caller is kept, and reads have none', async () => {
  const { postern, requests } = await scriptedServer([success]);
  await write(postern);
  await write(postern);
  await postern.tweet.create({ text: 'Hello' }, { idempotencyKey: 'mine' });
  await read(postern);
  await postern.user.homeTimeline();
  const [first, second, ...others] = requests.map(({ headers }) => headers['idempotency-key']);
  expect(first).not.toBe(second);
  expect(others).toEqual(['mine', undefined, undefined]);
  expect(await errorOf(postern.user.me({}, { idempotencyKey: 'mine' }))).toBeInstanceOf(TypeError);
});

test.each(
  Object.entries(errorTable)
    .filter(([, { mayPass }]) => !mayPass)
    .map(([, { status }]) => status),
)('%i is not repeated', async (status) => {
  const { postern, requests } = await scriptedServer([refusal(status), success]);
  expect(await errorOf(write(postern))).toMatchObject({ status });
  expect(requests).toHaveLength(1);
});

test('the pause lasts as long as Retry-After says', async () => {
  const { postern, requests } = await scriptedServer([refusal(429, { 'retry-after': '1' }), success]);
  const startedAt = performance.now();
  await read(postern);
  // Timers may end a little early.
  expect(performance.now() - startedAt).toBeGreaterThan(990);
  expect(requests).toHaveLength(2);
});

test('a longer Retry-After than maxRetryAfterMs is not waited for', async () => {
  const { postern, requests } = await scriptedServer([refusal(503, { 'retry-after': '61' }), success]);
  expect(await errorOf(read(postern))).toMatchObject({ code: 'unavailable', retryAfterSeconds: 61 });
  expect(requests).toHaveLength(1);
});

test('a limit without Retry-After does not end by itself, so the call fails at once', async () => {
  const { postern, requests } = await scriptedServer([refusal(429), success]);
  expect(await errorOf(read(postern))).toBeInstanceOf(RateLimitError);
  expect(requests).toHaveLength(1);
});

test('a call with an encryption code is not sent again after 429, because a wrong code would use up a guess', async () => {
  const script = [refusal(429, { 'retry-after': '0' }), success];
  const { postern, requests } = await scriptedServer(script, { encryptionCode: '123456' });
  expect(await errorOf(postern.dm.send({ user_id: '1', text: 'Hello' }))).toBeInstanceOf(RateLimitError);
  expect(requests).toHaveLength(1);
});

test('DELETE is repeated only after 429, because a repeated DELETE is 404', async () => {
  const { postern, requests } = await scriptedServer([refusal(429, { 'retry-after': '0' }), breaks, success]);
  expect(await errorOf(postern.webhooks.delete({ id: 'wh_1' }))).toMatchObject({ code: 'connection_failed' });
  expect(requests).toHaveLength(2);
});

test.each<[string, Partial<ClientOptions>, number]>([
  ['2 by default', {}, 3],
  ['none with 0', { maxRetries: 0 }, 1],
  ['as many as the client says', { maxRetries: 1 }, 2],
])('retries are bounded: %s', async (_, options, attempts) => {
  const { postern, requests } = await scriptedServer([refusal(502)], options);
  const error = await errorOf(write(postern));
  expect(error).toBeInstanceOf(PlatformError);
  expect(error?.idempotencyKey).toBe(requests[0]?.headers['idempotency-key']);
  expect(requests).toHaveLength(attempts);
  await errorOf(postern.tweet.create({ text: 'Hello' }, { maxRetries: 0 }));
  expect(requests).toHaveLength(attempts + 1);
});

const never: Scripted = () => {};

test('an attempt that takes too long is aborted and sent again', async () => {
  const script: Scripted[] = [never, (response) => void response.writeHead(200).write('{'), success];
  // A slow machine may need more than 100 ms for the last response as well.
  const { postern, requests } = await scriptedServer(script, { timeoutMs: 100, maxRetries: 50 });
  await read(postern);
  expect(requests.length).toBeGreaterThanOrEqual(3);
  const signal = AbortSignal.timeout(1);
  const error = await errorOf(postern.user.me({}, { timeoutMs: 50_000, maxRetries: 0, signal }));
  expect(error?.name).toBe('TimeoutError');
});

test('a time limit without retries is an error with the code timed_out', async () => {
  const { postern } = await scriptedServer([never], { timeoutMs: 50, maxRetries: 0 });
  const error = await errorOf(read(postern));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ code: 'timed_out', status: null, message: 'No response within 50 ms' });
});

test.each([
  ['the request', never],
  ['the pause before a retry', refusal(503, { 'retry-after': '50' })],
])('a signal ends %s with its reason', async (_, response) => {
  const { postern, requests } = await scriptedServer([response]);
  const controller = new AbortController();
  const call = errorOf(postern.user.me({}, { signal: controller.signal }));
  await expect.poll(() => requests.length).toBe(1);
  const reason = new Error('The visitor has left');
  controller.abort(reason);
  expect(await call).toBe(reason);
  expect(await errorOf(postern.user.me({}, { signal: controller.signal }))).toBe(reason);
  expect(requests).toHaveLength(1);
});

test('a redirect is not followed, because it would carry the credentials to another address', async () => {
  const { postern, requests } = await scriptedServer([{ status: 302, headers: { location: 'http://127.0.0.1:9/' } }]);
  expect(await errorOf(read(postern))).toMatchObject({ code: 'unexpected_response', status: 302 });
  expect(requests).toHaveLength(1);
});

test('a response that is not from Postern is an error', async () => {
  const { postern } = await scriptedServer([
    (response) => response.end('<!doctype html>'),
    (response) => response.writeHead(404).end('<p>'),
  ]);
  expect(await errorOf(read(postern))).toMatchObject({ code: 'unexpected_response', status: 200 });
  const message = 'The service responded with status 404';
  expect(await errorOf(read(postern))).toMatchObject({ code: 'not_found', message });
});

test('credentials are headers, only of the calls that need them, and never part of the URL', async () => {
  const options = { encryptionCode: '123456', proxy: 'http://u:p@proxy.example' };
  const { postern, requests } = await scriptedServer([success], options);
  const sent = async (call: PromiseLike<unknown>) => {
    await call;
    const request = requests.at(-1);
    expect(`${request?.url} ${request?.body}`).not.toMatch(/token|123456|proxy/);
    return ['authorization', 'x-auth-token', 'x-encryption-code', 'x-proxy'].map((name) => request?.headers[name]);
  };
  const [key, token, code, proxy] = ['Bearer key', 'token', '123456', 'http://u:p@proxy.example'];
  const none = undefined;
  expect(await sent(read(postern))).toEqual([key, token, none, proxy]);
  expect(await sent(postern.dm.list())).toEqual([key, token, code, proxy]);
  expect(await sent(postern.account.get())).toEqual([key, none, none, none]);
  // This call would replace the credentials that the webhook has.
  expect(await sent(postern.webhooks.validate({ id: '1' }))).toEqual([key, none, none, none]);
  const renewed = postern.webhooks.validate({ id: '1' }, { authToken: 'new' });
  expect(await sent(renewed)).toEqual([key, 'new', none, none]);
});

test('a list keeps its options for the next pages, except the key', async () => {
  const page = (id: string | null): Scripted => ({ status: 200, data: { tweets: [{ id }], next_cursor: id } });
  const { postern, requests } = await scriptedServer([page('a b'), page(null)]);
  const list = postern.user.homeTimeline({ count: 1 }, { authToken: 'other', idempotencyKey: 'mine' });
  expect(await list.toArray({ limit: 5 })).toHaveLength(2);
  expect(requests.map(({ headers, body }) => [headers['x-auth-token'], headers['idempotency-key'], body])).toEqual([
    ['other', 'mine', '{"count":1}'],
    ['other', undefined, '{"count":1,"cursor":"a b"}'],
  ]);
});

test.each([{ maxRetries: -1 }, { maxRetries: Number.NaN }, { timeoutMs: 0 }, { timeoutMs: Number.NaN }])(
  'refuses %j',
  async (options) => {
    const { postern, requests } = await scriptedServer([success], options);
    expect(await errorOf(read(postern))).toBeInstanceOf(TypeError);
    expect(requests).toHaveLength(0);
  },
);
