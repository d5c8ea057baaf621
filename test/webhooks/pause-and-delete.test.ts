import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { Client } from '../support/client.ts';
import { startFleet } from '../support/fleet.ts';
import { onSqlite } from '../support/on-sqlite.ts';
import { expectRefusal } from '../support/refusal.ts';
import { isAll } from '../support/repetitions.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';
import { changeWebhook, idsOf, outcomesOf, register, startWebhookFixture, untilQuiet } from './fixture.ts';

const runtime = new AdjustableRuntime();
const fixture = await startWebhookFixture({}, { runtime });

/** Delays its responses until `release` is called. */
function holding() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { answer: () => released.then(() => ({ status: 200 })), release };
}

/** Creates 50 events for a webhook. Its window of 8 deliveries is full, because they get no response until `release` is called. */
async function fullWindow() {
  const { answer, release } = holding();
  const made = await fixture.webhook({}, { answer });
  await fixture.happen(made.account, 'follow', 50);
  await until(() => expect(made.receiver.deliveries).toHaveLength(8));
  return { ...made, release };
}

test('a retry that is due after the response to DELETE is not sent', async () => {
  const { client, account, receiver, id } = await fixture.webhook({}, { answer: () => ({ status: 500 }) });
  await fixture.happen(account, 'follow', 20);
  await until(async () => expect(await outcomesOf(client, id)).toEqual(Array(20).fill('retrying')));
  expect((await changeWebhook(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  const sent = receiver.deliveries.length;
  runtime.leap(10_000);
  await sleep(1_500);
  expect(receiver.deliveries).toHaveLength(sent);
});

test('a delivery that waits for earlier ones is not sent after the response to DELETE', async () => {
  const { client, receiver, release, id } = await fullWindow();
  expect((await changeWebhook(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  release();
  await sleep(1_500);
  expect(receiver.deliveries).toHaveLength(8);
});

test('a repeated DELETE deletes the deliveries that a failed one left', async () => {
  const { client, account, id } = await fixture.webhook({}, { answer: () => ({ status: 500 }) });
  await fixture.happen(account, 'follow', 3);
  await until(async () => expect(await outcomesOf(client, id)).toEqual(Array(3).fill('retrying')));
  const path = join(fixture.service.dataDir, 'postern.sqlite');
  const count = 'SELECT count(*) AS number FROM delivery WHERE webhook = ?';
  const stored = () => onSqlite(path, (store) => store.prepare(count).get(id));
  // Simulates a DELETE that failed after it had deleted the webhook and before it deleted the deliveries.
  await until(() => onSqlite(path, (store) => store.prepare('DELETE FROM webhook WHERE id = ?').run(id)));
  expect(stored()).toMatchObject({ number: 3 });
  expect((await changeWebhook(client, 'DELETE', `/webhooks/${id}`)).status).toBe(404);
  expect(stored()).toMatchObject({ number: 0 });
});

test('a running handshake and a running test event end with DELETE', async () => {
  const { answer } = holding();
  const { client, owner, receiver, id } = await fixture.webhook({}, { answer });
  receiver.answerCrcWith(answer);
  const under = [owner.post(`/webhooks/${id}/test`), changeWebhook(client, 'PUT', `/webhooks/${id}`)];
  await until(() => expect(receiver.requests).toHaveLength(3));
  // Waits for the first change, with another URL.
  const waiting = changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: `${receiver.url}2` });
  await sleep(100);
  expect((await changeWebhook(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  const answers = await Promise.all([...under, waiting]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(receiver.requests).toHaveLength(3);
});

test('after the response to a PATCH of the URL all deliveries go to the new one', async () => {
  const { client, receiver: before, release, id } = await fullWindow();
  const after = await fixture.receiver();
  expect((await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: after.url })).body.data['valid']).toBe(true);
  release();
  await until(() => expect(new Set(idsOf(after.deliveries)).size).toBe(50));
  expect(before.deliveries).toHaveLength(8);
  expect(after.deliveries[0]?.headers['x-platform-webhooks-attempt']).toBe('1');
});

async function setPaused(client: Client, id: string, paused: boolean) {
  const { status, body } = await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { paused });
  expect(status).toBe(200);
  return body.data;
}

test('a paused webhook gets nothing, and after its resumption the events of the pause, oldest first', async () => {
  const { client, account, receiver, id } = await fixture.webhook();
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
  const { client, receiver, release, id } = await fullWindow();
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

test.runIf(isAll)('a webhook that another gateway pauses or deletes gets no more deliveries', async () => {
  const fleet = await startFleet(null);
  const gateways = [await fleet.start(), await fleet.start()];
  const { key } = await fleet.newKey(1_000_000);
  const sandbox = new SandboxControl(fleet.sandboxUrl);
  const { userName, authToken } = await sandbox.mint();
  for (const { demo } of gateways) {
    const client = new Client({ baseUrl: demo.baseUrl, key, authToken });
    const receiver = await fixture.receiver();
    const { id } = await register(client, { url: receiver.url });
    const interrupt = async (count: number, change: () => Promise<unknown>) => {
      receiver.requests.length = 0;
      receiver.answerWith(() => ({ status: 200, delayMs: 500 }));
      await sandbox.makeEvents({ type: 'follow', userName, count });
      await until(() => expect(receiver.deliveries.length).toBeGreaterThan(8));
      await change();
      await untilQuiet(receiver);
      expect(receiver.deliveries.length).toBeLessThan(count);
    };
    await interrupt(160, () => setPaused(client, id, true));
    receiver.answerWith(() => ({ status: 200 }));
    await setPaused(client, id, false);
    await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBeGreaterThanOrEqual(160));
    await interrupt(200, () => changeWebhook(client, 'DELETE', `/webhooks/${id}`));
  }
});
