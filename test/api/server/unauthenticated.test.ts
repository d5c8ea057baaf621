import { beforeEach, describe, expect, test } from 'vitest';
import { makeApiKey } from '../../../src/billing/api-key.ts';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { exchange } from '../../support/raw.ts';
import { useService } from '../../support/use-service.ts';

const env = { UNAUTHENTICATED_RATE_LIMIT: '5', TRUSTED_PROXIES: '127.0.0.0/8,2001:db8:ffff::/48' };
let { service } = await useService(env);
const { service: withoutProxies } = await useService({ ...env, TRUSTED_PROXIES: '' });
const { service: unlimited } = await useService({ ...env, UNAUTHENTICATED_RATE_LIMIT: '0' });

let address = '';
let count = 0;
const nextAddress = () => `198.51.100.${++count}`;

/** Sends a request that seems to come from a client address through a reverse proxy on loopback. */
const ask = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}, from = address) =>
  fetch(service.origin + path, { ...init, headers: { 'x-forwarded-for': from, ...headers } });
const withKey = (key: string) => ({ authorization: `Bearer ${key}` });
const wrongKey = () => makeApiKey(systemRuntime.randomBytes(40)).expose();
const repeatedKey = wrongKey();
const exhaust = async (from = address) => {
  for (let i = 0; i < 5; i++) expect((await ask('/v1/account', {}, {}, from)).status).toBe(401);
};

describe('requests without a valid key', () => {
  beforeEach(() => {
    address = nextAddress();
  });

  test('are limited for each client address, for all paths', async () => {
    await exhaust();
    const paths = ['/v1/account', '/v1/nowhere', '/', '/docs', '/readyz', '/openapi.json', '/nowhere'];
    for (const path of paths) {
      const answer = await ask(path);
      expect(answer.status, path).toBe(429);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      expect(await answer.json()).toEqual({
        status: false,
        data: null,
        error: expect.stringMatching(/^This address may make at most 5 requests per minute without a valid API key/),
      });
    }
    const graphql = await ask('/graphql?query={__typename}');
    expect(graphql.status).toBe(429);
    expect(graphql.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await graphql.json()).toMatchObject({ errors: [{ extensions: { code: 'RATE_LIMITED', status: 429 } }] });
    expect((await ask('/v1/account', {}, {}, nextAddress())).status).toBe(401);
  });

  test.each<[string, () => Record<string, string>]>([
    ['a key that is none', () => withKey('nonsense')],
    ['another scheme', () => ({ authorization: 'Basic YTpi' })],
    ['one wrong key again and again', () => withKey(repeatedKey)],
  ])('are limited with %s', async (_name, headers) => {
    for (let i = 0; i < 5; i++) expect((await ask('/v1/account', headers())).status).toBe(401);
    for (let i = 0; i < 5; i++) expect((await ask('/v1/account', headers())).status).toBe(429);
  });

  test('are limited with a new wrong key each: few of them are looked up', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 30; i++) statuses.push((await ask('/v1/account', withKey(wrongKey()))).status);
    const lookedUp = statuses.filter((status) => status === 401).length;
    expect(lookedUp).toBeGreaterThanOrEqual(5);
    expect(lookedUp).toBeLessThanOrEqual(8);
    expect(statuses.at(-1)).toBe(429);
  });

  test('are limited with a revoked key', async () => {
    const { key, keyId } = await service.makeAccount('1');
    expect((await ask('/v1/account', withKey(key))).status).toBe(200);
    await service.revokeKey(keyId);
    const elsewhere = async () => (await ask('/v1/account', withKey(key), {}, nextAddress())).status;
    await expect.poll(elsewhere, { interval: 500 }).toBe(401);
    for (let i = 0; i < 5; i++) expect((await ask('/v1/account', withKey(key))).status).toBe(401);
    expect((await ask('/v1/account', withKey(key))).status).toBe(429);
  });

  test('do not hold up a valid key of the same address', async () => {
    const { key } = await service.makeAccount('1');
    expect((await ask('/v1/account', withKey(key))).status).toBe(200);
    await exhaust();
    for (let i = 0; i < 30; i++) expect((await ask('/v1/account', withKey(key))).status).toBe(200);
    expect((await ask('/v1/account')).status).toBe(429);
  });

  test('do not shut out a valid key that this process has not seen yet', async () => {
    const { key } = await service.makeAccount('1');
    await exhaust();
    expect((await ask('/v1/account')).status).toBe(429);
    expect((await ask('/v1/account', withKey(key))).status).toBe(200);
    for (let i = 0; i < 10; i++) expect((await ask('/v1/account', withKey(key))).status).toBe(200);
  });

  test('are not all of those: new valid keys cost the limit nothing', async () => {
    for (let i = 0; i < 10; i++) {
      const { key } = await service.makeAccount('1');
      expect((await ask('/v1/account', withKey(key))).status).toBe(200);
    }
    await exhaust();
  });

  test('may ask for OPTIONS, /healthz and /metrics at any time', async () => {
    await exhaust();
    for (let i = 0; i < 10; i++) {
      expect((await ask('/v1/account', {}, { method: 'OPTIONS' })).status).toBe(405);
      expect((await ask('/healthz')).status).toBe(200);
      expect((await fetch(`${service.origin}/metrics`)).status).toBe(200);
    }
    expect((await ask('/v1/account')).status).toBe(429);
  });

  test('are refused before their body is read', async () => {
    await exhaust();
    const head = `POST /graphql HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\n`;
    const { answers } = await exchange(service.origin, `${head}Content-Length: 1000\r\n\r\n{`);
    expect(answers[0]?.status).toBe(429);
  });

  test('of one IPv6 network are one client, of two networks two', async () => {
    await exhaust('2001:db8:1:2::1');
    expect((await ask('/v1/account', {}, {}, '2001:db8:1:2:ffff::7')).status).toBe(429);
    expect((await ask('/v1/account', {}, {}, '2001:db8:1:3::1')).status).toBe(401);
  });

  test('of an IPv4 address written as IPv6, or with a port, are of that address', async () => {
    await exhaust();
    for (const same of [`::ffff:${address}`, `${address}:4711`, `[::ffff:${address}]:80`]) {
      expect((await ask('/v1/account', {}, {}, same)).status, same).toBe(429);
    }
  });

  test('are counted by the last address that is not a trusted proxy, not by addresses that the client sends', async () => {
    await exhaust();
    const forged = [`203.0.113.9, ${address}`, `, ${address}`, `nonsense, ${address}`];
    for (const forwarded of [...forged, `1.1.1.1, ${address}, 127.0.0.2, 2001:db8:ffff::1`])
      expect((await ask('/v1/account', {}, {}, forwarded)).status, forwarded).toBe(429);
  });
});

describe('UNAUTHENTICATED_RATE_LIMIT and TRUSTED_PROXIES', () => {
  test('no proxy is trusted by default: X-Forwarded-For is ignored', async () => {
    service = withoutProxies;
    await exhaust('198.51.100.1');
    expect((await ask('/v1/account', {}, {}, '198.51.100.2')).status).toBe(429);
  });

  test('0 is no limit', async () => {
    service = unlimited;
    for (let i = 0; i < 50; i++) expect((await ask('/v1/account')).status).toBe(401);
  });
});
