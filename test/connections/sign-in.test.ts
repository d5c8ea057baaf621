import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/port.ts';
import { until } from '../support/until.ts';
import { account, publicUrl, scopes, useConnections } from './fixture.ts';

const codeOf = (url: string | null) => (url ?? '').slice((url ?? '').lastIndexOf('/') + 1);

describe('sign-in flow', () => {
  test('stores the login of the user encrypted', async () => {
    const { x, process, store } = await useConnections();
    const one = process();
    const { id, status, authorize_url } = await one.begin();
    expect([status, authorize_url]).toEqual([
      'pending',
      expect.stringMatching(`^${publicUrl}/connect/${id.slice(5)}-`),
    ]);
    expect(await one.begin()).toEqual({ id, status, authorize_url, expires_at: expect.any(String) });
    const code = codeOf(authorize_url);
    expect(await one.steps.offer(code)).toEqual({
      accountName: 'Customer',
      scopes,
      host: new URL(x.origin).host,
      userName: null,
    });
    const begun = await one.steps.begin(code, null);
    if ('refusal' in begun) throw new Error(begun.message);
    const page = new URL(begun.authorizeUrl);
    expect(page.origin + page.pathname).toBe(`${x.origin}/i/oauth2/authorize`);
    const { state = '', code_challenge: challenge, ...query } = Object.fromEntries(page.searchParams);
    expect(query).toEqual({
      response_type: 'code',
      client_id: 'app',
      redirect_uri: `${publicUrl}/connect/callback`,
      scope: scopes.join(' '),
      code_challenge_method: 'S256',
    });
    const cookie = begun.cookie.expose();
    const answer = { state, code: 'code-1', error: null, cookie };
    expect(await one.steps.finish(answer)).toEqual({ outcome: 'active', id, userName: 'user_7', returnTo: null });
    const { form } = x.requests[0] ?? {};
    const verifier = form?.get('code_verifier') ?? '';
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(challenge);
    expect(form?.get('redirect_uri')).toBe(`${publicUrl}/connect/callback`);
    const stored = JSON.stringify(await store.connections.find(id));
    for (const secret of ['access-1', 'refresh-1', verifier, cookie, state, code]) expect(stored).not.toContain(secret);
    expect(await one.service.find(account, id)).toMatchObject({
      status: 'active',
      user: { id: '7', userName: 'user_7', name: 'User 7' },
      scopes,
      error: null,
    });
    expect(await one.steps.finish(answer)).toMatchObject({ outcome: 'failed', refusal: 'used' });
    expect(await one.steps.offer(code)).toMatchObject({ refusal: 'used' });
    const actions = (await store.audit.list(account, 10)).map(({ action, by }) => `${action} by ${by.type}`);
    expect(actions.sort()).toEqual(['connection.connected by service', 'connection.created by operator']);
  });

  test('refuses other browsers with other_browser', async () => {
    const { process } = await useConnections();
    const one = process();
    const code = codeOf((await one.begin()).authorize_url);
    const begun = await one.steps.begin(code, null);
    if ('refusal' in begun) throw new Error(begun.message);
    expect(await one.steps.begin(code, null)).toMatchObject({ refusal: 'used' });
    const again = await one.steps.begin(code, begun.cookie.expose());
    if ('refusal' in again) throw new Error(again.message);
    const stateOf = (url: string) => new URL(url).searchParams.get('state') ?? '';
    const finish = (state: string, cookie: string | null) =>
      one.steps.finish({ state, code: 'code-1', error: null, cookie });
    expect(await finish(stateOf(begun.authorizeUrl), begun.cookie.expose())).toMatchObject({ refusal: 'unknown_code' });
    expect(await finish(stateOf(again.authorizeUrl), null)).toMatchObject({ refusal: 'other_browser', returnTo: null });
    expect(await finish(stateOf(again.authorizeUrl), 'x')).toMatchObject({ refusal: 'other_browser' });
    expect(await finish(stateOf(again.authorizeUrl), again.cookie.expose())).toMatchObject({ outcome: 'active' });
  });

  test('sets failed, and the connection shows the reason', async () => {
    const { x, process, runtime, store } = await useConnections();
    const one = process();
    const fail = async (token: string, answer?: { code: string | null; error?: string }) => {
      const { id, authorize_url } = await one.begin(token);
      const result = await one.signIn(authorize_url ?? '', answer);
      return [result.outcome === 'failed' && result.refusal, (await one.service.find(account, id)).status];
    };
    expect(await fail('denied', { code: null, error: 'access_denied' })).toEqual(['denied', 'failed']);
    expect(await fail('other', { code: null, error: 'server_error' })).toEqual(['platform_failed', 'failed']);
    x.fault = 'refused';
    expect(await fail('refused')).toEqual(['platform_failed', 'failed']);
    x.fault = null;
    x.scopes = 'tweet.read users.read';
    expect(await fail('scopes')).toEqual(['scopes_missing', 'failed']);
    // Tokens that are not stored are revoked.
    expect(x.requests.at(-1)).toMatchObject({ path: '/2/oauth2/revoke' });
    const late = await one.begin('late');
    runtime.leap(10 * 60_000);
    expect(await one.steps.offer(codeOf(late.authorize_url))).toMatchObject({ refusal: 'expired' });
    expect(await one.service.find(account, late.id)).toMatchObject({ status: 'failed', error: expect.any(String) });
    const unknown = [`${'0'.repeat(22)}-${'0'.repeat(32)}`, `${late.id.slice(5)}-${'0'.repeat(32)}`, 'x', ''];
    for (const code of unknown) expect(await one.steps.offer(code)).toMatchObject({ refusal: 'unknown_code' });
    expect(await store.connections.list(account, 100, null)).toHaveLength(5);
  });

  test('keeps the id and the old login on reconnect until the same user has signed in', async () => {
    const { x, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    const again = (token: string) => one.service.reconnect({ ...one.common, id, token });
    const begun = await again('again');
    expect(begun).toMatchObject({ id, status: 'active' });
    expect(await one.steps.offer(codeOf(begun.authorize_url))).toMatchObject({ userName: 'user_7' });
    x.user = '8';
    expect(await one.signIn(begun.authorize_url ?? '')).toMatchObject({ refusal: 'other_user', id });
    expect(await one.service.find(account, id)).toMatchObject({
      status: 'active',
      user: { id: '7' },
      error: 'The last reconnect failed: Another user signed in than before',
    });
    expect(await one.credential(id)).toBe('access-1');
    x.user = '7';
    const repeated = await again('once more');
    expect(await again('once more')).toEqual(repeated);
    await one.signIn(repeated.authorize_url ?? '');
    expect([await one.credential(id), (await one.service.find(account, id)).error]).toEqual(['access-3', null]);
  });

  test('repairs a revoked connection, and notifies its pollers', async () => {
    const { x, process } = await useConnections();
    const [one, two] = [process(), process()];
    const id = await one.connect();
    x.withdraw();
    for (const each of [one, two]) await expect(each.me(id)).rejects.toMatchObject({ reason: 'connection_revoked' });
    one.changed.length = 0;
    const begun = await one.service.reconnect({ ...one.common, id, token: 'again' });
    expect(begun.status).toBe('revoked');
    await one.signIn(begun.authorize_url ?? '');
    expect([await one.me(id), await two.me(id), one.changed]).toEqual(['user_7', 'user_7', [id]]);
  });

  test('refuses a return_to of other origins with 400', async () => {
    const { process } = await useConnections();
    const one = process();
    const create = (returnTo: string) => one.service.create({ ...one.common, scopes, returnTo, token: returnTo });
    const bad = [
      'http://localhost:3001',
      '//app.example',
      'https://app.example.evil',
      'https://me@app.example/',
      'javascript:alert(1)',
      '/x',
    ];
    for (const url of [...bad, 'http://app.example', 'https:app.example'])
      await expect(create(url), url).rejects.toMatchObject({ field: 'return_to' });
    const { authorize_url } = await create('https://app.example/done?x=1');
    expect(await one.signIn(authorize_url ?? '')).toMatchObject({ returnTo: 'https://app.example/done?x=1' });
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) await create(`http://${host}:3000/console`);
  });

  test('refuses unknown scopes with 400, and adds those that identify the user', async () => {
    const { process } = await useConnections();
    const one = process();
    const create = (wanted: string[] | null) =>
      one.service.create({ ...one.common, scopes: wanted, token: String(wanted) });
    await expect(create(['tweet.read', 'email'])).rejects.toMatchObject({ field: 'scopes' });
    const scopesOf = async (wanted: string[] | null) =>
      (await one.service.find(account, (await create(wanted)).id)).scopes;
    expect(await scopesOf(['like.write'])).toEqual(['tweet.read', 'users.read', 'like.write']);
    const usual = await scopesOf(null);
    expect([usual.includes('offline.access'), usual.some((scope) => scope.startsWith('dm.'))]).toEqual([true, false]);
  });

  test('refuses without PUBLIC_URL or X_CLIENT_ID with 501', async () => {
    const { process } = await useConnections();
    const create = (one: ReturnType<typeof process>) => one.begin();
    await expect(create(process({ url: null }))).rejects.toMatchObject({
      status: 501,
      message: 'Sign-ins are not set up: the operator must set PUBLIC_URL',
    });
    await expect(create(process({ hasApp: false }))).rejects.toMatchObject({
      status: 501,
      message: 'Sign-ins are not set up: the operator must set X_CLIENT_ID',
    });
  });

  test('asks for other scopes on a reconnect, which the connection has after it', async () => {
    const { x, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    const wanted = ['tweet.read', 'users.read', 'dm.read'];
    const begun = await one.service.reconnect({ ...one.common, id, scopes: wanted, token: 'again' });
    expect((await one.service.find(account, id)).scopes).toEqual(scopes);
    expect(await one.steps.offer(codeOf(begun.authorize_url))).toMatchObject({
      scopes: expect.arrayContaining(wanted),
    });
    x.scopes = wanted.join(' ');
    expect(await one.signIn(begun.authorize_url ?? '')).toMatchObject({ outcome: 'active' });
    expect((await one.service.find(account, id)).scopes).toEqual(wanted);
  });

  test('stores the login even if the store fails after the exchange', async () => {
    const { process, store, x } = await useConnections();
    const one = process();
    const { id, authorize_url } = await one.begin();
    const { replace } = store.connections;
    let failures = 2;
    store.connections.replace = async (record, ...rest) => {
      if (record.status === 'active' && failures-- > 0) throw new StoreUnavailableError('away');
      return replace(record, ...rest);
    };
    expect(await one.signIn(authorize_url ?? '')).toMatchObject({ outcome: 'active', id });
    expect([failures, await one.credential(id), x.made]).toEqual([-1, 'access-1', 1]);
  });

  test('refuses the 101st pending connection with 429', async () => {
    const { process, runtime } = await useConnections();
    const one = process();
    for (let at = 0; at < 100; at += 1) await one.begin(String(at));
    await expect(one.begin('more')).rejects.toMatchObject({ reason: 'connection_limit', status: 429 });
    expect((await one.begin('7')).status).toBe('pending');
    runtime.leap(10 * 60_000);
    const ids: string[] = [];
    for (let at = 0; at < 100; at += 1) ids.push((await one.begin(`later ${at}`)).id);
    const { items } = await one.service.list(account, { count: 1_000, cursor: null });
    const id = items.find(({ status }) => status === 'failed')?.id ?? '';
    const reconnect = () => one.service.reconnect({ ...one.common, id, token: 'again' });
    await expect(reconnect()).rejects.toMatchObject({ reason: 'connection_limit' });
    await one.service.delete(account, one.common.author, ids[0] ?? '');
    expect((await reconnect()).status).toBe('pending');
  });
});

describe('connection list', () => {
  test('pages, and lists only the connections of a restricted key', async () => {
    const { process } = await useConnections();
    const one = process();
    const ids: string[] = [];
    for (const token of ['a', 'b', 'c']) ids.push((await one.begin(token)).id);
    const page = await one.service.list(account, { count: 2, cursor: null });
    const rest = await one.service.list(account, { count: 2, cursor: page.cursor });
    const listed = [...page.items, ...rest.items].map(({ id }) => id);
    expect([new Set(listed), listed.length, rest.cursor]).toEqual([new Set(ids), 3, null]);
    const [first = '', second = '', third = ''] = listed;
    const usable = [third, first];
    const restricted = await one.service.list(account, { count: 1, cursor: null }, usable);
    expect(restricted.items[0]?.id).toBe(first);
    const next = await one.service.list(account, { count: 1, cursor: restricted.cursor }, usable);
    expect(next.items[0]?.id).toBe(third);
    await expect(one.service.find(account, second, usable)).rejects.toMatchObject({ reason: 'connection_not_found' });
    await expect(one.service.find('acc_2', first)).rejects.toMatchObject({ reason: 'connection_not_found' });
    await one.service.delete(account, one.common.author, first);
    await until(async () =>
      expect((await one.service.list(account, { count: 9, cursor: null })).items).toHaveLength(2),
    );
    await expect(one.service.delete(account, one.common.author, first)).rejects.toMatchObject({ status: 404 });
  });
});
