import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '../support/client.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { type Account, change, idsOf, look, register, secret, startWorld, until, type World } from './world.ts';

let world: World;
let client: Client;
let account: Account;
beforeAll(async () => {
  world = await startWorld();
  ({ client, account } = await world.actor());
});
afterAll(() => world.stop());

const isoTime = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

describe('a webhook', () => {
  test('whose receiver knows the secret is valid at once', async () => {
    const { url, requests } = await world.receiver();
    const answer = await client.post('/webhooks', { url, secret });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-charged')).toBe('0.0025');
    const id = expect.stringMatching(/^wh_/);
    expect(answer.body.data).toEqual({ id, url, valid: true, created_at: isoTime, secret, last_error: null });
    expect(requests.map(({ method, url }) => [method, url.replace(/=.*/, '')])).toEqual([['GET', '/hook?crc_token']]);
  });

  test('without a secret gets one, and is valid once the receiver knows it', async () => {
    const receiver = await world.receiver();
    const created = await register(client, { url: receiver.url, secret: undefined });
    expect(created).toMatchObject({ valid: false, secret: expect.stringMatching(/^.{16,128}$/) });
    receiver.secret = created.secret ?? '';
    const answer = await change(client, 'PUT', `/webhooks/${created.id}`);
    expect(answer.headers.get('x-credits-charged')).toBe('0.0025');
    expect(answer.body.data).toEqual({
      ...{ id: created.id, url: receiver.url, valid: true, created_at: created.created_at, events: null },
      ...{ has_encryption_code: false, last_validated_at: isoTime, last_delivery_at: null, last_error: null },
    });
  });

  test('is invalid, and says why, once a validation fails', async () => {
    const receiver = await world.receiver();
    const { id } = await register(client, { url: receiver.url });
    receiver.secret = 'quite another secret';
    const { status, body } = await change(client, 'PUT', `/webhooks/${id}`);
    expect([status, body.data['valid']]).toEqual([200, false]);
    expect(body.data['last_error']).toMatch(/not made with the secret/);
    expect((await look(client, id)).valid).toBe(false);
  });

  test('keeps the query of its address through the handshake', async () => {
    const { url, requests } = await world.receiver();
    const created = await register(client, { url: `${url}?for=a%20b&x=1` });
    expect(created).toMatchObject({ valid: true, url: `${url}?for=a%20b&x=1` });
    expect(requests[0]?.url).toMatch(/^\/hook\?for=a%20b&x=1&crc_token=/);
  });

  test('may have secrets of 16 and of 128 characters', async () => {
    for (const secret of ['s'.repeat(16), 's'.repeat(128)]) {
      const { url } = await world.receiver({ secret });
      expect(await register(client, { url, secret })).toMatchObject({ valid: true, secret });
    }
  });

  test('moves to a new address once that one answers', async () => {
    const [from, to] = [await world.receiver(), await world.receiver({ secret: 'not known there yet' })];
    const { id } = await register(client, { url: from.url });
    const moved = await change(client, 'PATCH', `/webhooks/${id}`, { url: to.url });
    expect(moved.body.data).toMatchObject({ url: to.url, valid: false });
    to.secret = secret;
    expect((await change(client, 'PATCH', `/webhooks/${id}`, { url: to.url })).body.data['valid']).toBe(true);
    const before = from.requests.length;
    await world.happen(account);
    await until(() => expect(to.deliveries).toHaveLength(1));
    expect(from.requests).toHaveLength(before);
    await change(client, 'DELETE', `/webhooks/${id}`);
  });

  test('changes its types of events without another handshake', async () => {
    const receiver = await world.receiver();
    const { id } = await register(client, { url: receiver.url, events: ['tweet.like'] });
    expect((await look(client, id)).events).toEqual(['tweet.like']);
    const { body } = await change(client, 'PATCH', `/webhooks/${id}`, { events: ['user.follow'] });
    expect(body.data).toMatchObject({ events: ['user.follow'], valid: true });
    const [follow] = await world.happen(account);
    expect(follow).toBeDefined();
    await until(() => expect(idsOf(receiver.deliveries)).toHaveLength(1));
    expect((await change(client, 'PATCH', `/webhooks/${id}`, { events: null })).body.data['events']).toBeNull();
    expect(receiver.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  test('is gone after DELETE, and gets nothing more', async () => {
    const [gone, stays] = [await world.receiver(), await world.receiver()];
    const { id } = await register(client, { url: gone.url });
    const other = await register(client, { url: stays.url });
    const { status, headers, body } = await change(client, 'DELETE', `/webhooks/${id}`);
    expect([status, headers.get('x-credits-charged'), body.data]).toEqual([200, '0.0025', { id, deleted: true }]);
    await world.happen(account);
    await until(() => expect(stays.deliveries).toHaveLength(1));
    expect(gone.deliveries).toHaveLength(0);
    for (const [method, path, wish] of [
      ['DELETE', ''],
      ['GET', ''],
      ['PUT', ''],
      ['PATCH', '', { events: null }],
      ['GET', '/deliveries'],
      ['POST', '/test', {}],
      ['POST', '/rotate-secret', {}],
    ] as const) {
      expectRefusal(await change(client, method, `/webhooks/${id}${path}`, wish), 404, `Webhook not found: ${id}`);
    }
    await change(client, 'DELETE', `/webhooks/${other.id}`);
  });

  test('keeps the auth_token that it has where another one is refused', async () => {
    const receiver = await world.receiver();
    const { id } = await register(client, { url: receiver.url });
    const put = (webhook: string) =>
      change(client.with({ authToken: '' }), 'PUT', `/webhooks/${webhook}`, { auth_token: 'zzz' });
    const before = await restingBalance(client);
    expectRefusal(await put(id), 403, 'Platform rejected auth_token');
    expect(await restingBalance(client)).toBe(before);
    await world.happen(account);
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    expectRefusal(await put('wh_none'), 404, 'Webhook not found: wh_none');
    await change(client, 'DELETE', `/webhooks/${id}`);
  });

  test('of another API account is not to be found', async () => {
    const { id } = await register(client, { url: (await world.receiver()).url });
    const { client: stranger } = await world.actor();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expectRefusal(await change(stranger, method, `/webhooks/${id}`), 404, `Webhook not found: ${id}`);
    }
    expectRefusal(await stranger.post('/webhooks/replay', { webhook_id: id }), 404, `Webhook not found: ${id}`);
    expect((await stranger.get('/webhooks')).body.data['webhooks']).toEqual([]);
  });
});

test('an account may have 100, listed newest first in pages', async () => {
  const { client } = await world.actor();
  const { url } = await world.receiver();
  const made: string[] = [];
  while (made.length < 100) {
    const ten = await Promise.all(Array.from({ length: 10 }, () => register(client, { url })));
    made.push(...ten.map(({ id }) => id));
  }
  const before = await restingBalance(client);
  expectRefusal(await client.post('/webhooks', { url, secret }), 429, /may have 100 webhooks/);
  expect(await restingBalance(client)).toBe(before);
  const listed: string[] = [];
  for (let cursor = ''; ; ) {
    const answer = await client.with({ authToken: '' }).get('/webhooks', { count: '40', ...(cursor && { cursor }) });
    expect(answer.headers.get('x-credits-charged')).toBe('0.0025');
    listed.push(...(answer.body.data['webhooks'] as { id: string }[]).map(({ id }) => id));
    if (!answer.body.data['has_more']) break;
    cursor = String(answer.body.data['next_cursor']);
  }
  expect([...listed].sort()).toEqual([...made].sort());
  await change(client, 'DELETE', `/webhooks/${made[0]}`);
  expect((await client.post('/webhooks', { url, secret })).status).toBe(200);
});
