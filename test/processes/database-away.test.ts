import { describe, expect, test } from 'vitest';
import { Client } from '../support/client.ts';
import { startFleet } from '../support/fleet.ts';
import { expectRefusal, restingBalance } from '../support/refusal.ts';
import { SandboxControl } from '../support/sandbox-control.ts';
import { until } from '../support/until.ts';
import { useMongo } from '../support/use-mongo.ts';

// A server that was already running must not be stopped.
const mongo = await useMongo({ own: true, durable: true });
describe.skipIf(mongo.isMissing)('a gateway whose database becomes unavailable', async () => {
  if (mongo.isMissing) return;
  const fleet = await startFleet(mongo.url('postern'));
  const sandbox = new SandboxControl(fleet.sandboxUrl);
  const { key } = await fleet.newKey(1_000_000);
  const { baseUrl, accounts } = (await fleet.start()).demo;
  const client = new Client({ baseUrl, key, authToken: accounts[0].authToken });

  const health = async (path: string) => {
    const response = await fetch(new URL(path, baseUrl));
    return { status: response.status, text: await response.text() };
  };
  const call = () => client.get('/user/info', { userName: 'grace' });

  test.each([
    ['stopped and started again', () => mongo.kill(), () => mongo.restart()],
    ['frozen for a while', async () => mongo.pause(), async () => mongo.resume()],
  ])(
    'answers 503 and charges nothing, tells the store from the platform, and goes on by itself: %s',
    async (_, away, back) => {
      expect((await call()).status).toBe(200);
      const before = await restingBalance(client);
      const asked = await sandbox.requests('getUsersById');
      await away();
      const refused = await Promise.all(Array.from({ length: 20 }, call));
      for (const answer of refused) {
        // The charges of the first reads were sent to the database while it did not respond.
        expectRefusal(answer, 503, /store is unavailable|could not be recorded in time/);
      }
      for (let i = 0; i < 50; i++) expect((await call()).status).toBe(503);
      expect(await sandbox.requests('getUsersById')).toBe(asked);
      const text = expect.stringContaining('store unreachable, platform ok');
      await until(async () => expect(await health('/readyz')).toMatchObject({ status: 503, text }));
      expect((await health('/healthz')).status).toBe(200);
      await back();
      await until(async () => expect((await health('/readyz')).status).toBe(200));
      await until(async () => expect((await call()).status).toBe(200));
      // One call has succeeded since, and the credit that was reserved when the database failed is released.
      await until(async () => expect(Number(before) - Number(await restingBalance(client))).toBeCloseTo(0.001, 6));
    },
  );
});
