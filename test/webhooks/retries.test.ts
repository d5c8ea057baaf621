import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { verify } from '../../src/client/webhooks/index.ts';
import { retryDelayMs, retryDelaysMs } from '../../src/webhooks/delivery/attempt-sender.ts';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { Client } from '../support/client.ts';
import { listen } from '../support/listen.ts';
import { until } from '../support/until.ts';
import { changeWebhook, fetchWebhook, idsOf, register, secret, startWebhookFixture } from './fixture.ts';

const minute = 60_000;
const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({}, { runtime });

interface Delivery {
  event_id: string;
  outcome: string;
  attempt: number;
  response_code: number | null;
  error: string | null;
  at: string;
  next_attempt_at: string | null;
}

async function deliveries(client: Client, id: string): Promise<Delivery[]> {
  return (await client.with({ authToken: '' }).get(`/webhooks/${id}/deliveries`)).body.data['deliveries'] as Delivery[];
}

/** Returns the pause between the failed attempt and the next one. */
const pauseOf = ({ at, next_attempt_at }: Delivery) => Date.parse(next_attempt_at ?? '') - Date.parse(at);

async function outcome(client: Client, id: string, expected: Partial<Delivery>): Promise<Delivery> {
  await until(async () => expect((await deliveries(client, id))[0]).toMatchObject(expected));
  return (await deliveries(client, id))[0] as Delivery;
}

test('a failed delivery is retried on schedule with the same id and bytes, and finally given up', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
  receiver.answerWith(() => ({ status: 500 }));
  await fixture.happen(account);
  const minutes = [2, 10, 30, 60, 120, 240, 480];
  const schedule = [5_000, 30_000, ...minutes.map((count) => count * minute)];
  for (const [i, delayMs] of schedule.entries()) {
    const retrying = { outcome: 'retrying', attempt: i + 1, response_code: 500, error: 'status 500' };
    const failed = await outcome(client, id, retrying);
    expect(pauseOf(failed)).toBeGreaterThanOrEqual(delayMs * 0.8);
    expect(pauseOf(failed)).toBeLessThanOrEqual(delayMs * 1.2 + 5_000);
    expect(receiver.deliveries).toHaveLength(i + 1);
    runtime.leap(delayMs * 1.2 + 1_000);
    await until(() => expect(receiver.deliveries).toHaveLength(i + 2));
  }
  await outcome(client, id, { outcome: 'given_up', attempt: 10, next_attempt_at: null });
  const attempts = receiver.deliveries.map(({ headers }) => headers['x-platform-webhooks-attempt']);
  expect(attempts).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']);
  expect(new Set(receiver.deliveries.map(({ body }) => body)).size).toBe(1);
  const signatures = receiver.deliveries.map(({ headers }) => headers['x-platform-webhooks-signature']);
  expect(new Set(signatures).size).toBe(1);
  const times = receiver.deliveries.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(new Set(times).size).toBe(10);
});

test('a retry after a 500 is delivered with a valid signature', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
  receiver.answerWith(({ headers }) => ({ status: headers['x-platform-webhooks-attempt'] === '1' ? 500 : 204 }));
  await fixture.happen(account);
  await outcome(client, id, { outcome: 'retrying' });
  runtime.leap(6_001);
  await outcome(client, id, { outcome: 'delivered', attempt: 2, response_code: 204, error: null });
  const [first, second] = receiver.deliveries;
  expect(second?.body).toBe(first?.body);
  expect(verify(second?.body ?? '', second?.headers ?? {}, secret, { now: () => runtime.now() }).attempt).toBe(2);
});

test.each([
  [503, '7', 7_000],
  [429, '40', 40_000],
  [503, '999999', 60 * minute],
  [500, '40', 5_000],
  [503, 'soon', 5_000],
  [503, '0', 5_000],
])('status %d with Retry-After %s waits that long, an hour at most', async (status, value, expected) => {
  const { client, account, receiver, id } = await fixture.webhook();
  receiver.answerWith(() => ({ status, headers: { 'retry-after': value } }));
  await fixture.happen(account);
  const failed = await outcome(client, id, { outcome: 'retrying', attempt: 1 });
  expect(pauseOf(failed)).toBeGreaterThanOrEqual(expected * 0.8);
  expect(pauseOf(failed)).toBeLessThanOrEqual(expected * 1.2 + 5_000);
});

test('a receiver that sends `Retry-After: 1` each time is retried as long as any other', () => {
  const delays = Array.from({ length: 9 }, (_, index) => retryDelayMs(index + 1, 0.5, 1_000));
  expect(delays).toEqual(retryDelaysMs);
  expect(retryDelayMs(3, 0.5, 30 * minute)).toBe(30 * minute);
  expect(retryDelayMs(10, 0.5, 1_000)).toBeNull();
});

test('410 makes the webhook invalid at once; later events are kept until it is valid again', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
  receiver.answerWith(() => ({ status: 410 }));
  await fixture.happen(account);
  await until(async () =>
    expect(await fetchWebhook(client, id)).toMatchObject({ valid: false, last_error: expect.stringContaining('410') }),
  );
  await fixture.happen(account, 'follow', 5);
  await until(async () => expect(await deliveries(client, id)).toHaveLength(6));
  runtime.leap(10_000);
  expect(receiver.deliveries).toHaveLength(1);
  receiver.answerWith(() => ({ status: 200 }));
  expect((await changeWebhook(client, 'PUT', `/webhooks/${id}`)).body.data).toMatchObject({
    valid: true,
    last_error: null,
  });
  await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBe(6));
});

test('a redirect is a failure, and is not followed', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
  const elsewhere = await fixture.receiver();
  receiver.answerWith(() => ({ status: 307, headers: { location: elsewhere.url } }));
  await fixture.happen(account);
  await outcome(client, id, { outcome: 'retrying', response_code: 307, error: 'status 307' });
  expect(elsewhere.requests).toHaveLength(0);
});

test('no response within 10 seconds is a failure', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
  receiver.answerWith(() => new Promise(() => {}));
  await fixture.happen(account);
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  runtime.leap(10_000);
  await outcome(client, id, { outcome: 'retrying', response_code: null, error: 'no response within 10 s' });
});

test('an endless response is read up to 16 KiB, and its status is the result', async () => {
  const { client } = await fixture.actor();
  let closed = false;
  const server = createServer((request, response) => {
    request.resume();
    const writing = setInterval(() => response.write('x'.repeat(1_000)), 1);
    response.on('close', () => {
      closed = true;
      clearInterval(writing);
    });
  });
  const { id } = await register(client, { url: `http://localhost:${await listen(server, 'localhost')}/` });
  await until(() => expect(closed).toBe(true));
  const sent = await client.with({ authToken: '' }).post(`/webhooks/${id}/test`);
  expect(sent.body.data).toMatchObject({ delivered: true, response_code: 200, error: null });
});
