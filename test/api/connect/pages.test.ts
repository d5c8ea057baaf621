import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterAll, describe, expect, test } from 'vitest';
import { connectPages } from '../../../src/api/connect/connect-pages.ts';
import { errorHandler } from '../../../src/api/server/http-errors.ts';
import type { SignInFlow, SignInOffer, SignInResult } from '../../../src/connections/sign-in.ts';
import { type RefusedStep, type SignInRefusal, signInRefusals } from '../../../src/connections/sign-in-refusals.ts';
import { makeLogger } from '../../../src/shared/observability/logger.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';

const connection = '5f0c2b7d9e8a4c6b1d3f7a';
const id = `conn_${connection}`;
const code = `${connection}-0123456789abcdefghijABCDEFGHIJ01`;
const cookie = `postern_connect_${connection}=nonce`;
const refusals = Object.keys(signInRefusals) as SignInRefusal[];
const hostile = '<script>alert("x")</script>';

/** The calls that the pages made, and the results of the next ones. */
const called: unknown[] = [];
let offer: SignInOffer;
let refusal: RefusedStep | null;
let result: SignInResult;
let publicUrl: string | null = null;
const signIn: Pick<SignInFlow, 'offer' | 'begin' | 'finish'> = {
  offer: async (given) => {
    called.push(given);
    return refusal ?? offer;
  },
  begin: async (...given) => {
    called.push(given);
    return (
      refusal ?? { authorizeUrl: 'https://x.example/authorize?state=s', cookie: new Secret('nonce'), seconds: 600 }
    );
  },
  finish: async (answer) => {
    called.push(answer);
    return result;
  },
};

const app = express().set('query parser', 'simple');
app.use(
  connectPages({ signIn, publicUrl: () => publicUrl }),
  errorHandler(makeLogger({ level: 'silent', format: 'json' })),
);
const server = createServer(app);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => new Promise((resolve) => server.close(resolve)));
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function send(
  path: string,
  { headers = {}, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {},
) {
  const response = await fetch(origin + path, {
    redirect: 'manual',
    headers: { accept: 'text/html', ...headers },
    ...init,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const begin = (headers: Record<string, string> = { origin }, init: Omit<RequestInit, 'headers'> = {}) =>
  send(`/connect/${code}`, { method: 'POST', headers, ...init });

function reset() {
  called.length = 0;
  offer = { accountName: hostile, scopes: ['tweet.read', hostile], host: 'x.example', userName: null };
  refusal = null;
  result = { outcome: 'active', id, userName: 'ada', returnTo: null };
  publicUrl = null;
}

describe('one-time code page', () => {
  test('shows the account and the scopes without scripts, and allows a form redirect to the platform', async () => {
    reset();
    const { status, headers, text } = await send(`/connect/${code}`);
    expect([status, called]).toEqual([200, [code]]);
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toContain('<script');
    expect(text).toContain('<li>See posts, also those of protected accounts that you may see</li>');
    expect(text).toContain('Continue to x.example');
    expect(text).not.toContain(code);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /default-src 'none'.*script-src 'none'.*form-action 'self' https: http:; frame-ancestors 'none'/,
    );
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('set-cookie')).toBeNull();
  });

  test('names the user who must sign in again', async () => {
    reset();
    offer.userName = 'ada';
    expect((await send(`/connect/${code}`)).text).toContain('Sign in again as @ada');
  });

  test('sets a cookie for its connection and redirects to the platform with 303', async () => {
    reset();
    const { status, headers, text } = await begin({ origin, cookie: `other=1; ${cookie}` });
    expect([status, headers.get('location'), text]).toEqual([303, 'https://x.example/authorize?state=s', '']);
    expect(headers.get('set-cookie')).toMatch(
      new RegExp(`^${cookie}; Max-Age=600; Path=/; Expires=[^;]+; HttpOnly; SameSite=Lax$`),
    );
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(called).toEqual([[code, 'nonce']]);
    publicUrl = 'https://gateway.example/postern';
    const secure = await begin({ origin, cookie: `__Host-${cookie}` });
    expect(secure.headers.get('set-cookie')).toMatch(new RegExp(`^__Host-${cookie};.* Path=/;.*; Secure`));
    expect(called.at(-1)).toEqual([code, 'nonce']);
  });

  test.each([
    ['no origin', {}],
    ['another origin', { origin: 'https://evil.example' }],
    ['a hidden origin', { origin: 'null' }],
    ['another site', { origin, 'sec-fetch-site': 'cross-site' }],
    ['a sibling domain', { origin, 'sec-fetch-site': 'same-site' }],
  ])('refuses a form with %s with 403', async (_name, headers) => {
    reset();
    expect((await begin(headers)).status).toBe(403);
    expect(called).toEqual([]);
  });

  test('accepts its form behind a proxy that changes the name of the host', async () => {
    reset();
    publicUrl = 'https://gateway.example';
    expect((await begin({ origin: publicUrl })).status).toBe(303);
    expect((await begin({ origin: publicUrl, 'sec-fetch-site': 'same-origin' })).status).toBe(303);
  });

  test('refuses a large body with 413, and other methods with 405', async () => {
    reset();
    expect((await begin({ origin }, { body: 'x'.repeat(2_000) })).status).toBe(413);
    for (const method of ['PUT', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await send(`/connect/${code}`, { method });
      expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
    }
    expect(called).toEqual([]);
  });
});

describe('callback page', () => {
  test('passes on the response with the cookie of its connection, and shows that the window can be closed', async () => {
    reset();
    const { status, text, headers } = await send(`/connect/callback?state=${connection}.s&code=c`, {
      headers: { cookie: `postern_connect_other=2; ${cookie}` },
    });
    expect(status).toBe(200);
    expect(text).toContain('Connected as @ada');
    expect(text).toContain('You can close this window');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('set-cookie')).toMatch(
      new RegExp(`^postern_connect_${connection}=; Path=/; Expires=Thu, 01 Jan 1970`),
    );
    expect(called).toEqual([{ state: `${connection}.s`, code: 'c', error: null, cookie: 'nonce' }]);
  });

  test.each([
    ['repeated', '?state=a.b&state=c.d&code=1&code=2&error=x&error=y'],
    ['missing', ''],
  ])('passes on %s parameters as missing', async (_name, query) => {
    reset();
    await send(`/connect/callback${query}`, { headers: { cookie } });
    expect(called).toEqual([{ state: '', code: null, error: null, cookie: null }]);
  });

  test.each([
    ['active', { outcome: 'active', userName: 'ada' }],
    ['failed', { outcome: 'failed', refusal: 'denied', message: 'No' }],
  ] as const)('redirects to return_to with status %s', async (status, outcome) => {
    reset();
    result = { ...outcome, id, returnTo: 'https://app.example/back?status=own&a=1#part' };
    const answer = await send('/connect/callback?state=s&code=c');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(`https://app.example/back?status=${status}&a=1&connection=${id}#part`);
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  test('refuses other methods than GET with 405, because HEAD would use up the code', async () => {
    reset();
    for (const method of ['HEAD', 'POST', 'OPTIONS']) {
      const { status, headers } = await send('/connect/callback?state=s&code=c', { method });
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET']);
    }
    expect(called).toEqual([]);
  });
});

describe.each(refusals)('refusal %s', (reason) => {
  test('shows its status and the escaped message on each step', async () => {
    reset();
    refusal = { refusal: reason, message: hostile };
    result = { outcome: 'failed', id: null, refusal: reason, message: hostile, returnTo: null };
    const pages = [await send(`/connect/${code}`), await begin(), await send('/connect/callback?state=s&code=c')];
    for (const { status, headers, text } of pages) {
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).toMatch(/<h1>[^<]+<\/h1>\n<p>&lt;script&gt;.*<\/p>\n/);
      expect(text).not.toContain('<script');
      expect(headers.get('content-security-policy')).toContain("form-action 'none'");
      expect(headers.get('cache-control')).toBe('no-store');
    }
  });
});
