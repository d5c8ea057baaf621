import { expect, test } from 'vitest';
import { expectRefusal } from '../../support/refusal.ts';
import { json, loopback, start } from './fake-servers.ts';

const password = { identifier: 'alice.test', app_password: 'abcd-efgh-ijkl-mnop' };

test('AT Protocol connection: is created from an app password, which another one of the same user replaces', async () => {
  const { logins, pds, client } = await start(loopback);
  const owner = client.with({ authToken: '' });
  const { status, body } = await owner.post('/connections', password);
  expect(status, body.error ?? '').toBe(200);
  const id = String(body.data['id']);
  expect(body.data).toEqual({ id, status: 'active', authorize_url: null, expires_at: null });
  expect((await owner.with({ authToken: id }).get('/user/me')).body.data).toMatchObject({ userName: 'alice.test' });

  const reconnect = `/connections/${id}/reconnect`;
  const seen = logins.seen.length;
  const changed = { ...password, app_password: 'another-one' };
  expect((await owner.post(reconnect, changed)).body.data).toMatchObject({ id, status: 'active', authorize_url: null });
  expect(logins.seen.length).toBeGreaterThan(seen);
  expectRefusal(await owner.post(reconnect), 501, /: send identifier and app_password$/);
  expectRefusal(await owner.post('/connections'), 501, /: send identifier and app_password$/);

  pds.routes['app.bsky.actor.getProfile'] = json({ did: 'did:plc:zyxwvutsrqponmlkjihgfedc', handle: 'bob.test' });
  expectRefusal(
    await owner.post(reconnect, { identifier: 'bob.test', app_password: 'p' }),
    409,
    /belongs to @bob\.test/,
  );
  logins.routes['com.atproto.server.createSession'] = json({ error: 'AuthenticationRequired' }, 401);
  expectRefusal(
    await owner.post('/connections', { ...password, app_password: 'wrong' }),
    403,
    /^Platform rejected identifier and app_password/,
  );
  const { connections } = (await owner.get('/connections')).body.data as { connections: object[] };
  expect(connections).toMatchObject([{ id, status: 'active', user: { userName: 'alice.test' }, scopes: [] }]);
  expect(JSON.stringify(connections)).not.toContain('another-one');
});

test('wrong app passwords count for the limit of failed calls, and those with line breaks are refused with 400', async () => {
  const { logins, client } = await start({ ...loopback, FAILED_CALL_RATE_LIMIT: '3' });
  const owner = client.with({ authToken: '' });
  expectRefusal(await owner.post('/connections', { ...password, app_password: 'a\nb' }), 400, /app_password/);
  logins.routes['com.atproto.server.createSession'] = json({ error: 'AuthenticationRequired' }, 401);
  const statuses: number[] = [];
  for (let guess = 0; guess < 8; guess++) {
    const { status } = await owner.post('/connections', { ...password, app_password: `guess-${guess}` });
    statuses.push(status);
  }
  expect(statuses.slice(0, 3)).toEqual([403, 403, 403]);
  expect(statuses.slice(-3)).toEqual([429, 429, 429]);
});
