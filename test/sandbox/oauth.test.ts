import { createHash } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { operations as reads, writes } from '../../src/platform/x/operations.ts';
import { scopesOf } from '../../src/sandbox/oauth/scopes.ts';
import { operations } from '../../src/sandbox/operations/table.ts';
import { xOperations } from '../../src/sandbox/x/operations.ts';
import { onSqlite } from '../support/on-sqlite.ts';
import { repetitions } from '../support/repetitions.ts';
import { allScopes, consent, signInClient } from '../support/sandbox-sign-in.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { bearer, openSandbox, request } from './harness.ts';
import { kill, startChild } from './killable.ts';

let clock = Date.UTC(2026, 10, 1);
const sandbox = await openSandbox({ now: () => clock });
const client = signInClient(sandbox.url);
const me = (token = '') => sandbox.x('/2/users/me', { ...sandbox.ada, authToken: token });
const stats = async () => (await sandbox.call('GET', '/control/stats')).body.oauth;
const open = (url: string, init: RequestInit = {}) => fetch(url, { redirect: 'manual', ...init });
const refused = ({ status, body }: { status: number; body: Partial<Record<string, string>> }) => [
  status,
  body['error'],
];
const invalid = [400, 'invalid_request'];

describe('consent page', () => {
  test('shows the app, the scopes in plain words and the demo users, without scripts', async () => {
    const response = await open(client.authorizeUrl({ scope: 'tweet.read dm.read offline.access' }));
    const html = await response.text();
    expect(response.status).toBe(200);
    expect(html.match(/<li>[^<]*/g)).toEqual([
      '<li>See posts, also those of protected accounts that you may see',
      '<li>Read your direct messages',
      '<li>Stay signed in until you remove its access',
    ]);
    expect(html.match(/@\w+/g)).toEqual(['@ada', '@grace', '@linus']);
    expect(html).not.toMatch(/<script|\son\w+="|style="/);
    expect(response.headers.get('content-security-policy')).toMatch(/frame-ancestors 'none'/);
    expect(response.headers.get('x-frame-options')).toBe('DENY');
    expect(response.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['an unknown client', { client_id: 'nobody' }],
    ['another path', { redirect_uri: 'http://127.0.0.1:4000/other' }],
    ['another host', { redirect_uri: 'http://evil.example/connect/callback' }],
    ['a host that begins like loopback', { redirect_uri: 'http://127.0.0.1.evil.example/connect/callback' }],
    ['credentials in the address', { redirect_uri: 'http://localhost@evil.example/connect/callback' }],
    ['a port that does not exist', { redirect_uri: 'http://127.0.0.1:99999/connect/callback' }],
    ['a fragment', { redirect_uri: 'http://localhost/connect/callback#x' }],
    ['a script', { redirect_uri: 'javascript:alert(1)//localhost/connect/callback' }],
  ])('refuses %s with 400, without a redirect', async (_name, changes) => {
    const response = await open(client.authorizeUrl(changes));
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('refuses a repeated client_id or redirect_uri', async () => {
    for (const more of ['&client_id=postern-demo', '&redirect_uri=http%3A%2F%2F127.0.0.1%2Fconnect%2Fcallback']) {
      expect((await open(client.authorizeUrl() + more)).status).toBe(400);
    }
  });

  test.each(['127.0.0.1:1', '[::1]:65535', 'localhost'])('redirects to the loopback address %s', async (host) => {
    const redirectUri = `http://${host}/connect/callback`;
    const location = await consent(client.authorizeUrl({ redirect_uri: redirectUri }));
    expect(location.href.startsWith(`${redirectUri}?code=`)).toBe(true);
    const code = location.searchParams.get('code') ?? '';
    expect(refused(await client.exchange(code))).toEqual(invalid);
    expect((await client.exchange(code, { redirect_uri: redirectUri })).status).toBe(200);
  });

  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ scope: '' }, 'invalid_scope'],
    [{ scope: 'tweet.read everything' }, 'invalid_scope'],
    [{ code_challenge: 'short' }, 'invalid_request'],
    [{ code_challenge_method: 'plain' }, 'invalid_request'],
    [{ state: '' }, 'invalid_request'],
    [{ state: 'x'.repeat(501) }, 'invalid_request'],
  ])('refuses %j by a redirect with %s', async (changes, error) => {
    const location = new URL((await open(client.authorizeUrl(changes))).headers.get('location') ?? '');
    const state = 'state' in changes ? null : 'the-state';
    expect([location.searchParams.get('error'), location.searchParams.get('state')]).toEqual([error, state]);
    expect(location.searchParams.has('error_description')).toBe(true);
  });

  test('redirects a denial with a state of 500 characters', async () => {
    const state = '&<"é'.repeat(125);
    const { searchParams } = await consent(client.authorizeUrl({ state }), 'ada', 'deny');
    expect(searchParams.get('error')).toBe('access_denied');
    expect(searchParams.get('state')).toBe(state);
    expect(searchParams.has('code')).toBe(false);
  });

  test('refuses forms of another page or site, and expired forms, with 403', async () => {
    const html = await (await open(client.authorizeUrl())).text();
    const form = /name="request" value="([^"]+)"/.exec(html)?.[1] ?? '';
    const post = (request: string, headers: Record<string, string> = {}) => {
      const body = new URLSearchParams({ request, user: 'ada', decision: 'allow' });
      return open(`${sandbox.url}/i/oauth2/authorize`, { method: 'POST', body, headers });
    };
    const [query = '', ...rest] = form.split('.');
    const changed = Buffer.from(query, 'base64url').toString().replace('tweet.read', 'dm.read');
    const forms = ['', 'x', [Buffer.from(changed).toString('base64url'), ...rest].join('.')];
    for (const text of forms) expect((await post(text)).status).toBe(403);
    const sites = [{ origin: 'http://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }];
    for (const headers of sites) expect((await post(form, headers)).status).toBe(403);
    expect((await post(form, { origin: sandbox.url })).status).toBe(303);
    clock += 600_000;
    expect((await post(form)).status).toBe(403);
  });

  test('refuses a user without credentials with 400', async () => {
    await expect(consent(client.authorizeUrl(), 'tidewater_labs')).rejects.toThrow('no redirect: 400');
  });
});

describe('access token', () => {
  test('authenticates as the user who consented, until its lifetime ends', async () => {
    const tokens = await client.signIn(allScopes, 'grace');
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 7_200, scope: allScopes });
    expect((await me(tokens['access_token'])).body.data.username).toBe('grace');
    clock += 7_200_000;
    expect((await me(tokens['access_token'])).status).toBe(401);
    await sandbox.control('oauth', { access_token_seconds: 5 });
    const short = (await client.refresh(tokens['refresh_token'])).body;
    await sandbox.control('oauth', { access_token_seconds: 7_200 });
    expect([short['expires_in'], (await me(short['access_token'])).status]).toEqual([5, 200]);
    clock += 5_000;
    expect((await me(short['access_token'])).status).toBe(401);
  });

  test('comes with a refresh token only for offline.access, which is refused as access token', async () => {
    const code = await client.code();
    const online = await client.signIn('tweet.read users.read');
    expect(Object.keys(online)).not.toContain('refresh_token');
    const { access_token: access = '', refresh_token: refresh = '' } = await client.signIn();
    for (const token of [code, refresh, `${access}x`, access.replace('.access.', '.refresh.')]) {
      expect((await me(token)).status).toBe(401);
    }
    expect(refused(await client.refresh(access))).toEqual(invalid);
  });

  test('is refused with 403 by operations that need more scopes', async () => {
    const { access_token: authToken = '' } = await client.signIn('tweet.read users.read');
    const as = { ...sandbox.ada, authToken };
    expect((await me(authToken)).status).toBe(200);
    const lacking = await Promise.all([
      sandbox.tweet('May not', as),
      sandbox.set('likes', '1', as),
      sandbox.x(`/2/users/${as.userId}/bookmarks`, as),
      sandbox.x('/2/chat/conversations', as),
      sandbox.x(`/2/users/${as.userId}/public_keys`, as),
    ]);
    expect(lacking.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
    expect(lacking[0].body).toEqual({ title: 'Forbidden', type: 'about:blank', status: 403, detail: 'Forbidden' });
    expect((await sandbox.tweet('By the token of the demo')).status).toBe(201);
  });

  test('needs the scopes that the adapter lists', () => {
    const byId = new Map([...operations, ...xOperations].map((operation) => [operation.id, operation]));
    for (const { name, scopes } of [...Object.values(reads), ...Object.values(writes)]) {
      const served = byId.get(name);
      const needed = served ? scopesOf(served).filter((scope) => !/^(?:tweet|users)\.read$/.test(scope)) : scopes;
      expect([name, needed]).toEqual([name, scopes]);
    }
  });
});

describe('authorization code', () => {
  test('refuses another client, redirect_uri or verifier', async () => {
    await sandbox.control('oauth', { client: { client_id: 'other', redirect_uris: [] } });
    const code = await client.code();
    for (const changes of [
      { client_id: 'other' },
      { redirect_uri: 'http://localhost:4000/connect/callback' },
      { code_verifier: 'x'.repeat(43) },
      { code: `${code}x` },
    ]) {
      expect([changes, ...refused(await client.exchange(code, changes))]).toEqual([changes, ...invalid]);
    }
    expect((await client.exchange(code)).status).toBe(200);
  });

  test('expires after 30 seconds', async () => {
    const [first, second] = [await client.code(), await client.code()];
    clock += 29_999;
    expect((await client.exchange(first)).status).toBe(200);
    clock += 1;
    expect(refused(await client.exchange(second))).toEqual(invalid);
  });

  test('revokes its tokens after a second use', async () => {
    const code = await client.code();
    const { access_token: access, refresh_token: token } = (await client.exchange(code)).body;
    expect((await me(access)).status).toBe(200);
    expect(refused(await client.exchange(code))).toEqual(invalid);
    expect((await me(access)).status).toBe(401);
    expect(refused(await client.refresh(token))).toEqual(invalid);
  });
});

describe('refresh token', () => {
  test('ends the grant after a second use, and counts it with its fingerprint', async () => {
    const before = await stats();
    const { refresh_token: first = '' } = await client.signIn();
    const second = (await client.refresh(first)).body;
    expect(second['refresh_token']).not.toBe(first);
    expect((await me(second['access_token'])).status).toBe(200);
    expect(refused(await client.refresh(first))).toEqual(invalid);
    expect(refused(await client.refresh(second['refresh_token']))).toEqual(invalid);
    expect((await me(second['access_token'])).status).toBe(401);
    const { repeated_refresh_tokens: repeated, ...after } = await stats();
    const gained = Object.keys(after).map((name) => [name, after[name] - before[name]]);
    expect(Object.fromEntries(gained)).toEqual({
      codes_exchanged: 1,
      refused_codes: 0,
      refreshes: 1,
      refused_refreshes: 2,
      reused_refresh_tokens: 1,
      revocations: 0,
    });
    expect(repeated[createHash('sha256').update(first).digest('hex').slice(0, 16)]).toBe(2);
  });

  test('succeeds once for concurrent requests', async () => {
    const [code, { refresh_token: token }] = [await client.code(), await client.signIn()];
    const exchanges = await Promise.all(Array.from({ length: 20 }, () => client.exchange(code)));
    const refreshes = await Promise.all(Array.from({ length: 20 }, () => client.refresh(token)));
    for (const replies of [exchanges, refreshes]) {
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  test('property: no code or refresh token succeeds twice, and a second use ends the grant', async () => {
    const steps = fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 5, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(steps, async (uses) => {
        const known: { token: string; grant: number; isCode: boolean }[] = [];
        for (let grant = 0; grant < 2; grant++) known.push({ token: await client.code(), grant, isCode: true });
        const used = new Set<string>();
        const ended = new Set<number>();
        for (const [place, isLatest] of uses) {
          const next = known.at(isLatest ? -1 : place % known.length);
          if (next === undefined) continue;
          const { token, grant, isCode } = next;
          const { status, body } = await (isCode ? client.exchange(token) : client.refresh(token));
          expect(status).toBe(used.has(token) || ended.has(grant) ? 400 : 200);
          if (status === 200) known.push({ token: body['refresh_token'] ?? '', grant, isCode: false });
          else ended.add(grant);
          used.add(token);
        }
      }),
      { numRuns: repetitions(10, 100) },
    );
  });

  test('expires after half a year without use', async () => {
    const { refresh_token: token } = await client.signIn();
    clock += 183 * 86_400_000;
    expect(refused(await client.refresh(token))).toEqual(invalid);
  });
});

describe('revocation', () => {
  test.each(['access_token', 'refresh_token'])('ends the grant of the %s, and succeeds again', async (name) => {
    const tokens = await client.signIn();
    const other = await client.signIn();
    for (let times = 0; times < 2; times++) {
      expect((await client.revoke(tokens[name])).body).toEqual({ revoked: true });
    }
    expect((await me(tokens['access_token'])).status).toBe(401);
    expect(refused(await client.refresh(tokens['refresh_token']))).toEqual(invalid);
    expect((await me(other['access_token'])).status).toBe(200);
  });

  test('ends a request that waits for events with 401, unlike the end of its token', async () => {
    const wait = async () => {
      const as = { ...sandbox.ada, authToken: (await client.signIn())['access_token'] ?? '' };
      const { next_token: token } = (await sandbox.get('/sandbox/activity', as)).body.meta;
      const reply = sandbox.get(`/sandbox/activity?wait_ms=60000&pagination_token=${token}`, as);
      await expect.poll(async () => (await sandbox.call('GET', '/control/stats')).body.waiting[as.userId]).toBe(1);
      return { reply };
    };
    const outlived = await wait();
    clock += 7_200_000;
    await sandbox.control('events', { type: 'follow', userName: 'ada' });
    expect((await outlived.reply).status).toBe(200);
    const revoked = await wait();
    await sandbox.control('oauth', { revoke: 'ada' });
    expect((await revoked.reply).status).toBe(401);
  });

  test('ends all grants of a user who withdraws the consent', async () => {
    const mine = await client.signIn();
    const other = await client.signIn(allScopes, 'grace');
    expect((await sandbox.control('oauth', { revoke: 'ada' })).body.revoked).toBeGreaterThan(0);
    expect([(await me(mine['access_token'])).status, (await me(other['access_token'])).status]).toEqual([401, 200]);
    expect((await me(sandbox.ada.authToken)).status).toBe(200);
  });
});

describe('confidential client', () => {
  test('authenticates with Basic, and is refused tokens of other clients', async () => {
    const redirect_uris = ['https://app.example/connect/callback', 'http://127.0.0.1:4000/connect/callback'];
    const id = { client_id: 'shop', client_secret: 'a:secret' };
    await sandbox.control('oauth', { client: { ...id, name: 'The <Shop>', redirect_uris } });
    const shop = signInClient(sandbox.url, { id: 'shop', secret: 'a:secret' });
    expect(await (await open(shop.authorizeUrl())).text()).toContain('Allow The &#60;Shop&#62; to use');
    expect((await open(shop.authorizeUrl({ redirect_uri: 'http://127.0.0.1:4001/connect/callback' }))).status).toBe(
      400,
    );
    const tokens = await shop.signIn();
    const secrets = [null, 'wrong', ''].map((secret) => signInClient(sandbox.url, { id: 'shop', secret }));
    for (const wrong of secrets) {
      const reply = await wrong.refresh(tokens['refresh_token']);
      expect([...refused(reply), reply.body['error_description']]).toEqual([
        401,
        'unauthorized_client',
        'Missing valid authorization header',
      ]);
      expect(reply.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
    expect(refused(await client.refresh(tokens['refresh_token']))).toEqual(invalid);
    expect(refused(await client.revoke(tokens['refresh_token']))).toEqual(invalid);
    expect((await shop.refresh(tokens['refresh_token'])).status).toBe(200);
  });
});

describe('token endpoint', () => {
  test.each([
    [{}, 'invalid_request'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: 'refresh_token' }, 'invalid_request'],
    [{ grant_type: 'authorization_code', code: 'x' }, 'invalid_request'],
  ] as [Record<string, string>, string][])('refuses %j with 400 %s', async (form, error) => {
    expect(refused(await client.send('token', form))).toEqual([400, error]);
  });

  test('refuses JSON and repeated parameters with 400', async () => {
    const post = async (body: string, type: string) => {
      const headers = { 'content-type': type };
      const response = await fetch(`${sandbox.url}/2/oauth2/token`, { method: 'POST', body, headers });
      return [
        response.status,
        response.headers.get('cache-control'),
        ((await response.json()) as { error: string }).error,
      ];
    };
    const twice = 'grant_type=refresh_token&grant_type=refresh_token&client_id=postern-demo';
    expect(await post(twice, 'application/x-www-form-urlencoded')).toEqual([400, 'no-store', 'invalid_request']);
    expect(await post('{}', 'application/json')).toEqual([400, 'no-store', 'invalid_request']);
  });

  test('fails before or after the refresh only for faults that name it', async () => {
    const { refresh_token: first = '' } = await client.signIn();
    await sandbox.fault({ kind: 'status', status: 503 }, { operation: 'oauth2Token' });
    expect((await client.refresh(first)).status).toBe(503);
    await sandbox.fault({ kind: 'status', status: 500 });
    const second = (await client.refresh(first)).body['refresh_token'];
    expect((await sandbox.call('GET', '/sandbox/activity', { as: sandbox.ada, unchecked: true })).status).toBe(500);
    await sandbox.fault({ kind: 'reset_after' }, { operation: 'oauth2Token' });
    await expect(client.refresh(second)).rejects.toThrow('fetch failed');
    expect(refused(await client.refresh(second))).toEqual(invalid);
  });
});

describe('grant journal', () => {
  test('restores grants after a restart, from one row each', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const first = await openSandbox({ dataDir });
    const minted = await first.mint({ userName: 'newcomer' });
    let { refresh_token: token } = await signInClient(first.url).signIn();
    const { access_token: access = '' } = await signInClient(first.url).signIn(allScopes, 'newcomer');
    for (let times = 0; times < 50; times++)
      token = (await signInClient(first.url).refresh(token)).body['refresh_token'];
    const used = token;
    token = (await signInClient(first.url).refresh(token)).body['refresh_token'];
    const gone = await signInClient(first.url).signIn();
    await signInClient(first.url).revoke(gone['access_token']);
    await first.close();

    const rows = () =>
      onSqlite(join(dataDir, 'sandbox.sqlite'), (db) => db.prepare('SELECT id FROM latest').all().length);
    expect(rows()).toBe(2);
    const second = await openSandbox({ dataDir });
    expect((await second.x('/2/users/me', { ...minted, authToken: access })).body.data.username).toBe('newcomer');
    expect((await second.x('/2/users/me', { ...minted, authToken: gone['access_token'] ?? '' })).status).toBe(401);
    const again = signInClient(second.url);
    expect((await again.refresh(token)).status).toBe(200);
    expect(refused(await again.refresh(used))).toEqual(invalid);
    await second.control('reset');
    expect((await second.x('/2/users/me', { ...minted, authToken: access })).status).toBe(401);
    await second.close();
    expect(rows()).toBe(0);
  });

  test('keeps issued tokens valid and used ones used after kill -9', async () => {
    const dataDir = join(temporaryFolder(), 'data');
    const first = await startChild(dataDir);
    let refreshes = 0;
    const logins = Array.from({ length: 10 }, async () => {
      const pairs = [await signInClient(first.url).signIn()];
      try {
        for (;;) {
          pairs.push((await signInClient(first.url).refresh(pairs.at(-1)?.['refresh_token'])).body);
          refreshes++;
        }
      } catch {
        return pairs.slice(-2);
      }
    });
    await expect.poll(() => refreshes, { interval: 5 }).toBeGreaterThan(100);
    await kill(first.child);
    const { url } = await startChild(dataDir);
    for (const [before = {}, last = {}] of await Promise.all(logins)) {
      const headers = bearer({ authToken: last['access_token'] ?? '' });
      expect((await request(url, 'GET', '/2/users/me', { headers, unchecked: true })).status).toBe(200);
      expect(refused(await signInClient(url).refresh(before['refresh_token']))).toEqual(invalid);
    }
  });
});
