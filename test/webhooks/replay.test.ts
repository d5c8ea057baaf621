import { expect, test } from 'vitest';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { Answer, Client } from '../support/client.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import { changeWebhook, idsOf, register, startWebhookFixture } from './fixture.ts';

const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({}, { runtime });

/** Waits until the results of so many deliveries are stored, which happens after the receiver has responded. */
async function untilStored(owner: Client, id: string, count: number): Promise<void> {
  await until(async () => {
    const listed: { event_id: string; outcome: string }[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      const query: Record<string, string> = { count: '100', ...(cursor !== '' && { cursor: String(cursor) }) };
      const { data }: Answer['body'] = (await owner.get(`/webhooks/${id}/deliveries`, query)).body;
      listed.push(...(data['deliveries'] as typeof listed));
      cursor = data['next_cursor'];
      expect(data['has_more']).toBe(cursor !== null);
    }
    expect(listed.map(({ outcome }) => outcome)).toEqual(Array(count).fill('delivered'));
    expect(new Set(listed.map(({ event_id }) => event_id)).size).toBe(count);
  });
}

test('a replay sends the same ids and bytes again, to all valid webhooks or to one', async () => {
  const { client, account } = await fixture.actor();
  const owner = client.with({ authToken: '' });
  const receivers = await Promise.all([0, 1, 2].map(() => fixture.receiver()));
  const [one, two, invalid] = receivers as [(typeof receivers)[0], (typeof receivers)[0], (typeof receivers)[0]];
  const [first, second, third] = [
    await register(client, { url: one.url }),
    await register(client, { url: two.url, events: ['user.follow'] }),
    await register(client, { url: invalid.url }),
  ];
  await client.post('/tweet/create', { text: 'Mine' });
  await fixture.happen(account, 'follow', 4);
  await fixture.happen(account, 'like', 3);
  await until(() => expect(receivers.map(({ deliveries }) => deliveries.length)).toEqual([7, 4, 7]));
  await untilStored(owner, first.id, 7);
  await untilStored(owner, second.id, 4);
  invalid.secret = 'forgotten';
  await changeWebhook(client, 'PUT', `/webhooks/${third.id}`);

  const answer = await owner.post('/webhooks/replay');
  expect([answer.status, answer.headers.get('x-credits-charged')]).toEqual([200, '0.005']);
  expect(answer.body.data).toEqual({
    replayed: 11,
    webhooks: expect.arrayContaining([
      { id: first.id, replayed: 7 },
      { id: second.id, replayed: 4 },
    ]),
  });
  expect(answer.body.data['webhooks']).toHaveLength(2);
  await until(() => expect(receivers.map(({ deliveries }) => deliveries.length)).toEqual([14, 8, 7]));
  await untilStored(owner, second.id, 4);
  const bodies = one.deliveries.map(({ body }) => body);
  expect(bodies.slice(7).sort()).toEqual(bodies.slice(0, 7).sort());
  expect(one.deliveries.slice(7).map(({ headers }) => headers['x-platform-webhooks-attempt'])).toEqual(
    Array(7).fill('1'),
  );

  const again = await owner.post('/webhooks/replay', { webhook_id: second.id });
  expect(again.body.data).toEqual({ replayed: 4, webhooks: [{ id: second.id, replayed: 4 }] });
  await until(() => expect(receivers.map(({ deliveries }) => deliveries.length)).toEqual([14, 12, 7]));
  // A handshake precedes each replay.
  expect(two.requests.filter(({ method }) => method === 'GET')).toHaveLength(3);

  const before = await restingBalance(client);
  expectRefusal(await owner.post('/webhooks/replay', { webhook_id: third.id }), 409, /not valid/);
  expectRefusal(await owner.post('/webhooks/replay', { webhook_id: 'wh_none' }), 404, 'Webhook not found: wh_none');
  expect(await restingBalance(client)).toBe(before);
});

test('a receiver that fails its handshake gets no replay; an unreachable one stays valid', async () => {
  const { account, receiver, id, owner } = await fixture.webhook();
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  await untilStored(owner, id, 1);
  receiver.answerCrcWith(() => ({ status: 502 }));
  const away = await owner.post('/webhooks/replay', { webhook_id: id });
  expect(away.body.data).toMatchObject({ replayed: 1 });
  expect((await owner.get(`/webhooks/${id}`)).body.data).toMatchObject({
    valid: true,
    last_error: 'CRC failed: it answered with status 502 instead of 200',
  });
  await until(() => expect(receiver.deliveries).toHaveLength(2));
  receiver.answerCrcWith(() => ({ status: 200, body: '{}' }));
  expectRefusal(await owner.post('/webhooks/replay', { webhook_id: id }), 409, /no text under response_token/);
  expect((await owner.get(`/webhooks/${id}`)).body.data['valid']).toBe(false);
  expect(receiver.deliveries).toHaveLength(2);
});

test('a large replay to a slow receiver does not delay new events', async () => {
  const { client, account, owner, receiver, id } = await fixture.webhook();
  await client.post('/tweet/create', { text: 'Mine' });
  await fixture.happen(account, 'follow', 120);
  await until(() => expect(receiver.deliveries).toHaveLength(120));
  await untilStored(owner, id, 120);
  const slow: (() => void)[] = [];
  receiver.answerWith(async ({ body }) => {
    if (body.includes('user.follow')) await new Promise<void>((resolve) => slow.push(resolve));
    return { status: 200 };
  });
  const { body } = await owner.post('/webhooks/replay', { webhook_id: id });
  expect(body.data['replayed']).toBe(120);
  await until(() => expect(receiver.deliveries).toHaveLength(121));
  await fixture.happen(account, 'like', 20);
  await until(() => expect(receiver.deliveries).toHaveLength(141));
  receiver.answerWith(() => ({ status: 200 }));
  for (const release of slow) release();
  await until(() => expect(receiver.deliveries).toHaveLength(260));
  expect(new Set(idsOf(receiver.deliveries)).size).toBe(140);
});

test('a replay sends deliveries that wait for a retry at once', async () => {
  const { account, owner, receiver, id } = await fixture.webhook({}, { answer: () => ({ status: 500 }) });
  await fixture.happen(account, 'follow', 110);
  await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBe(110));
  receiver.answerWith(() => ({ status: 200 }));
  expect((await owner.post('/webhooks/replay', { webhook_id: id })).body.data['replayed']).toBe(110);
  await until(async () => {
    const { deliveries } = (await owner.get(`/webhooks/${id}/deliveries`, { count: '100' })).body.data;
    for (const each of deliveries as object[]) expect(each).toMatchObject({ outcome: 'delivered' });
  });
});

test('a replay may be limited to events that failed, and to later events', async () => {
  const { account, receiver, id, owner } = await fixture.webhook();
  await fixture.happen(account, 'follow', 3);
  await until(() => expect(receiver.deliveries).toHaveLength(3));
  await untilStored(owner, id, 3);
  receiver.answerWith(() => ({ status: 500 }));
  await fixture.happen(account, 'follow', 2);
  await until(() => expect(receiver.deliveries).toHaveLength(5));
  const failed = idsOf(receiver.deliveries).slice(3);
  receiver.answerWith(() => ({ status: 200 }));
  const before = new Date(Date.now() - 3_600_000).toISOString();
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const count = async (input: object) =>
    (await owner.post('/webhooks/replay', { webhook_id: id, ...input })).body.data['replayed'];
  expect(await count({ only: 'failed', since: later })).toBe(0);
  expect(await count({ since: later })).toBe(0);
  expect(await count({ only: 'failed', since: before })).toBe(2);
  await until(() => expect(idsOf(receiver.deliveries).slice(5).sort()).toEqual(failed.sort()));
  await untilStored(owner, id, 5);
  expect(await count({ only: 'failed' })).toBe(0);
  expectRefusal(await owner.post('/webhooks/replay', { only: 'all' }), 400, /only: .*failed/);
  expectRefusal(await owner.post('/webhooks/replay', { since: 'today' }), 400, /since: .*ISO 8601/);
});

test('test events are signed, not stored, and limited to ten a minute', async () => {
  const { receiver, id, owner } = await fixture.webhook();
  for (let i = 0; i < 10; i++) {
    const { status, headers, body } = await owner.post(`/webhooks/${id}/test`);
    expect([status, headers.get('x-credits-charged')]).toEqual([200, '0.0025']);
    const duration_ms = expect.any(Number);
    expect(body.data).toEqual({ delivered: true, response_code: 200, duration_ms, error: null });
  }
  const refused = await owner.post(`/webhooks/${id}/test`);
  expectRefusal(refused, 429, /10 test events per minute/);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(receiver.deliveries.map(({ body }) => JSON.parse(body))).toEqual(
    Array(10).fill({
      type: 'webhook.test',
      webhook_id: id,
      id: expect.any(String),
      created_at: expect.any(String),
    }),
  );
  expect((await owner.get(`/webhooks/${id}/deliveries`)).body.data['deliveries']).toEqual([]);
  runtime.leap(60_000);
  receiver.answerWith(() => ({ status: 418 }));
  const failed = (await owner.post(`/webhooks/${id}/test`)).body.data;
  expect(failed).toMatchObject({ delivered: false, response_code: 418, error: 'status 418' });
});
