import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { ProxyPool } from '../../../src/outbound/proxy-pool.ts';
import { XPlatform } from '../../../src/platform/x/adapter.ts';
import { PosternError } from '../../../src/shared/errors/postern-error.ts';
import { systemRuntime as runtime } from '../../../src/shared/runtime/runtime.ts';
import { Secret } from '../../../src/shared/secrets/secret.ts';
import { atEnd } from '../../support/at-end.ts';
import { originOf } from '../../support/listen.ts';

const token = { token_type: 'Bearer', access_token: 'a', expires_in: 7_200, refresh_token: 'r', scope: 'users.read' };

/** The sign-in of an adapter whose platform gives one answer. */
async function signInOf(answer: { status?: number; headers?: Record<string, string>; body: unknown }, secret?: string) {
  const received: { path: string; authorization: string | undefined; form: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)));
    received.push({ path: request.url ?? '', authorization: request.headers.authorization, form });
    response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
  });
  const proxies = new ProxyPool({
    ...{ runtime, maxResponseBytes: 1_024, timeoutMs: 1_000 },
    guard: new OutboundGuard({ allow: [], runtime }),
  });
  const platform = new XPlatform({
    ...{ origin: await originOf(server), runtime, proxies, timeoutMs: 5_000, identifiers: null, appToken: null },
    app: { clientId: 'an app', clientSecret: secret === undefined ? null : new Secret(secret) },
    onCreditExhausted: () => {},
  });
  atEnd(async () => {
    await platform.close();
    await proxies.close();
  });
  if (!platform.signIn) throw new Error('no sign-in');
  return { signIn: platform.signIn, received };
}

test('X sign-in: sends client_id in the form of a public client, and Basic for a confidential one', async () => {
  const open = await signInOf({ body: token });
  const tokens = await open.signIn.refresh(new Secret('old'));
  expect([tokens.access.expose(), tokens.refresh?.expose(), tokens.expiresInSeconds, tokens.scopes]).toEqual([
    ...['a', 'r', 7_200],
    ['users.read'],
  ]);
  const form = { grant_type: 'refresh_token', refresh_token: 'old' };
  expect(open.received).toEqual([
    { path: '/2/oauth2/token', authorization: undefined, form: { ...form, client_id: 'an app' } },
  ]);
  const closed = await signInOf({ body: token }, 's:cret');
  await closed.signIn.refresh(new Secret('old'));
  await closed.signIn.revoke(new Secret('old'));
  const authorization = `Basic ${Buffer.from('an%20app:s%3Acret').toString('base64')}`;
  expect(closed.received).toEqual([
    { path: '/2/oauth2/token', authorization, form },
    { path: '/2/oauth2/revoke', authorization, form: { token: 'old' } },
  ]);
});

test.each([
  ['a used token', { status: 400, body: { error: 'invalid_request' } }, 'auth_token_rejected'],
  ['an unknown code', { status: 400, body: { error: 'invalid_grant' } }, 'auth_token_rejected'],
  ['another app', { status: 401, body: { error: 'unauthorized_client' } }, 'platform_app_refused'],
  ['a rate limit', { status: 429, body: {} }, 'platform_rate_limit'],
  ['a failure', { status: 503, body: '<html>' }, 'platform_failed'],
  ['a page of a gateway', { status: 403, body: '<html>' }, 'platform_unreadable'],
  ['a redirect', { status: 302, headers: { location: '/' }, body: {} }, 'platform_unreadable'],
  ['no token', { body: { ...token, access_token: undefined } }, 'platform_unreadable'],
  ['a token with a line break', { body: { ...token, access_token: 'a\r\nb' } }, 'platform_unreadable'],
  ['another type of token', { body: { ...token, token_type: 'mac' } }, 'platform_unreadable'],
  ['a lifetime below zero', { body: { ...token, expires_in: -1 } }, 'platform_unreadable'],
  ['a body that is too large', { body: { ...token, more: 'x'.repeat(100_000) } }, 'platform_unreadable'],
])('X sign-in: maps %s to its reason', async (_name, answer, reason) => {
  const { signIn, received } = await signInOf(answer);
  const failed = await signIn.refresh(new Secret('old')).catch((error) => error);
  expect(failed instanceof PosternError && failed.reason).toBe(reason);
  expect(received).toHaveLength(1);
});

test('X sign-in: applies the defaults of X to a response without refresh token, lifetime and scopes', async () => {
  const { signIn } = await signInOf({ body: { token_type: 'bearer', access_token: 'a' } });
  const answer = { code: 'c', verifier: new Secret('v'), redirectUri: 'http://127.0.0.1/connect/callback' };
  expect(await signIn.exchange(answer)).toMatchObject({ refresh: null, expiresInSeconds: 7_200, scopes: [] });
});
