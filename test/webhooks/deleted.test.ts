import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import {
  type Account,
  change,
  happen,
  idsOf,
  LeapingRuntime,
  register,
  startWorld,
  until,
  type World,
} from './world.ts';

const runtime = new LeapingRuntime();
let world: World;
beforeAll(async () => {
  world = await startWorld({}, { runtime });
});
afterAll(() => world.stop());

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Holds back its answers until `release`. */
function holding() {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { answer: () => released.then(() => ({ status: 200 })), release };
}

test('a retry that is due after DELETE was answered is not sent', async () => {
  const { client, account } = await world.actor();
  const receiver = await world.receiver({ answer: () => ({ status: 500 }) });
  const { id } = await register(client, { url: receiver.url });
  await world.happen(account, 'follow', 20);
  await until(() => expect(new Set(idsOf(receiver.deliveries)).size).toBe(20));
  await pause(200);
  const sent = receiver.deliveries.length;
  expect((await change(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  runtime.leap(10_000);
  await pause(1_500);
  expect(receiver.deliveries).toHaveLength(sent);
});

test('what waits for the attempts before it is not sent after DELETE was answered', async () => {
  const { client, account } = await world.actor();
  const { answer, release } = holding();
  const receiver = await world.receiver({ answer });
  const { id } = await register(client, { url: receiver.url });
  await world.happen(account, 'follow', 50);
  await until(() => expect(receiver.deliveries).toHaveLength(8));
  expect((await change(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  release();
  await pause(1_500);
  expect(receiver.deliveries).toHaveLength(8);
});

test('a handshake and a test event that are under way end with DELETE', async () => {
  const { client } = await world.actor();
  const { answer } = holding();
  const receiver = await world.receiver({ answer });
  const { id } = await register(client, { url: receiver.url });
  receiver.answerCrcWith(answer);
  const owner = client.with({ authToken: '' });
  const under = [owner.post(`/webhooks/${id}/test`), change(client, 'PUT', `/webhooks/${id}`)];
  await until(() => expect(receiver.requests).toHaveLength(3));
  // Waits for that one, with another URL.
  const waiting = change(client, 'PATCH', `/webhooks/${id}`, { url: `${receiver.url}2` });
  await pause(100);
  expect((await change(client, 'DELETE', `/webhooks/${id}`)).status).toBe(200);
  const answers = await Promise.all([...under, waiting]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404]);
  expect(receiver.requests).toHaveLength(3);
});

test('after PATCH of the url was answered all goes to the new one', async () => {
  const { client, account } = await world.actor();
  const { answer, release } = holding();
  const before = await world.receiver({ answer });
  const after = await world.receiver();
  const { id } = await register(client, { url: before.url });
  await world.happen(account, 'follow', 50);
  await until(() => expect(before.deliveries).toHaveLength(8));
  expect((await change(client, 'PATCH', `/webhooks/${id}`, { url: after.url })).body.data['valid']).toBe(true);
  release();
  await until(() => expect(new Set(idsOf(after.deliveries)).size).toBe(50));
  expect(before.deliveries).toHaveLength(8);
  expect(after.deliveries[0]?.headers['x-platform-webhooks-attempt']).toBe('1');
});

test('a webhook that another gateway deletes gets nothing after a second', async () => {
  const fleet: Fleet = await startFleet(null);
  try {
    const gateways = [await fleet.start(), await fleet.start()];
    const payer = await fleet.admin.createAccount('Deletes', 1_000_000);
    const key = (await fleet.admin.createKey(payer, 'Key')).key.expose();
    const { client: template } = await world.actor();
    const account: Account = { userName: 'ada', userId: '', authToken: '' };
    const authToken = gateways[0]?.demo.accounts.find(({ userName }) => userName === 'ada')?.authToken ?? '';
    for (const { demo } of gateways) {
      const client = template.with({ baseUrl: demo.baseUrl, key, authToken });
      let lastAt = 0;
      const receiver = await world.receiver({
        answer: () => {
          lastAt = Date.now();
          return { status: 200, delayMs: 100 };
        },
      });
      const { id } = await register(client, { url: receiver.url });
      await happen(fleet.sandboxUrl, account, 'follow', 500);
      await until(() => expect(receiver.deliveries.length).toBeGreaterThan(8));
      await change(client, 'DELETE', `/webhooks/${id}`);
      const deletedAt = Date.now();
      await pause(3_000);
      expect(lastAt - deletedAt).toBeLessThan(1_000);
      expect(receiver.deliveries.length).toBeLessThan(200);
    }
  } finally {
    await fleet.stop();
  }
}, 120_000);
