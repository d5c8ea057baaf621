import { describe, expect, test } from 'vitest';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, idsOf, register, secret, startWebhookFixture } from './fixture.ts';

const fixture = await startWebhookFixture();
const { client, account } = await fixture.actor();

const isoTime = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);

describe('a webhook', () => {
  test('whose receiver knows the secret is valid at once', async () => {
    const { url, requests } = await fixture.receiver();
    const answer = await client.post('/webhooks', { url, secret });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-credits-charged')).toBe('0.0025');
    const id = expect.stringMatching(/^wh_/);
    expect(answer.body.data).toEqual({ id, url, valid: true, created_at: isoTime, secret, last_error: null });
    expect(requests.map(({ method, url }) => [method, url.replace(/=.*/, '')])).toEqual([['GET', '/hook?crc_token']]);
  });

  test('without a secret gets one, and is valid when the receiver has it', async () => {
    const receiver = await fixture.receiver();
    const created = await register(client, { url: receiver.url, secret: undefined });
    expect(created).toMatchObject({ valid: false, secret: expect.stringMatching(/^.{16,128}$/) });
    receiver.secret = created.secret ?? '';
    const answer = await changeWebhook(client, 'PUT', `/webhooks/${created.id}`);
    expect(answer.headers.get('x-credits-charged')).toBe('0.0025');
    expect(answer.body.data).toEqual({
      id: created.id,
      url: receiver.url,
      valid: true,
      created_at: created.created_at,
      events: null,
      has_encryption_code: false,
      last_validated_at: isoTime,
      last_delivery_at: null,
      last_error: null,
      paused: false,
      state: 'active',
      state_reason: null,
    });
  });

  test('is invalid with a reason after a failed validation', async () => {
    const receiver = await fixture.receiver();
    const { id } = await register(client, { url: receiver.url });
    receiver.secret = 'quite another secret';
    const { status, body } = await changeWebhook(client, 'PUT', `/webhooks/${id}`);
    expect([status, body.data['valid']]).toEqual([200, false]);
    expect(body.data['last_error']).toMatch(/not made with the secret/);
    expect((await fetchWebhook(client, id)).valid).toBe(false);
  });

  test('keeps the query of its URL in the handshake', async () => {
    const { url, requests } = await fixture.receiver();
    const created = await register(client, { url: `${url}?for=a%20b&x=1` });
    expect(created).toMatchObject({ valid: true, url: `${url}?for=a%20b&x=1` });
    expect(requests[0]?.url).toMatch(/^\/hook\?for=a%20b&x=1&crc_token=/);
  });

  test('can have a secret of 16 and of 128 characters', async () => {
    for (const secret of ['s'.repeat(16), 's'.repeat(128)]) {
      const { url } = await fixture.receiver({ secret });
      expect(await register(client, { url, secret })).toMatchObject({ valid: true, secret });
    }
  });

  test('moves to a new URL after a handshake with it has passed', async () => {
    const [from, to] = [await fixture.receiver(), await fixture.receiver({ secret: 'not known there yet' })];
    const { id } = await register(client, { url: from.url });
    const moved = await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: to.url });
    expect(moved.body.data).toMatchObject({ url: to.url, valid: false });
    to.secret = secret;
    expect((await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: to.url })).body.data['valid']).toBe(true);
    const before = from.requests.length;
    await fixture.happen(account);
    await until(() => expect(to.deliveries).toHaveLength(1));
    expect(from.requests).toHaveLength(before);
    await changeWebhook(client, 'DELETE', `/webhooks/${id}`);
  });

  test('can change its event types without another handshake', async () => {
    const receiver = await fixture.receiver();
    const { id } = await register(client, { url: receiver.url, events: ['tweet.like'] });
    expect((await fetchWebhook(client, id)).events).toEqual(['tweet.like']);
    const { body } = await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { events: ['user.follow'] });
    expect(body.data).toMatchObject({ events: ['user.follow'], valid: true });
    const [follow] = await fixture.happen(account);
    expect(follow).toBeDefined();
    await until(() => expect(idsOf(receiver.deliveries)).toHaveLength(1));
    expect((await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { events: null })).body.data['events']).toBeNull();
    expect(receiver.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  test('does not exist after DELETE and gets no deliveries', async () => {
    const [gone, stays] = [await fixture.receiver(), await fixture.receiver()];
    const { id } = await register(client, { url: gone.url });
    const other = await register(client, { url: stays.url });
    const { status, headers, body } = await changeWebhook(client, 'DELETE', `/webhooks/${id}`);
    expect([status, headers.get('x-credits-charged'), body.data]).toEqual([200, '0.0025', { id, deleted: true }]);
    await fixture.happen(account);
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
      expectRefusal(
        await changeWebhook(client, method, `/webhooks/${id}${path}`, wish),
        404,
        `Webhook not found: ${id}`,
      );
    }
    await changeWebhook(client, 'DELETE', `/webhooks/${other.id}`);
  });

  test('keeps its auth_token if another one is refused', async () => {
    const receiver = await fixture.receiver();
    const { id } = await register(client, { url: receiver.url });
    const put = (webhook: string) =>
      changeWebhook(client.with({ authToken: '' }), 'PUT', `/webhooks/${webhook}`, { auth_token: 'zzz' });
    const before = await restingBalance(client);
    expectRefusal(await put(id), 403, 'Platform rejected auth_token');
    expect(await restingBalance(client)).toBe(before);
    await fixture.happen(account);
    await until(() => expect(receiver.deliveries).toHaveLength(1));
    expectRefusal(await put('wh_none'), 404, 'Webhook not found: wh_none');
    await changeWebhook(client, 'DELETE', `/webhooks/${id}`);
  });

  test('of another API account is 404', async () => {
    const { id } = await register(client, { url: (await fixture.receiver()).url });
    const { client: stranger } = await fixture.actor();
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expectRefusal(await changeWebhook(stranger, method, `/webhooks/${id}`), 404, `Webhook not found: ${id}`);
    }
    expectRefusal(await stranger.post('/webhooks/replay', { webhook_id: id }), 404, `Webhook not found: ${id}`);
    expect((await stranger.get('/webhooks')).body.data['webhooks']).toEqual([]);
  });
});

test('an account can have 100 webhooks, listed newest first in pages', async () => {
  const { client } = await fixture.actor();
  const { url } = await fixture.receiver();
  const made: string[] = [];
  while (made.length < 100) {
    const urls = Array.from({ length: 10 }, (_, at) => `${url}?${made.length + at}`);
    const ten = await Promise.all(urls.map((each) => register(client, { url: each })));
    made.push(...ten.map(({ id }) => id));
  }
  const before = await restingBalance(client);
  expectRefusal(await client.post('/webhooks', { url, secret }), 429, /may have at most 100 webhooks/);
  expect(await restingBalance(client)).toBe(before);
  const listed: string[] = [];
  for (let cursor = ''; ; ) {
    const answer = await client.with({ authToken: '' }).get('/webhooks', { count: '40', ...(cursor && { cursor }) });
    expect(answer.headers.get('x-credits-charged')).toBe('0.0025');
    listed.push(...(answer.body.data['webhooks'] as { id: string }[]).map(({ id }) => id));
    expect(answer.body.data['has_more']).toBe(answer.body.data['next_cursor'] !== null);
    if (!answer.body.data['has_more']) break;
    cursor = String(answer.body.data['next_cursor']);
  }
  expect([...listed].sort()).toEqual([...made].sort());
  await changeWebhook(client, 'DELETE', `/webhooks/${made[0]}`);
  expect((await client.post('/webhooks', { url, secret })).status).toBe(200);
});

test('GET /account/webhooks and reads of one webhook: cost nothing, and the list needs the key group webhooks', async () => {
  const { client, account, owner, receiver, id } = await fixture.webhook();
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  const before = await restingBalance(owner);
  const { webhooks } = (await owner.get('/account/webhooks')).body.data;
  expect(webhooks).toMatchObject([{ id, url: receiver.url }]);
  const restricted = async (group: string) => {
    const body = { name: 'Restricted', groups: [group] };
    return owner.with({ key: String((await owner.post('/account/keys', body)).body.data['key']) });
  };
  expect((await (await restricted('webhooks')).get('/account/webhooks')).body.data['webhooks']).toEqual(webhooks);
  expectRefusal(await (await restricted('account')).get('/account/webhooks'), 403);
  for (const path of ['', '/deliveries', `/deliveries/${idsOf(receiver.deliveries)[0]}`]) {
    expect((await client.with({ authToken: '' }).get(`/webhooks/${id}${path}`)).status).toBe(200);
  }
  expect(await restingBalance(owner)).toBe(before);
});
