import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { PosternError } from '../../src/shared/errors/postern-error.ts';
import { Secret } from '../../src/shared/secrets/secret.ts';
import { until } from '../support/until.ts';
import { account, useConnections } from './fixture.ts';

const hourMs = 3_600_000;
const reasonOf = (failed: Promise<unknown>) =>
  failed.then(
    () => 'none',
    (error) => (error instanceof PosternError ? error.reason : String(error)),
  );

describe('ConnectionLogins', () => {
  test('refreshes once for concurrent calls of two processes', async () => {
    const { x, runtime, process } = await useConnections();
    const [one, two] = [process(), process()];
    const id = await one.connect();
    expect(await two.credential(id)).toBe('access-1');
    runtime.leap(hourMs);
    const calls = Array.from({ length: 40 }, (_, at) => (at % 2 ? one : two).credential(id));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['access-2']));
    expect(x.refreshes()).toBe(1);
  });

  test('refreshes a minute before the end, while calls still use the old token', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    runtime.leap(hourMs - 61_000);
    expect([await one.credential(id), x.refreshes()]).toEqual(['access-1', 0]);
    runtime.leap(2_000);
    expect(await one.credential(id)).toBe('access-1');
    await until(async () => expect(await one.credential(id)).toBe('access-2'));
    expect(x.refreshes()).toBe(1);
  });

  test('refreshes after a 401 and repeats the request once', async () => {
    const { x, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    x.endAccess();
    x.used.length = 0;
    expect(await one.me(id)).toBe('user_7');
    expect(x.used).toEqual(['access-1', 'access-2']);
    x.endAccess();
    // The platform refuses a token that it has just given, so another refresh would not help.
    expect(await reasonOf(one.me(id))).toBe('auth_token_rejected');
    expect(x.refreshes()).toBe(1);
  });

  test('refreshes at the end, even if the previous token was refused', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    x.seconds = 5;
    const id = await one.connect();
    expect(await one.credential(id, 'access-1')).toBe('access-2');
    expect(await reasonOf(one.credential(id, 'access-2'))).toBe('auth_token_rejected');
    runtime.leap(5_000);
    expect(await one.credential(id, 'access-2')).toBe('access-3');
  });

  test('counts the lifetime from the token request, not from a late response', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    x.seconds = 5;
    const id = await one.connect();
    runtime.leap(5_000);
    x.fault = 'held';
    const waiting = one.credential(id);
    await until(() => expect(x.refreshes()).toBe(1));
    runtime.leap(3_000);
    x.fault = null;
    x.release();
    expect(await waiting).toBe('access-2');
    runtime.leap(3_000);
    expect(await one.credential(id)).toBe('access-3');
  });

  test('refreshes after the 401 of an upload and sends its bytes again', async () => {
    const { x, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    x.endAccess();
    const bytes = Buffer.alloc(100_000, 1);
    const open = (from = 0, to = bytes.length) => Readable.from([bytes.subarray(from, to)], { objectMode: false });
    const media = {
      type: 'image/png',
      kind: 'photo',
      size: bytes.length,
      width: 1,
      height: 1,
      durationMs: null,
    } as const;
    expect(await one.as(id).media.upload({ ...media, open, discard: async () => {} })).toBe('9');
    const [first = 0, second] = x.uploads;
    expect([x.uploads.length, second, first > bytes.length]).toEqual([2, first, true]);
  });

  test('sets revoked if the platform refuses both tokens', async () => {
    const { x, process, store } = await useConnections();
    const [one, two] = [process(), process()];
    const id = await one.connect();
    x.withdraw();
    expect(await reasonOf(one.me(id))).toBe('connection_revoked');
    expect(await reasonOf(two.me(id))).toBe('connection_revoked');
    expect(await one.service.find(account, id)).toMatchObject({ status: 'revoked', user: { id: '7' } });
    expect(one.ended).toMatchObject([{ account, fields: { connection_id: id, user_id: '7', userName: 'user_7' } }]);
    expect((await store.audit.list(account, 10)).map(({ action }) => action)[0]).toBe('connection.revoked');
    expect(one.changed.at(-1)).toBe(id);
  });

  test('sets expired if the platform refuses the refresh token at the end', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    x.withdraw();
    runtime.leap(hourMs);
    expect(await reasonOf(one.me(id))).toBe('connection_expired');
    expect((await one.service.find(account, id)).error).toContain('refused to refresh');
    expect(x.refreshes()).toBe(1);
    expect(await reasonOf(one.me(id))).toBe('connection_expired');
    expect(x.refreshes()).toBe(1);
  });

  test('keeps the login after platform failures, and names a lost response', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    x.fault = 'failed';
    runtime.leap(hourMs);
    expect(await reasonOf(one.credential(id))).toBe('platform_failed');
    x.fault = null;
    runtime.leap(1_000);
    expect(await one.credential(id)).toBe('access-2');
    x.fault = 'lost';
    runtime.leap(hourMs);
    expect(await reasonOf(one.credential(id))).toBe('platform_unreachable');
    x.fault = null;
    runtime.leap(1_000);
    expect(await reasonOf(one.credential(id))).toBe('connection_expired');
    expect((await one.service.find(account, id)).error).toContain('interrupted');
  });

  test('takes over the expired claim of a dead process', async () => {
    const { x, runtime, process, store } = await useConnections();
    const one = process();
    const id = await one.connect();
    const record = await store.connections.find(id);
    if (!record) throw new Error('missing');
    runtime.leap(hourMs);
    await store.connections.replace({ ...record, refreshing: { by: 'dead', until: store.now() + 15_000 } });
    const waiting = one.credential(id);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(x.refreshes()).toBe(0);
    runtime.leap(15_000);
    expect(await waiting).toBe('access-2');
  });

  test('sets expired if the process died after the platform had used the refresh token', async () => {
    const { x, runtime, process, store } = await useConnections();
    const [one, two] = [process(), process()];
    const id = await one.connect();
    runtime.leap(hourMs);
    // The new tokens never come back to the process, which keeps its claim.
    x.fault = 'held';
    one.credential(id).catch(() => {});
    await until(() => expect(x.refreshes()).toBe(1));
    x.withdraw();
    runtime.leap(15_000);
    x.fault = null;
    expect(await reasonOf(two.credential(id))).toBe('connection_expired');
    expect((await two.service.find(account, id)).error).toContain('interrupted');
    expect(await store.accountEvents.waiting(9)).toMatchObject([{ account, type: 'connection.expired' }]);
    expect(x.refreshes()).toBe(2);
    x.release();
  });

  test('stores new tokens although the record changed during the refresh', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    runtime.leap(hourMs);
    x.fault = 'held';
    const waiting = one.credential(id);
    await until(() => expect(x.refreshes()).toBe(1));
    await process().service.reconnect({ ...one.common, id, token: 'again' });
    x.release();
    expect(await waiting).toBe('access-2');
  });

  test('refuses foreign connections with 404 and unusable ones with their reason', async () => {
    const { process } = await useConnections();
    const [one, two] = [process(), process()];
    const id = await one.connect();
    const pending = await one.begin('other');
    const call = (authToken: string, of = account) =>
      reasonOf(one.logins.credentialOf({ account: of, authToken: new Secret(authToken), signal: null }));
    expect(await call(id, 'acc_2')).toBe('connection_not_found');
    expect(await call('conn_1')).toBe('connection_not_found');
    expect(await call(pending.id)).toBe('connection_pending');
    expect(await call('a-raw-token')).toBe('none');
    await two.credential(id);
    await one.service.delete(account, one.common.author, id);
    expect(await call(id)).toBe('connection_not_found');
  });

  test('revokes the login of a deleted connection at the platform, and removes the record', async () => {
    const { x, process, store } = await useConnections();
    const one = process();
    const id = await one.connect();
    await one.service.delete(account, one.common.author, id);
    await until(async () => expect(await store.connections.find(id)).toBeNull());
    expect(x.requests.at(-1)?.form.get('token')).toBe('refresh-1');
  });

  test('retries a failed revocation for a day', async () => {
    const { x, process, store, runtime } = await useConnections();
    const one = process();
    x.revokes = false;
    const ids = [await one.connect('a'), await one.connect('b')];
    for (const id of ids) await one.service.delete(account, one.common.author, id);
    const revocations = () => x.requests.filter(({ path }) => path === '/2/oauth2/revoke').length;
    await until(() => expect(revocations()).toBe(2));
    const stored = () => Promise.all(ids.map((id) => store.connections.find(id)));
    expect((await stored()).map((record) => record?.revokeAt !== null)).toEqual([true, true]);
    runtime.leap(31_000);
    await until(() => expect(revocations()).toBe(4));
    runtime.leap(24 * hourMs);
    await until(async () => expect(await stored()).toEqual([null, null]));
    expect(revocations()).toBe(4);
  });

  test('stays if the gateway has no app, another app, or is on another platform', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    const [appless, foreign] = [process({ hasApp: false }), process({ issuer: 'other' })];
    expect(await appless.credential(id)).toBe('access-1');
    expect(await reasonOf(foreign.credential(id))).toBe('platform_app_refused');
    runtime.leap(hourMs);
    for (const each of [appless, foreign]) expect(await reasonOf(each.credential(id))).toBe('platform_app_refused');
    expect(x.refreshes()).toBe(0);
    runtime.leap(30_000);
    expect(await one.credential(id)).toBe('access-2');
    await foreign.service.delete(account, foreign.common.author, id);
    await until(() => {
      runtime.leap(31_000);
      expect(x.requests.at(-1)?.form.get('token')).toBe('refresh-2');
    });
  });

  test('under a dropped secret key is refused with 403, and can be replaced and deleted', async () => {
    const { process, runtime } = await useConnections();
    const id = await process().connect();
    const keyless = process({ keyByte: 8 });
    expect(await reasonOf(keyless.credential(id))).toBe('connection_expired');
    expect(await keyless.service.find(account, id)).toMatchObject({ status: 'active', user: null });
    const { authorize_url } = await keyless.service.reconnect({ ...keyless.common, id, token: 'again' });
    expect(await keyless.signIn(authorize_url ?? '')).toMatchObject({ outcome: 'active' });
    expect(await keyless.credential(id)).toBe('access-2');
    await process().service.delete(account, keyless.common.author, id);
    runtime.leap(1_000);
    expect(await reasonOf(keyless.credential(id))).toBe('connection_not_found');
  });

  test('is not refreshed again before the time that the platform names', async () => {
    const { x, runtime, process } = await useConnections();
    const one = process();
    const id = await one.connect();
    x.fault = 'limited';
    runtime.leap(hourMs);
    expect(await reasonOf(one.credential(id))).toBe('platform_rate_limit');
    x.fault = null;
    for (const ms of [1_000, 200_000]) {
      runtime.leap(ms);
      expect(await reasonOf(one.credential(id))).toBe('platform_rate_limit');
    }
    expect(x.refreshes()).toBe(1);
    runtime.leap(100_000);
    expect(await one.credential(id)).toBe('access-2');
  });

  test('records the last use', async () => {
    const { process, runtime } = await useConnections();
    const one = process();
    const id = await one.connect();
    const lastUsed = async () => (await one.service.find(account, id)).last_used_at;
    expect(await lastUsed()).toBeNull();
    await one.credential(id);
    runtime.leap(10_000);
    await until(async () => expect(await lastUsed()).not.toBeNull());
  });
});
