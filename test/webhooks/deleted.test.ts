import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Libsql from 'libsql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AdjustableRuntime } from '../support/adjustable-runtime.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
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

/** Delays its responses until `release` is called. */
function holding() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { answer: () => released.then(() => ({ status: 200 })), release };
}

test('a retry that is due after the response to DELETE is not sent', async () => {
  const { client, account } = await fixture.actor();
  const receiver = await fixture.receiver({ answer: () => ({ status: 500 }) });
  const { id } = await register(client, { url: receiver.url });
  await fixture.happen(account, 'follow', 20);
  await until(async () => expect(await outcomesOf(client, id)).toEqual(Array(20).fill('retrying')));
  expect((await changeWebhook(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  const sent = receiver.deliveries.length;
  runtime.leap(10_000);
  await sleep(1_500);
  expect(receiver.deliveries).toHaveLength(sent);
});

test('a delivery that waits for earlier ones is not sent after the response to DELETE', async () => {
  const { client, account } = await fixture.actor();
  const { answer, release } = holding();
  const receiver = await fixture.receiver({ answer });
  const { id } = await register(client, { url: receiver.url });
  await fixture.happen(account, 'follow', 50);
  await until(() => expect(receiver.deliveries).toHaveLength(8));
  expect((await changeWebhook(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  release();
  await sleep(1_500);
  expect(receiver.deliveries).toHaveLength(8);
});

test('a repeated DELETE deletes the deliveries that a failed one left', async () => {
  const { client, account } = await fixture.actor();
  const receiver = await fixture.receiver({ answer: () => ({ status: 500 }) });
  const { id } = await register(client, { url: receiver.url });
  await fixture.happen(account, 'follow', 3);
  await until(async () => expect(await outcomesOf(client, id)).toEqual(Array(3).fill('retrying')));
  const store = new Libsql(join(fixture.service.dataDir, 'postern.sqlite'));
  const stored = () => store.prepare('SELECT count(*) AS number FROM delivery WHERE webhook = ?').get(id);
  // Simulates a DELETE that failed after it had deleted the webhook and before it deleted the deliveries.
  await until(() => store.prepare('DELETE FROM webhook WHERE id = ?').run(id));
  expect(stored()).toMatchObject({ number: 3 });
  expect((await changeWebhook(client, 'DELETE', `/webhooks/${id}`)).status).toBe(404);
  expect(stored()).toMatchObject({ number: 0 });
  store.close();
});

test('a running handshake and a running test event end with DELETE', async () => {
  const { client } = await fixture.actor();
  const { answer } = holding();
  const receiver = await fixture.receiver({ answer });
  const { id } = await register(client, { url: receiver.url });
  receiver.answerCrcWith(answer);
  const owner = client.with({ authToken: '' });
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
  const { client, account } = await fixture.actor();
  const { answer, release } = holding();
  const before = await fixture.receiver({ answer });
  const after = await fixture.receiver();
  const { id } = await register(client, { url: before.url });
  await fixture.happen(account, 'follow', 50);
  await until(() => expect(before.deliveries).toHaveLength(8));
  expect((await changeWebhook(client, 'PATCH', `/webhooks/${id}`, { url: after.url })).body.data['valid']).toBe(true);
  release();
  await until(() => expect(new Set(idsOf(after.deliveries)).size).toBe(50));
  expect(before.deliveries).toHaveLength(8);
  expect(after.deliveries[0]?.headers['x-platform-webhooks-attempt']).toBe('1');
});

test('a webhook that another gateway deletes gets no more deliveries', async () => {
  const fleet: Fleet = await startFleet(null);
  try {
    const gateways = [await fleet.start(), await fleet.start()];
    const payer = await fleet.admin.createAccount('Deletes', 1_000_000);
    const key = (await fleet.admin.createKey(payer, 'Key')).key.expose();
    const { client: template } = await fixture.actor();
    const account: Account = { userName: 'ada', userId: '', authToken: '' };
    const authToken = gateways[0]?.demo.accounts.find(({ userName }) => userName === 'ada')?.authToken ?? '';
    for (const { demo } of gateways) {
      const client = template.with({ baseUrl: demo.baseUrl, key, authToken });
      const receiver = await fixture.receiver({ answer: () => ({ status: 200, delayMs: 500 }) });
      const { id } = await register(client, { url: receiver.url });
      await makeEvent(fleet.sandboxUrl, account, 'follow', 500);
      await until(() => expect(receiver.deliveries.length).toBeGreaterThan(8));
      await changeWebhook(client, 'DELETE', `/webhooks/${id}`);
      await untilQuiet(receiver);
      expect(receiver.deliveries.length).toBeLessThan(500);
    }
  } finally {
    await fleet.stop();
  }
});
