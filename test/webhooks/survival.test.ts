import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Fleet, type Gateway, startFleet } from '../support/fleet.ts';
import { until } from '../support/until.ts';
import { useMongo } from '../support/use-mongo.ts';
import { expectNothingLost, keepHappening, startReceivers, watch } from './survival.ts';

const eventsOfEach = 100;
const quiet = { RATE_LIMIT: '0' };
const mongo = await useMongo();

async function watching(fleet: Fleet, { demo: { baseUrl } }: Gateway) {
  return { sandboxUrl: fleet.sandboxUrl, baseUrl, key: (await fleet.newKey(10_000_000)).key };
}

test('a gateway that is stopped gracefully repeats no delivery', async () => {
  const fleet = await startFleet(null);
  const receivers = await startReceivers(2);
  let gateway = await fleet.start(quiet);
  const watched = await watch(await watching(fleet, gateway), receivers);
  const happening = keepHappening(fleet, watched, eventsOfEach);
  for (let stop = 0; stop < 2; stop++) {
    await sleep(500 + Math.random() * 1_000);
    expect(await gateway.process.end('SIGTERM')).toBe(0);
    gateway = await fleet.start(quiet);
  }
  await happening;
  expect(await expectNothingLost(watched)).toBe(0);
});

test.skipIf(mongo.isMissing)(
  'if one of two gateways on a database is killed, its pollers move to the other',
  async () => {
    const fleet = await startFleet(mongo.url(`postern-${randomBytes(6).toString('hex')}`));
    const receivers = await startReceivers(4);
    const gateways = [await fleet.start(quiet), await fleet.start(quiet)];
    const [one, two] = gateways as [(typeof gateways)[0], (typeof gateways)[0]];
    const watched = await watch(await watching(fleet, one), receivers);
    const pollersOf = async ({ demo }: (typeof gateways)[0]) => {
      const text = await (await fetch(new URL('/metrics', demo.baseUrl))).text();
      return Number(/^postern_pollers (\d+)$/m.exec(text)?.[1]);
    };
    await until(async () => expect([await pollersOf(one), await pollersOf(two)]).toEqual([2, 2]));
    const happening = keepHappening(fleet, watched, eventsOfEach);
    await until(() => expect(receivers.every(({ deliveries }) => deliveries.length > 10)).toBe(true));
    await two.process.end('SIGKILL');
    await until(async () => expect(await pollersOf(one)).toBe(4));
    await happening;
    const repeated = await expectNothingLost(watched);
    process.stderr.write(`one of two killed, ${4 * eventsOfEach} events: 0 lost, ${repeated} repeated\n`);
    expect(repeated).toBeLessThan(4 * 20);
  },
);
