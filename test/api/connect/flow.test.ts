import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AdjustableRuntime } from '../../support/adjustable-runtime.ts';
import { Client } from '../../support/client.ts';
import { expectRefusal } from '../../support/refusal.ts';
import { consent } from '../../support/sandbox-sign-in.ts';
import { startService } from '../../support/service.ts';
import { useService } from '../../support/use-service.ts';

const runtime = new AdjustableRuntime();
const { service, ada, graphql, newCaller } = await useService(
  { CORS_ORIGINS: 'https://app.example', UNAUTHENTICATED_RATE_LIMIT: '0' },
  { runtime },
);
const owner = ada.with({ authToken: '' });
/** All secrets of all sign-ins. */
const secrets = new Set<string>();

interface Started {
  id: string;
  status: string;
  authorize_url: string;
}

async function start(body: Record<string, unknown> = {}, path = '/connections', by: Client = owner): Promise<Started> {
  const { status, body: answer } = await by.post(path, body);
  expect(status, answer.error ?? '').toBe(200);
  return answer.data as unknown as Started;
}

async function visit(url: string | URL, { method = 'GET', cookie = '' } = {}) {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { accept: 'text/html', origin: service.origin, ...(cookie && { cookie }) },
  });
  const [title = ''] = /(?<=<h1>)[^<]*/.exec(await response.text()) ?? [];
  return {
    status: response.status,
    title,
    headers: response.headers,
    location: response.headers.get('location') ?? '',
  };
}

/** Presses the button of the page. Returns the address at the platform, and the cookie. */
async function press(url: string) {
  const { status, location, headers } = await visit(url, { method: 'POST' });
  const [cookie = ''] = headers.get('set-cookie')?.split(';') ?? [];
  expect([status, cookie.startsWith('postern_connect_')]).toEqual([303, true]);
  for (const secret of [url.split('/').at(-1), cookie.split('=')[1], new URL(location).searchParams.get('state')])
    secrets.add(secret ?? '');
  return { location, cookie };
}

/** Does everything of a sign-in but the return to the gateway. */
async function signIn(url: string, user = 'ada', decision: 'allow' | 'deny' = 'allow') {
  const { location, cookie } = await press(url);
  const callback = await consent(location, user, decision);
  const code = callback.searchParams.get('code');
  if (code !== null) secrets.add(code);
  return { callback, cookie };
}

async function connect(url: string, ...rest: [user?: string, decision?: 'allow' | 'deny']) {
  const { callback, cookie } = await signIn(url, ...rest);
  return visit(callback, { cookie });
}

const detail = async (id: string) => (await owner.get(`/connections/${id}`)).body.data;

describe('sign-in at the sandbox', () => {
  test('connects a user for the owning account, and refuses the id to others with 404', async () => {
    const { id, status, authorize_url: url } = await start();
    expect([status, url.startsWith(`${service.origin}/connect/`)]).toEqual(['pending', true]);
    expectRefusal(await owner.with({ authToken: id }).get('/user/me'), 409);
    expect((await visit(url)).title).toMatch(/^Connect your account at 127\.0\.0\.1/);
    expect(await connect(url)).toMatchObject({ status: 200, title: 'Connected as @ada' });
    const found = await detail(id);
    expect(found).toMatchObject({ status: 'active', user: { userName: 'ada' }, error: null });
    expect(found['scopes']).not.toContain('dm.read');
    expect((await owner.with({ authToken: id }).get('/user/me')).body.data).toMatchObject({ userName: 'ada' });
    const { client: stranger } = await newCaller();
    expectRefusal(await stranger.with({ authToken: id }).get('/user/me'), 404, /^Connection not found/);
    expect((await owner.write('DELETE', `/connections/${id}`)).body.data).toEqual({ id, deleted: true });
    expectRefusal(await owner.with({ authToken: id }).get('/user/me'), 404);
  });

  test('redirects to return_to with the connection and the status', async () => {
    for (const [decision, status] of [
      ['allow', 'active'],
      ['deny', 'failed'],
    ] as const) {
      const { id, authorize_url: url } = await start({ return_to: 'https://app.example/back?a=1' });
      const { status: code, location } = await connect(url, 'ada', decision);
      expect([code, location]).toEqual([303, `https://app.example/back?a=1&connection=${id}&status=${status}`]);
    }
  });

  test('shows 403 and sets failed after a denial, and a reconnect repairs it', async () => {
    const { id, authorize_url: url } = await start();
    expect(await connect(url, 'ada', 'deny')).toMatchObject({ status: 403, title: 'Access was not allowed' });
    expect(await detail(id)).toMatchObject({ status: 'failed', user: null, error: expect.stringContaining('denied') });
    const again = await start({}, `/connections/${id}/reconnect`);
    expect(again).toMatchObject({ id, status: 'pending' });
    expect((await connect(again.authorize_url)).status).toBe(200);
    expect(await detail(id)).toMatchObject({ status: 'active', error: null });
  });

  test('refuses a used callback and link with 409', async () => {
    const { id, authorize_url: url } = await start();
    const { callback, cookie } = await signIn(url);
    expect((await visit(callback, { cookie })).status).toBe(200);
    for (const again of [callback, url]) expect((await visit(again, { cookie })).status).toBe(409);
    expect((await visit(url, { method: 'POST', cookie })).status).toBe(409);
    expect(await detail(id)).toMatchObject({ status: 'active', error: null });
  });

  test('refuses a callback from another browser with 403', async () => {
    const { id, authorize_url: url } = await start();
    const { callback, cookie } = await signIn(url);
    const { cookie: foreign } = await signIn((await start()).authorize_url);
    const forged = `${cookie.split('=')[0]}=${foreign.split('=')[1]}`;
    for (const other of ['', foreign, forged]) expect((await visit(callback, { cookie: other })).status).toBe(403);
    expect((await visit(url, { method: 'POST' })).status).toBe(409);
    expect(await detail(id)).toMatchObject({ status: 'pending' });
    expect((await visit(callback, { cookie })).status).toBe(200);
  });

  test('refuses the code of another sign-in with 502, and forged states', async () => {
    const [one, other] = [await start(), await start()];
    const [ofOne, ofOther] = [await signIn(one.authorize_url), await signIn(other.authorize_url, 'grace')];
    const cookie = `${ofOne.cookie}; ${ofOther.cookie}`;
    const injected = new URL(ofOne.callback);
    injected.searchParams.set('code', ofOther.callback.searchParams.get('code') ?? '');
    expect((await visit(injected, { cookie })).status).toBe(502);
    expect(await detail(one.id)).toMatchObject({ status: 'failed', user: null });
    const state = ofOther.callback.searchParams.get('state') ?? '';
    for (const wrong of ['', 'x', state.slice(0, -1), state.replace(/^\w+/, one.id.slice(5)), `${state}0`]) {
      const forged = new URL(ofOther.callback);
      forged.searchParams.set('state', wrong);
      expect((await visit(forged, { cookie })).status).toBeGreaterThanOrEqual(404);
    }
  });

  test('refuses another user on reconnect with 409, and keeps the old login', async () => {
    const { id, authorize_url: url } = await start();
    await connect(url);
    const again = await start({}, `/connections/${id}/reconnect`);
    expect(again.status).toBe('active');
    expect((await visit(again.authorize_url)).title).toBe('Sign in again as @ada');
    expect(await connect(again.authorize_url, 'grace')).toMatchObject({ status: 409, title: 'This is another user' });
    expect(await detail(id)).toMatchObject({ status: 'active', user: { userName: 'ada' }, error: expect.any(String) });
    expect((await owner.with({ authToken: id }).get('/user/me')).body.data).toMatchObject({ userName: 'ada' });
  });

  test('refuses each step after 10 minutes with 410', async () => {
    const [unread, begun] = [await start(), await start()];
    const { callback, cookie } = await signIn(begun.authorize_url);
    runtime.leap(10 * 60_000);
    for (const [url, method] of [
      [unread.authorize_url, 'GET'],
      [unread.authorize_url, 'POST'],
      [callback, 'GET'],
    ] as const)
      expect(await visit(url, { method, cookie })).toMatchObject({ status: 410, title: 'The link has expired' });
    for (const { id } of [unread, begun]) expect(await detail(id)).toMatchObject({ status: 'failed', user: null });
  });

  test.each([
    'x',
    `${'0'.repeat(22)}-${'0'.repeat(32)}`,
    `${'0'.repeat(22)}-${'0'.repeat(5_000)}`,
    '..%2fcallback',
    '%00',
  ])('refuses an unknown code with 404: %s', async (code) => {
    for (const method of ['GET', 'POST'])
      expect((await visit(`${service.origin}/connect/${code}`, { method })).status).toBe(404);
  });

  test('writes no secret to the log, and none unencrypted to the store', async () => {
    expect(secrets.size).toBeGreaterThan(20);
    const files = readdirSync(service.dataDir).filter((name) => name.startsWith('postern.sqlite'));
    const stored = files.map((name) => readFileSync(join(service.dataDir, name), 'latin1')).join('');
    expect(stored).toContain('conn_');
    const log = service.log.join('\n');
    // A link contains the id of its connection before its secret.
    for (const secret of secrets) {
      expect(log.includes(secret), secret).toBe(false);
      expect(stored.includes(secret.replace(/^\w{22}[-.]/, '')), secret).toBe(false);
    }
  });
});

describe('return_to', () => {
  test.each([
    ...['https://evil.example/', '//evil.example', '/local', 'javascript:alert(1)', 'data:text/html,x', 'app.example'],
    ...['https://app.example.evil.example/', 'https://app.example@evil.example/', 'https://user:pw@app.example/'],
    ...['http://app.example/', 'https://app.example:8443/', 'https:app.example', 'https:\\\\evil.example', ''],
    ...[`https://app.example/${'x'.repeat(2_000)}`, 'https://app.example\t.evil.example/', 'null'],
  ])('refuses pages of other origins with 400: %s', async (returnTo) => {
    expectRefusal(await owner.post('/connections', { return_to: returnTo }), 400, /return_to/);
  });

  test('accepts pages of CORS_ORIGINS and of the gateway', async () => {
    for (const returnTo of ['https://app.example', 'HTTPS://APP.EXAMPLE/x', `${service.origin}/console/accounts`])
      await start({ return_to: returnTo });
  });
});

describe('POST /connections', () => {
  test('requests the named scopes, and refuses unknown ones with 400', async () => {
    const { body } = await owner.get('/capabilities');
    const { scopes, default_scopes: defaults } = body.data['sign_in'] as Record<string, string[]>;
    expect(defaults).toEqual(scopes?.filter((scope) => !scope.startsWith('dm.')));
    const { id } = await start({ scopes: ['dm.read', 'offline.access'] });
    expect((await detail(id))['scopes']).toEqual(expect.arrayContaining(['dm.read', 'offline.access']));
    expectRefusal(await owner.post('/connections', { scopes: ['everything'] }), 400, /scopes/);
    expectRefusal(await owner.post('/connections', { scopes: [] }), 400, /scopes/);
  });

  test('returns the same link for the same Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'connect-once' };
    const [one, two] = [await owner.post('/connections', {}, headers), await owner.post('/connections', {}, headers)];
    expect(two.body.data).toEqual(one.body.data);
  });

  test.each([
    [{ identifier: 'ada' }, 'Missing required field: app_password'],
    [{ app_password: 'x' }, 'Missing required field: identifier'],
    [{ identifier: 'a', app_password: 'x', scopes: ['tweet.read'] }, /scopes: must not be given/],
    [{ identifier: 'a', app_password: 'x', return_to: 'https://a.example' }, /return_to: must not be given/],
    [{ identifier: 'a b', app_password: 'x' }, /identifier: must be a handle or a DID/],
  ])('refuses an incomplete app password with 400: %j', async (body, error) => {
    expectRefusal(await owner.post('/connections', body), 400, error);
  });

  test('refuses an app password with 501', async () => {
    expectRefusal(await owner.post('/connections', { identifier: 'ada', app_password: 'x' }), 501);
  });

  test('is unsupported in GET /capabilities and refused with 501 on X without X_CLIENT_ID', async () => {
    const env = { PLATFORM_KIND: 'x', PLATFORM_URL: service.demo.sandboxUrl };
    const { origin, makeAccount, stop } = await startService(env, { demo: service.demo });
    onTestFinished(stop);
    const client = new Client({ baseUrl: `${origin}/v1`, key: (await makeAccount('0')).key, authToken: '' });
    const { actions, ...capabilities } = (await client.get('/capabilities')).body.data;
    const supportOf = (name: string) => (actions as Record<string, unknown>[]).find((one) => one['name'] === name);
    expect(capabilities).toMatchObject({ sign_in: null });
    expect(supportOf('connections/create')).toMatchObject({
      supported: false,
      reason: expect.stringContaining('X_CLIENT_ID'),
    });
    expect(supportOf('connections/list')).toMatchObject({ supported: true });
    expectRefusal(await client.post('/connections'), 501, /X_CLIENT_ID/);
  });

  test('succeeds without credit, also over GraphQL', async () => {
    const { client, graphql: poor } = await newCaller('0');
    const { id } = await start({}, '/connections', client.with({ authToken: '' }));
    const { data } = await poor.ask(
      'mutation ($id: String!) { createConnection(input: {}) { status authorizeUrl } reconnectConnection(input: { connectionId: $id }) { connectionId } }',
      { id },
    );
    expect(data).toMatchObject({ createConnection: { status: 'PENDING' }, reconnectConnection: { connectionId: id } });
    const { errors } = await graphql.ask('query ($id: String!) { connection(connectionId: $id) { status } }', { id });
    expect(errors).toMatchObject([{ extensions: { code: 'NOT_FOUND', status: 404 } }]);
  });
});
