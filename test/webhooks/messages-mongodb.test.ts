import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { startFleet } from '../support/fleet.ts';
import { startReceiver } from '../support/receiver.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';
import { useMongo } from '../support/use-mongo.ts';
import { idsOf, register } from './fixture.ts';

const mongo = await useMongo();
const env = { RATE_LIMIT: '0', PLATFORM_TIMEOUT_MS: '600000' };

const name =
  'messages reach the webhook with a code over two gateways on one MongoDB, each of which is killed, and no other';
test.skipIf(mongo.isMissing)(name, async () => {
  const fleet = await startFleet(mongo.url(`postern-${randomBytes(6).toString('hex')}`));
  const [open, closed] = [await startReceiver(), await startReceiver()];
  const gateways = [await fleet.start(env), await fleet.start(env)];
  const sandbox = new SandboxControl(fleet.sandboxUrl);
  const [anna, ben] = [await sandbox.mint(), await sandbox.mint()];
  const { key } = await fleet.newKey(10_000_000);
  const baseUrl = gateways[0]?.demo.baseUrl ?? '';
  const client = new Client({ baseUrl, key, authToken: anna.authToken });
  const { encryptionCode: encryption_code } = anna;
  // On a slow machine the key realms may not respond to the new gateway within their time limit.
  await until(() => register(client, { url: open.url, secret: open.secret, encryption_code }));
  await register(client, { url: closed.url, secret: closed.secret });
  const texts: string[] = [];
  const says = async (count: number) => {
    for (let number = 0; number < count; number++) {
      const text = `Message ${texts.length}`;
      await sandbox.makeMessage({ from: ben.userName, to: anna.userName, text });
      texts.push(text);
    }
    await sandbox.makeEvents({ type: 'follow', userName: anna.userName });
  };
  for (const [index, { process }] of gateways.entries()) {
    await says(20);
    await until(() => expect(open.deliveries.length).toBeGreaterThan(index * 41 + 5));
    await process.end('SIGKILL');
    if (index === 0) await says(20);
  }
  // The next gateway has no cached keys and cannot get them, so messages wait even after it dies.
  await sandbox.setFault({ fault: { kind: 'status', status: 500 }, path_prefix: '/sandbox/realms/', times: null });
  await says(20);
  const follows = gateways.length * 2;
  const { process } = await fleet.start(env);
  await until(() => expect(new Set(idsOf(closed.deliveries)).size).toBe(follows));
  await process.end('SIGKILL');
  await sandbox.clearFaults();
  await fleet.start(env);
  await until(() => {
    expect(new Set(idsOf(open.deliveries)).size).toBe(texts.length + follows);
    expect(new Set(idsOf(closed.deliveries)).size).toBe(follows);
  });
  const bodies = [...new Set(open.deliveries.map(({ body }) => body))].map((body) => JSON.parse(body));
  expect(bodies).toHaveLength(texts.length + follows);
  const said = bodies.filter(({ type }) => type === 'message.received').map(({ text }) => text);
  expect(said.sort()).toEqual(texts.sort());
  for (const { body } of closed.deliveries) expect(JSON.parse(body).type).toBe('user.follow');
});
