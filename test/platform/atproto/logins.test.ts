import { describe, expect, test } from 'vitest';
import { systemRuntime } from '../../../src/shared/runtime/runtime.ts';
import { patientRuntime } from '../../support/patient-runtime.ts';
import { startReceiver } from '../../support/receiver.ts';
import { expectRefusal } from '../../support/refusal.ts';
import {
  did,
  documentOf,
  json,
  listen,
  loopback,
  profile,
  type Respond,
  sessionWith,
  start,
  tokenOf,
} from './fake-servers.ts';

describe('a login on the AT Protocol', () => {
  test('renews an access token that is about to expire, or that the server refuses, and does so once', async () => {
    const { pds, logins, client } = await start(loopback);
    const refresh = tokenOf(86_400, 'refresh');
    const made = sessionWith(tokenOf(3_600, 'second'), tokenOf(86_400, 'third'));
    logins.routes['com.atproto.server.createSession'] = json(sessionWith(tokenOf(30), refresh));
    pds.routes['com.atproto.server.refreshSession'] = json(made);
    expect((await client.get('/user/me')).status).toBe(200);
    const answers = await Promise.all(Array.from({ length: 4 }, () => client.get('/user/me')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refreshes = () => pds.seen.filter(({ path }) => path === 'com.atproto.server.refreshSession');
    expect(refreshes()).toHaveLength(1);
    expect(refreshes()[0]?.authorization).toBe(`Bearer ${refresh}`);
    expect(pds.seen.at(-1)?.authorization).toBe(`Bearer ${made.accessJwt}`);
    const refused = made.accessJwt;
    pds.routes['com.atproto.server.refreshSession'] = json({ ...made, accessJwt: tokenOf(7_200, 'fourth') });
    pds.routes['app.bsky.actor.getProfile'] = (request, response) =>
      (request.headers.authorization === `Bearer ${refused}` ? json({ error: 'ExpiredToken' }, 400) : json(profile))(
        request,
        response,
      );
    expect((await client.get('/user/me')).status).toBe(200);
    expect(refreshes()).toHaveLength(2);
  });

  test.each([
    ['AuthenticationRequired', 'Platform rejected auth_token'],
    ['AccountTakedown', 'The account is suspended or deactivated'],
  ])('is tried only once after the refusal %s', async (error, message) => {
    const { logins, client } = await start(loopback);
    logins.routes['com.atproto.server.createSession'] = json({ error }, 401);
    for (let times = 0; times < 3; times += 1) expectRefusal(await client.get('/user/me'), 403, message);
    expect(logins.seen).toHaveLength(1);
  });

  test('leaves nothing in the store for longer than ten minutes after a refused password', async () => {
    const { logins, client, ttls } = await start(loopback);
    logins.routes['com.atproto.server.createSession'] = json({ error: 'AuthenticationRequired' }, 401);
    expectRefusal(await client.get('/user/me'), 403, 'Platform rejected auth_token');
    expect(ttls.length).toBeGreaterThan(0);
    expect(Math.max(...ttls)).toBeLessThanOrEqual(600_000);
  });

  test('is not tried again before the time that the rate limit names', async () => {
    const { logins, client } = await start(loopback);
    logins.routes['com.atproto.server.createSession'] = json({ error: 'RateLimitExceeded' }, 429, {
      'retry-after': '300',
    });
    for (let times = 0; times < 3; times += 1) {
      const answer = await client.get('/user/me');
      expectRefusal(answer, 429, /^The platform's rate limit: /);
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(200);
    }
    expect(logins.seen).toHaveLength(1);
  });

  test('is not repeated if only the directory of the accounts failed', async () => {
    const { pds, logins, plc, client } = await start(loopback);
    plc.routes[`/${did}`] = json({}, 500);
    expectRefusal(await client.get('/user/me'), 502);
    plc.routes[`/${did}`] = documentOf(pds.url);
    expect((await client.get('/user/me')).status).toBe(200);
    expect(logins.seen).toHaveLength(1);
  });

  test('marks a webhook whose password is refused, and its account is polled again after a new one', async () => {
    const { pds, logins, client } = await start({ ...loopback, ALLOW_LOCALHOST_WEBHOOKS: '1' });
    const receiver = await startReceiver();
    const method = 'app.bsky.notification.listNotifications';
    pds.routes[method] = json({ notifications: [] });
    const { url, secret } = receiver;
    const { id } = (await client.post('/webhooks', { url, secret })).body.data;
    const lastError = async () => (await client.get(`/webhooks/${id}`)).body.data['last_error'];
    expect(await lastError()).toBeNull();
    const expired = json({ error: 'ExpiredToken' }, 400);
    Object.assign(pds.routes, { [method]: expired, 'com.atproto.server.refreshSession': expired });
    const logIn = logins.routes['com.atproto.server.createSession'];
    logins.routes['com.atproto.server.createSession'] = json({ error: 'AuthenticationRequired' }, 401);
    await expect.poll(lastError).toMatch(/Platform rejected auth_token/);
    const sent = logins.seen.length;
    Object.assign(pds.routes, { [method]: json({ notifications: [] }) });
    Object.assign(logins.routes, { 'com.atproto.server.createSession': logIn });
    const polls = pds.seen.length;
    const renewed = await client.with({ authToken: 'alice.test:new-word' }).write('PUT', `/webhooks/${id}`);
    expect(renewed.body.data['last_error']).toBeNull();
    await expect.poll(() => pds.seen.length).toBeGreaterThan(polls + 1);
    expect(logins.seen).toHaveLength(sent + 1);
  });

  test('uses the app password of a connection, which ends with it', async () => {
    const { logins, client, store, log } = await start(loopback);
    const owner = client.with({ authToken: '' });
    const credentials = { identifier: 'alice.test', app_password: 'pass-word' };
    const made = await owner.post('/connections', credentials);
    expect(made.body.data).toMatchObject({ status: 'active', authorize_url: null });
    const id = String(made.body.data['id']);
    const user = client.with({ authToken: id });
    expect((await user.get('/user/me')).body.data).toMatchObject({ userName: 'alice.test' });
    expect(logins.seen).toHaveLength(1);
    const detail = async (of: string) => (await owner.get(`/connections/${of}`)).body.data;
    expect(await detail(id)).toMatchObject({ status: 'active', user: { userName: 'alice.test' }, expires_at: null });
    const said = [
      made.body,
      await detail(id),
      (await owner.get('/account/audit')).body,
      log,
      await store.connections.find(id),
    ];
    expect(JSON.stringify(said)).toContain(id);
    expect(JSON.stringify(said)).not.toContain('pass-word');
    logins.routes['com.atproto.server.createSession'] = json({ error: 'AuthenticationRequired' }, 401);
    expectRefusal(await owner.post('/connections', { ...credentials, app_password: 'wrong' }), 403);
    expectRefusal(await owner.post('/connections'), 501, /app_password/);
    expectRefusal(await owner.post(`/connections/${id}/reconnect`), 501);
    expect((await owner.write('DELETE', `/connections/${id}`)).status).toBe(200);
    expectRefusal(await user.get('/user/me'), 404);
  });

  test('marks a connection as revoked whose app password is refused', async () => {
    const { pds, logins, client } = await start(loopback);
    const owner = client.with({ authToken: '' });
    const made = await owner.post('/connections', { identifier: 'alice.test', app_password: 'pass-word' });
    const id = String(made.body.data['id']);
    const expired = json({ error: 'ExpiredToken' }, 400);
    Object.assign(pds.routes, { 'app.bsky.actor.getProfile': expired, 'com.atproto.server.refreshSession': expired });
    logins.routes['com.atproto.server.createSession'] = json({ error: 'AuthenticationRequired' }, 401);
    expectRefusal(await client.with({ authToken: id }).get('/user/me'), 403, /withdrew the consent/);
    expect((await owner.get(`/connections/${id}`)).body.data['status']).toBe('revoked');
  });

  test('stops waiting for the login of another call when its caller disconnects', async () => {
    const { logins, client, storeReads } = await start({ ...loopback, PLATFORM_TIMEOUT_MS: '60000' });
    let logIn = () => {};
    logins.routes['com.atproto.server.createSession'] = (request, response) => {
      logIn = () => json(sessionWith(tokenOf(3_600)))(request, response);
    };
    const first = client.get('/user/me');
    await expect.poll(() => logins.seen.length).toBe(1);
    const { baseUrl, key, authToken = '' } = client.options;
    const waiting = new AbortController();
    const second = fetch(`${baseUrl}/user/me`, {
      headers: { authorization: `Bearer ${key}`, 'x-auth-token': authToken },
      signal: waiting.signal,
    });
    await expect.poll(storeReads).toBeGreaterThan(2);
    waiting.abort();
    await expect(second).rejects.toThrow();
    let before: number;
    do {
      before = storeReads();
      await new Promise((resolve) => setTimeout(resolve, 500));
    } while (storeReads() > before);
    expect(logins.seen).toHaveLength(1);
    logIn();
    expect((await first).status).toBe(200);
  });
});

describe('an account that moved to another server', () => {
  const unavailable: [string, Respond][] = [
    ['closes connections', ({ socket }) => void socket.destroy()],
    ['has deactivated the account', json({ error: 'AccountDeactivated' }, 401)],
    ['does not know the tokens', json({ error: 'InvalidToken' }, 400)],
  ];

  /** A gateway whose clock can be advanced, so that the DID document is read again. */
  async function startLater() {
    let laterMs = 0;
    const runtime = { ...patientRuntime, now: () => systemRuntime.now() + laterMs };
    const servers = await start(loopback, runtime);
    const advance = (ms: number) => {
      laterMs += ms;
    };
    return { ...servers, advance };
  }

  test.each(unavailable)('is served there, also if the old server %s', async (_name, respond) => {
    const { pds, logins, plc, client, advance } = await startLater();
    expect((await client.get('/user/me')).status).toBe(200);
    const home = await listen({ 'app.bsky.actor.getProfile': json({ ...profile, displayName: 'At home' }) });
    plc.routes[`/${did}`] = documentOf(home.url);
    pds.routes['app.bsky.actor.getProfile'] = respond;
    pds.routes['com.atproto.server.refreshSession'] = respond;
    const accessJwt = tokenOf(3_600, 'new');
    logins.routes['com.atproto.server.createSession'] = json(sessionWith(accessJwt));
    advance(6 * 60_000);
    for (let times = 0; times < 2; times += 1) {
      expect((await client.get('/user/me')).body.data).toMatchObject({ name: 'At home' });
    }
    expect(logins.seen).toHaveLength(2);
    expect(home.seen.every(({ authorization }) => authorization === `Bearer ${accessJwt}`)).toBe(true);
  });

  test('is looked up once, and not for every failed call', async () => {
    const { pds, logins, plc, client, advance } = await startLater();
    expect((await client.get('/user/me')).status).toBe(200);
    pds.routes['app.bsky.actor.getProfile'] = ({ socket }) => void socket.destroy();
    advance(60_000);
    for (let times = 0; times < 3; times += 1) expectRefusal(await client.get('/user/me'), 502, /cannot be reached/);
    expect(plc.seen).toHaveLength(2);
    expect(logins.seen).toHaveLength(1);
  });
});
