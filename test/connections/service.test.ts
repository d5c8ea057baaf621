import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Database } from '../../src/store/sqlite/database.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { atEnd } from '../support/at-end.ts';
import type { Client } from '../support/client.ts';
import { connect, signInAt } from '../support/connect.ts';
import { startReceiver } from '../support/receiver.ts';
import { expectRefusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { useService } from '../support/use-service.ts';
import { changeWebhook, fetchWebhook, register, secret } from '../webhooks/fixture.ts';
import { eventsOf } from '../webhooks/stream-fixture.ts';

const runtime = new AdjustableRuntime();
const { service, sandbox, newCaller } = await useService({ UNAUTHENTICATED_RATE_LIMIT: '0' }, { runtime });
const hourMs = 3_600_000;

/** An account with a connection of ada. `client` uses it, and `owner` has no token. */
async function connected() {
  const { client: own } = await newCaller();
  const owner = own.with({ authToken: '' });
  const id = await connect(own);
  const status = async () => (await owner.get(`/connections/${id}`)).body.data['status'];
  return { id, owner, client: own.with({ authToken: id }), status };
}

const control = (body: Record<string, unknown>) =>
  fetch(`${service.demo.sandboxUrl}/control/oauth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

async function openStream(client: Client) {
  const controller = new AbortController();
  atEnd(() => controller.abort());
  return fetch(`${client.options.baseUrl}/events`, { headers: client.headers, signal: controller.signal });
}

describe('connection as auth_token', () => {
  test('keeps cursors and Idempotency-Keys across a refresh', async () => {
    const { client } = await connected();
    const first = await client.get('/user/followers', { userName: 'ada', count: '2' });
    const key = { 'idempotency-key': 'one-tweet' };
    const written = await client.post('/tweet/create', { text: 'Before the refresh' }, key);
    const { refreshed } = await sandboxCounts();
    runtime.leap(2 * hourMs);
    const cursor = String(first.body.data['next_cursor']);
    const second = await client.get('/user/followers', { userName: 'ada', count: '2', cursor });
    expect([second.status, second.body.error]).toEqual([200, null]);
    const again = await client.post('/tweet/create', { text: 'Before the refresh' }, key);
    expect([again.body, again.headers.get('idempotent-replayed')]).toEqual([written.body, 'true']);
    expect((await sandboxCounts()).refreshed).toBe(refreshed + 1);
  });

  test('delivers events to a webhook and a stream until the revocation, and again after a reconnect', async () => {
    const { id, client, owner, status } = await connected();
    const receiver = await startReceiver({ secret });
    const webhook = await register(client, { url: receiver.url, events: ['user.follow', 'connection.expired'] });
    await sandbox.makeEvents({ userName: 'ada', type: 'follow', count: 1 });
    await until(() => expect(receiver.deliveries.length).toBeGreaterThan(0));
    const stream = await openStream(client);
    await control({ revoke: 'ada' });
    const lastError = async () => (await fetchWebhook(owner, webhook.id)).last_error;
    await until(async () =>
      expect(await lastError()).toMatch(`Not polled any more: The connection ${id} does not work`),
    );
    expect(await lastError()).toContain(`POST /connections/${id}/reconnect`);
    expect(await status()).toBe('revoked');
    const typesOf = () => receiver.deliveries.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    await until(() =>
      expect(typesOf()).toContainEqual({
        ...{ id: expect.any(String), type: 'connection.expired', created_at: expect.any(String) },
        ...{ account_id: expect.any(String), connection_id: id, user_id: service.demo.accounts[0].userId },
        ...{ userName: 'ada', status: 'revoked', reason: expect.stringContaining(`POST /connections/${id}/reconnect`) },
      }),
    );
    expect(await lastOf(stream)).toContain('connection_ended');
    expectRefusal(await client.post('/events/token'), 403, /reconnect begins a new sign-in$/);
    expectRefusal(await client.post('/webhooks', { url: `${receiver.url}/other` }), 403);
    const begun = await owner.post(`/connections/${id}/reconnect`);
    await signInAt(String(begun.body.data['authorize_url']));
    await until(async () => expect(await lastError()).toBeNull());
    const before = receiver.deliveries.length;
    await sandbox.makeEvents({ userName: 'ada', type: 'follow', count: 1 });
    await until(() => expect(receiver.deliveries.length).toBeGreaterThan(before));
  });

  test('continues a webhook that stopped before its connection was repaired, within a minute', async () => {
    const { client, owner } = await connected();
    const receiver = await startReceiver({ secret });
    const webhook = await register(client, { url: receiver.url });
    // As after a process died between the sign-in and the notice of it.
    const database = new Database({ path: join(service.dataDir, 'postern.sqlite'), durable: false });
    database.run("UPDATE poller SET stopped = 'the connection does not work', woken = 1", []);
    database.close();
    const lastError = async () => (await fetchWebhook(owner, webhook.id)).last_error;
    expect(await lastError()).toMatch(/^Not polled any more/);
    await until(async () => {
      runtime.leap(10_000);
      expect(await lastError()).toBeNull();
    });
    await sandbox.makeEvents({ userName: 'ada', type: 'follow', count: 1 });
    await until(() => expect(receiver.deliveries.length).toBeGreaterThan(0));
  });

  test('takes over the webhook of a raw token, and stops it after the deletion', async () => {
    const { id, client, owner } = await connected();
    const raw = client.with({ authToken: service.demo.accounts[0].authToken });
    const receiver = await startReceiver({ secret });
    const webhook = await register(raw, { url: receiver.url });
    const moved = await changeWebhook(owner, 'PUT', `/webhooks/${webhook.id}`, { auth_token: id });
    expect([moved.status, moved.body.error]).toEqual([200, null]);
    await sandbox.makeEvents({ userName: 'ada', type: 'follow', count: 1 });
    await until(() => expect(receiver.deliveries.length).toBeGreaterThan(0));
    const stream = await openStream(client);
    await owner.write('DELETE', `/connections/${id}`);
    const lastError = async () => (await fetchWebhook(owner, webhook.id)).last_error;
    await until(async () => expect(await lastError()).toMatch(`Not polled any more: Connection not found: ${id}`));
    expect(await lastOf(stream)).toContain('connection_ended');
    expectRefusal(await changeWebhook(owner, 'PUT', `/webhooks/${webhook.id}`, { auth_token: id }), 404);
  });

  test('refuses malformed and foreign ids with 404 and pending ones with 409, free', async () => {
    const { id, client, owner } = await connected();
    const { client: stranger } = await newCaller();
    const pending = String((await owner.post('/connections')).body.data['id']);
    const calls = (own: Client) => [
      own.get('/user/me'),
      own.post('/tweet/create', { text: 'x' }),
      own.post('/webhooks', { url: 'http://localhost:1/' }),
      own.post('/events/token'),
      own.get('/events'),
    ];
    const balance = (await owner.get('/account/balance')).body.data['balance'];
    for (const answer of await Promise.all(calls(client.with({ authToken: 'conn_1' })))) expectRefusal(answer, 404);
    for (const answer of await Promise.all(calls(stranger.with({ authToken: id })))) expectRefusal(answer, 404);
    for (const answer of await Promise.all(calls(client.with({ authToken: pending })))) expectRefusal(answer, 409);
    expect((await owner.get('/account/balance')).body.data['balance']).toBe(balance);
  });

  test('refuses a key for an unknown, foreign or deleted connection with 404', async () => {
    const { id, owner } = await connected();
    const { owner: stranger } = await connected();
    const create = (by: Client, one: string) => by.post('/account/keys', { name: 'Bot', connections: [id, one] });
    for (const each of [`conn_${'0'.repeat(22)}`, await connect(stranger, 'grace')])
      expectRefusal(await create(owner, each), 404, new RegExp(`no connection ${each}`));
    await owner.write('DELETE', `/connections/${id}`);
    expectRefusal(await create(owner, id), 404, new RegExp(`no connection ${id}`));
  });

  test('refuses other connections, tokens and changes with 403 for a restricted key', async () => {
    const { id, client, owner } = await connected();
    const other = await connect(owner, 'grace');
    const { body } = await owner.post('/account/keys', { name: 'Bot', connections: [id] });
    const bot = client.with({ key: String(body.data['key']) });
    expect((await bot.get('/user/me')).body.data['userName']).toBe('ada');
    const refusals = [
      bot.with({ authToken: other }).get('/user/me'),
      bot.with({ authToken: service.demo.accounts[0].authToken }).get('/user/me'),
      bot.post('/connections'),
      bot.post(`/connections/${id}/reconnect`),
      bot.write('DELETE', `/connections/${id}`),
    ];
    for (const answer of await Promise.all(refusals))
      expectRefusal(answer, 403, /may (not use the connection conn_|use only some connections)/);
    const reader = bot.with({ authToken: '' });
    const listed = (await reader.get('/connections')).body.data['connections'] as { id: string }[];
    expect(listed.map((each) => each.id)).toEqual([id]);
    expectRefusal(await reader.get(`/connections/${other}`), 404);
  });
});

/** Returns the last event of a stream, when it has ended. */
async function lastOf(stream: Response): Promise<string> {
  let last = '';
  for await (const event of eventsOf(stream)) last = event;
  return last;
}

async function sandboxCounts(): Promise<{ refreshed: number }> {
  const stats = (await (await fetch(`${service.demo.sandboxUrl}/control/stats`)).json()) as {
    oauth: { refreshes: number };
  };
  return { refreshed: stats.oauth.refreshes };
}
