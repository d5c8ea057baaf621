import { describe, expect, onTestFinished, test } from 'vitest';
import openApi from '../../../schema/openapi.json' with { type: 'json' };
import { openSocket } from '../../support/raw.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

const origin = 'https://app.example';
const local = 'http://localhost:5173';

const { service, ada, newCaller } = await useService({
  CORS_ORIGINS: `${origin},${local}`,
  UNAUTHENTICATED_RATE_LIMIT: '20',
  RATE_LIMIT: '3000',
});

function call(path: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> {
  return fetch(service.origin + path, { ...init, headers: { origin, ...ada.headers, ...headers } });
}

function preflightOf(from: string): RequestInit {
  const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-auth-token' };
  return { method: 'OPTIONS', headers: { origin: from, ...asked } };
}

const preflight = (path: string, from: string) => fetch(service.origin + path, preflightOf(from));

const listOf = (response: Response, name: string) => (response.headers.get(name) ?? '').toLowerCase().split(', ');

/** Headers that a page can read without permission (https://fetch.spec.whatwg.org/#cors-safelisted-response-header-name), or has no use for. */
const unlisted =
  /^(cache-control|content-(type|length|language)|date|connection|keep-alive|transfer-encoding|vary|x-content-type-options|x-accel-buffering|access-control-.*)$/;

describe('a preflight', () => {
  test.each(['/v1/tweet/create', '/graphql', '/mcp', '/v1/events', '/v1/no/such/path'])(
    'of %s is answered without a key',
    async (path) => {
      for (const from of [origin, local]) {
        const response = await preflight(path, from);
        expect(response.status).toBe(204);
        expect(await response.text()).toBe('');
        expect(Object.fromEntries(response.headers)).toMatchObject({
          'access-control-allow-origin': from,
          'access-control-max-age': '7200',
          vary: 'Origin',
        });
        const methods = ['delete', 'get', 'patch', 'post', 'put'];
        expect(listOf(response, 'access-control-allow-methods').sort()).toEqual(methods);
        expect(listOf(response, 'access-control-allow-headers').sort()).toEqual([
          ...['authorization', 'content-encoding', 'content-type', 'idempotency-key', 'last-event-id'],
          ...[
            'mcp-method',
            'mcp-name',
            'mcp-protocol-version',
            'mcp-session-id',
            'prefer',
            'traceparent',
            'tracestate',
          ],
          ...['x-auth-token', 'x-cost-only', 'x-encryption-code', 'x-proxy', 'x-request-id'],
        ]);
        expect(response.headers.get('access-control-allow-credentials')).toBeNull();
      }
    },
  );

  test('counts towards no limit, and costs nothing', async () => {
    const balance = async () => ((await (await call('/v1/account/balance')).json()) as { data: object }).data;
    const before = await balance();
    const statuses = new Set<number>();
    for (let i = 0; i < 100; i++) statuses.add((await preflight('/v1/tweet/create', origin)).status);
    expect([...statuses]).toEqual([204]);
    expect(await balance()).toEqual(before);
    const wrong = await call('/v1/account/balance', { authorization: 'Bearer wrong' });
    expect(wrong.status).toBe(401);
  });

  test.each([
    ['null'],
    ['https://app.example.evil.example'],
    ['https://evilapp.example'],
    ['https://sub.app.example'],
    ['https://app.example:8443'],
    ['http://app.example'],
    ['https://APP.example'],
    ['HTTPS://app.example'],
    ['https://app.example/'],
    ['https://app.example, https://evil.example'],
    [`${origin} ${local}`],
    ['*'],
    [''],
  ])('of the origin %j is refused', async (from) => {
    for (const path of ['/v1/tweet/create', '/graphql']) {
      const response = await preflight(path, from);
      expect(response.status).toBe(405);
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
      expect(response.headers.get('vary')).toBe('Origin');
    }
  });
});

describe('a response', () => {
  test('can be read by a listed origin only, and caches are told so', async () => {
    for (const path of ['/v1/account', '/graphql?query={__typename}']) {
      const allowed = await call(path);
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      const other = await call(path, { origin: 'https://evil.example' });
      expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([200, null]);
      const none = await fetch(service.origin + path, { headers: ada.headers });
      expect([none.status, none.headers.get('access-control-allow-origin')]).toEqual([200, null]);
      expect([allowed, other, none].map(({ headers }) => headers.get('vary'))).toEqual(['Origin', 'Origin', 'Origin']);
    }
  });

  test('of a live stream can be read', async () => {
    const controller = new AbortController();
    const response = await call('/v1/events', {}, { signal: controller.signal });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    controller.abort();
  });

  test('names every header that the API declares, on success and on errors', async () => {
    const poor = (await newCaller('0')).client.headers;
    const json = { 'content-type': 'application/json' };
    const keyed = { ...json, 'idempotency-key': 'cors-1' };
    const write = { method: 'POST', body: JSON.stringify({ user_id: service.demo.accounts[1].userId }) };
    await call('/v1/user/follow', keyed, write);
    const responses: [number, Response][] = [
      [200, await call('/v1/user/info?userName=grace')],
      [200, await call('/v1/user/follow', keyed, write)],
      [400, await call('/v1/user/info')],
      [401, await call('/v1/user/info', { authorization: '' })],
      [402, await call('/v1/user/info?userName=grace', poor)],
      [404, await call('/v1/no/such/path')],
      [405, await call('/v1/user/info', json, write)],
      [415, await call('/v1/user/follow', { 'content-type': 'text/plain' }, write)],
      [200, await call('/graphql?query={user(userName:"grace"){name}}')],
      [401, await call('/graphql?query={user(userName:"grace"){name}}', { authorization: '' })],
    ];
    const documented = Object.keys(openApi.components.headers).map((name) => name.toLowerCase());
    for (const [status, response] of responses) {
      expect(response.status).toBe(status);
      expect(response.headers.get('access-control-allow-origin')).toBe(origin);
      const exposed = listOf(response, 'access-control-expose-headers');
      const hidden = [...response.headers.keys()].filter((name) => !unlisted.test(name) && !exposed.includes(name));
      expect(hidden).toEqual([]);
      expect(exposed).toEqual(expect.arrayContaining(documented));
    }
  });

  test('of the checks before the key can be read: the limit of an address, and an overload', async () => {
    let limited = await call('/v1/account', { authorization: '' });
    for (let i = 0; i < 40 && limited.status !== 429; i++) limited = await call('/v1/account', { authorization: '' });
    expect([limited.status, limited.headers.get('access-control-allow-origin')]).toEqual([429, origin]);
    expect(listOf(limited, 'access-control-expose-headers')).toContain('retry-after');
    const busy = await startService({ CORS_ORIGINS: origin, MAX_REQUESTS_IN_FLIGHT: '1' });
    onTestFinished(() => busy.stop());
    // The first request waits for its body.
    const head = ['POST /v1/user/follow HTTP/1.1', 'Host: a', `Authorization: Bearer ${busy.demo.apiKey}`];
    const socket = await openSocket(busy.origin);
    socket.write(`${[...head, 'Content-Type: application/json', 'Content-Length: 9'].join('\r\n')}\r\n\r\n`);
    const ask = () => fetch(`${busy.origin}/v1/account`, { headers: { origin, ...ada.headers } });
    await expect.poll(async () => (await ask()).status).toBe(503);
    expect((await ask()).headers.get('access-control-allow-origin')).toBe(origin);
    expect((await fetch(`${busy.origin}/v1/account`, preflightOf(origin))).status).toBe(204);
    socket.destroy();
  });

  test('of a page or a document has no CORS headers', async () => {
    for (const [path, accept] of [
      ['/', 'text/html'],
      ['/console', 'text/html'],
      ['/graphql', 'text/html'],
      ['/openapi.json', '*/*'],
      ['/healthz', '*/*'],
    ] as const) {
      const response = await fetch(service.origin + path, { headers: { origin, accept } });
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
    expect((await preflight('/openapi.json', origin)).headers.get('access-control-allow-origin')).toBeNull();
  });
});

test('without CORS_ORIGINS no origin is allowed', async () => {
  const plain = await startService();
  onTestFinished(() => plain.stop());
  const response = await fetch(`${plain.origin}/v1/account`, { headers: { origin: plain.origin } });
  expect([...response.headers.keys()].filter((name) => /^access-control|^vary/.test(name))).toEqual([]);
  const options = await fetch(`${plain.origin}/v1/account`, preflightOf(origin));
  expect([options.status, options.headers.get('access-control-allow-origin')]).toEqual([405, null]);
});
