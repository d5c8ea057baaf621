import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import type { Client } from '../support/client.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { expectRefusal } from '../support/refusal.ts';
import { until } from '../support/until.ts';
import {
  type Account,
  changeWebhook,
  idsOf,
  makeEvent,
  outcomesOf,
  register,
  startWebhookFixture,
  untilQuiet,
  type WebhookFixture,
} from './fixture.ts';

const runtime = new AdjustableRuntime();
let fixture: WebhookFixture;
beforeAll(async () => {
  fixture = await startWebhookFixture({}, { runtime });
});
afterAll(() => fixture.stop());

async function setPaused(client: Client, id: string, paused: boolean) {
  const { status, body } = await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused });
  expect(status).toBe(200);
  return body.data;
}

test('a paused webhook gets nothing, and after its resumption the events of the pause, oldest first', async () => {
  const { client, account } = await fixture.actor();
  const receiver = await fixture.receiver();
  const { id } = await register(client, { url: receiver.url });
  expect(await setPaused(client, id, true)).toMatchObject({ paused: true, valid: true });
  for (let count = 0; count < 30; count++) await fixture.happen(account);
  await until(async () => expect(await outcomesOf(client, id)).toEqual(Array(30).fill('waiting')));
  await sleep(1_000);
  expect(receiver.deliveries).toEqual([]);
  expect(await setPaused(client, id, false)).toMatchObject({ paused: false, state: 'active' });
  await until(async () => expect(await outcomesOf(client, id)).toEqual(Array(30).fill('delivered')));
  const happenedAt = new Map(
    receiver.deliveries.map(({ body }) => {
      const event = JSON.parse(body) as { id: string; created_at: string };
      return [event.id, event.created_at];
    }),
  );
  const { deliveries } = (await client.with({ authToken: '' }).get(`/webhooks/${id}/deliveries`, { count: '30' })).body
    .data;
  const begun = (deliveries as { event_id: string; at: string }[]).map(
    ({ event_id, at }) => [at, happenedAt.get(event_id) ?? ''] as const,
  );
  // The attempts began in the order of the events. Their requests may arrive in another order.
  const inOrder = begun.sort().map(([, happened]) => happened);
  expect(inOrder).toEqual([...inOrder].sort());
});

test('a pause ends running attempts and retries, which begin again after it', async () => {
  const { client, account } = await fixture.actor();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const receiver = await fixture.receiver({ answer: () => released.then(() => ({ status: 200 })) });
  const { id } = await register(client, { url: receiver.url });
  await fixture.happen(account, 'follow', 50);
  await until(() => expect(receiver.deliveries).toHaveLength(8));
  await setPaused(client, id, true);
  release();
  runtime.leap(10_000);
  await sleep(1_500);
  expect(receiver.deliveries).toHaveLength(8);
  expect(await outcomesOf(client, id)).toEqual(Array(50).fill('waiting'));
  await setPaused(client, id, true);
  await setPaused(client, id, false);
  await until(() => expect(receiver.deliveries).toHaveLength(58));
  expect(new Set(idsOf(receiver.deliveries)).size).toBe(50);
});

test('a paused webhook can be tested and validated, but nothing can be replayed to it', async () => {
  const { client, account } = await fixture.actor();
  const owner = client.with({ authToken: '' });
  const receivers = [await fixture.receiver(), await fixture.receiver()];
  const [first, second] = await Promise.all(receivers.map(({ url }) => register(client, { url })));
  await fixture.happen(account);
  for (const { id = '' } of [first ?? {}, second ?? {}]) {
    await until(async () => expect(await outcomesOf(client, id)).toEqual(['delivered']));
  }
  const id = first?.id ?? '';
  await setPaused(client, id, true);
  const resumeFirst = /^The webhook is paused.* Resume it first/;
  expectRefusal(await owner.post('/webhooks/replay', { webhook_id: id }), 409, resumeFirst);
  const { deliveries } = (await owner.get(`/webhooks/${id}/deliveries`)).body.data;
  const [{ event_id = '' } = {}] = deliveries as { event_id: string }[];
  expectRefusal(await owner.post(`/webhooks/${id}/deliveries/${event_id}/resend`), 409, resumeFirst);
  expect((await owner.post('/webhooks/replay')).body.data['webhooks']).toEqual([{ id: second?.id, replayed: 1 }]);
  expect((await owner.post(`/webhooks/${id}/test`)).body.data).toMatchObject({ delivered: true });
  const validated = await changeWebhook(client, 'PUT', `/webhooks/${id}`);
  expect(validated.body.data).toMatchObject({ valid: true, paused: true });
  expectRefusal(await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused: 'yes' }), 400, /paused/);
});

test('a webhook that another gateway pauses gets no more deliveries', async () => {
  const fleet: Fleet = await startFleet(null);
  try {
    const gateways = [await fleet.start(), await fleet.start()];
    const payer = await fleet.admin.createAccount('Pauses', 1_000_000);
    const key = (await fleet.admin.createKey(payer, 'Key')).key.expose();
    const { client: template } = await fixture.actor();
    const account: Account = { userName: 'ada', userId: '', authToken: '' };
    const authToken = gateways[0]?.demo.accounts.find(({ userName }) => userName === 'ada')?.authToken ?? '';
    for (const { demo } of gateways) {
      const client = template.with({ baseUrl: demo.baseUrl, key, authToken });
      const receiver = await fixture.receiver({ answer: () => ({ status: 200, delayMs: 500 }) });
      const { id } = await register(client, { url: receiver.url });
      await makeEvent(fleet.sandboxUrl, account, 'follow', 300);
      await until(() => expect(receiver.deliveries.length).toBeGreaterThan(8));
      await setPaused(client, id, true);
      await untilQuiet(receiver);
      expect(receiver.deliveries.length).toBeLessThan(300);
      receiver.answerWith(() => ({ status: 200 }));
      await setPaused(client, id, false);
      await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBeGreaterThanOrEqual(300));
      await changeWebhook(client, 'DELETE', `/webhooks/${id}`);
    }
  } finally {
    await fleet.stop();
  }
});
