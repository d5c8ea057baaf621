import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { type Json, missing, openSandbox, request } from './harness.ts';

const sandbox = await openSandbox();

/** Returns the status of a request with this `Host` header. `fetch` cannot set it. */
function statusFor(host: string, path = '/control/info'): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(sandbox.url).port), '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    socket.once('data', (data) => {
      resolve(Number(String(data).split(' ')[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

describe('a web page in a browser cannot use the control routes', () => {
  test.each(['localhost', 'localhost:4001', '127.0.0.1:4001', '127.9.9.9', '[::1]:4001', 'LOCALHOST'])(
    'Host %s is answered',
    async (host) => {
      expect(await statusFor(host)).toBe(200);
    },
  );

  const foreign = ['evil.example', 'localhost.evil.example', '127.0.0.1.nip.io', '10.0.0.1', '[::2]'];
  test.each([...foreign, 'localhost:4001@evil', ''])('Host %j is refused', async (host) => {
    expect(await statusFor(host)).toBe(403);
    expect(await statusFor(host, '/2/users/me')).toBe(403);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp'])(
    'control refuses a body of type %s',
    async (type) => {
      for (const path of ['/control/reset', '/control/faults', '/control/faults/clear', '/control/accounts']) {
        const reply = await sandbox.call('POST', path, { body: '{}', headers: { 'content-type': type } });
        expect([reply.status, reply.body.reason]).toEqual([415, 'unsupported_media_type']);
      }
      expect((await request(sandbox.url, 'POST', '/control/reset')).status).toBe(415);
    },
  );

  test('sends no CORS headers', async () => {
    const reply = await sandbox.call('GET', '/control/info', { headers: { origin: 'https://evil.example' } });
    expect(reply.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('minted accounts', () => {
  test('can act at once and follow nobody', async () => {
    const account = await sandbox.mint({ userName: 'Newcomer', premium: true });
    const user = await sandbox.user('newcomer', account);
    expect(user).toMatchObject({ id: account.userId, username: 'Newcomer', subscription_type: 'Premium' });
    expect(user.public_metrics).toMatchObject({ followers_count: 0, following_count: 0, post_count: 0 });
    expect((await sandbox.tweet('Hello, everybody', account)).status).toBe(201);
  });

  test('may be protected', async () => {
    const shy = await sandbox.mint({ protected: true });
    const { id } = (await sandbox.tweet('Psst', shy)).body.data;
    expect(missing(await sandbox.x(`/2/tweets/${id}`))).toEqual([200, 'not-authorized-for-resource', 'protected']);
    expect((await sandbox.post(id, shy)).text).toBe('Psst');
  });

  test('can be created in thousands, all different', async () => {
    const { body } = await sandbox.control('accounts', { count: 5000, userName: 'bench' });
    for (const key of ['userName', 'userId', 'authToken']) {
      expect(new Set(body.accounts.map((account: Record<string, string>) => account[key])).size).toBe(5000);
    }
    expect((await sandbox.x('/2/users/me', body.accounts[4999])).status).toBe(200);
  });

  test('need an unused and valid name', async () => {
    const taken = await sandbox.control('accounts', { userName: 'ADA' });
    expect([taken.status, taken.body.reason]).toEqual([409, 'name_taken']);
    for (const body of [{ userName: 'a b' }, { userName: '' }, { count: 0 }, { count: 10_001 }, { premium: 'yes' }]) {
      expect((await sandbox.control('accounts', body)).status).toBe(400);
    }
  });
});

describe('a reset', () => {
  test('restores the dataset of the seed and deletes everything else', async () => {
    const account = await sandbox.mint();
    const token = { 'idempotency-token': 'before' };
    const { id } = (await sandbox.tweet('Soon forgotten', sandbox.ada, {}, token)).body.data;
    await sandbox.fault({ kind: 'reset' });
    expect((await sandbox.control('reset')).body).toEqual({ reset: true });
    expect((await sandbox.call('GET', '/control/info')).body).toEqual(sandbox.info);
    expect(await sandbox.post(id)).toBeUndefined();
    expect((await sandbox.x('/2/users/me', account)).status).toBe(401);
    expect((await sandbox.tweet('Something new', sandbox.ada, {}, token)).status).toBe(201);
    const stats = await sandbox.call('GET', '/control/stats');
    expect(stats.body).toMatchObject({ tweets_created: 1, likes: 0, requests: { createPosts: 1 } });
  });
});

describe('added followers', () => {
  test('follow a user at once, without credentials and without events', async () => {
    const before = (await sandbox.user('grace')).public_metrics.followers_count;
    const { next_token: token } = (await sandbox.get('/sandbox/activity', sandbox.grace)).body.meta;
    const added = await sandbox.control('followers', { userName: 'grace', count: 250 });
    expect([added.status, added.body]).toEqual([201, { followers: before + 250 }]);
    const path = `/2/users/${sandbox.grace.userId}/followers?max_results=100&user.fields=public_metrics`;
    const users = (await sandbox.x(path)).body.data;
    expect(new Set(users.map(({ username }: Json) => username)).size).toBe(100);
    expect(users[0]).toMatchObject({
      username: 'follower250',
      public_metrics: { followers_count: 0, following_count: 1 },
    });
    expect((await sandbox.get(`/sandbox/activity?pagination_token=${token}`, sandbox.grace)).body.data).toEqual([]);
  });

  test('have names that are not taken', async () => {
    const { authToken } = await sandbox.mint({ userName: 'follower251' });
    await sandbox.control('followers', { userName: 'grace', count: 1 });
    const users = (await sandbox.x(`/2/users/${sandbox.grace.userId}/followers?max_results=1`)).body.data;
    expect(users[0].username).toBe('follower252');
    expect(authToken).toMatch(/^\w{40}$/);
  });

  test.each([
    [{ count: 5 }, 400, 'bad_request'],
    [{ userName: 'ada' }, 400, 'bad_request'],
    [{ userName: 'ada', count: 0 }, 400, 'bad_request'],
    [{ userName: 'ada', count: 20_001 }, 400, 'bad_request'],
    [{ userName: 'nobody_at_all', count: 1 }, 404, 'not_found'],
    [{ userName: 'quickgains', count: 1 }, 403, 'user_suspended'],
  ])('refuses %j with %i', async (body, status, code) => {
    const reply = await sandbox.control('followers', body);
    expect([reply.status, reply.body.reason]).toEqual([status, code]);
  });
});
