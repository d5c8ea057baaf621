import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Client } from '../support/client.ts';
import { postern } from '../support/command.ts';
import { startFleet } from '../support/fleet.ts';
import { findMongo, noMongo } from '../support/mongo-server.ts';
import { startReceiver } from '../support/receiver.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import type { Backend } from './backend.ts';
import { FaultEnvironment } from './environment.ts';
import { type Gateway, pause } from './gateway.ts';
import { mongoBackend } from './mongo-backend.ts';
import { buildNextVersion } from './next-version.ts';
import { end } from './prove.ts';
import { accountsOf } from './results.ts';
import { sqliteBackend } from './sqlite-backend.ts';

const found = findMongo();
const ours = found?.kind === 'running' ? null : found;
if (!ours) process.stderr.write(`test/faults/upgrade.test.ts, mongodb: ${found ? 'skipped: MONGODB_URL' : noMongo}\n`);

/** The folder of an older version. Without it the upgrade is from this version to the next one. */
const older = process.env['KILLS_OLD'];
/** The time for which two versions run side by side in each state of the upgrade. */
const besideMs = 1_500;

test('on sqlite, no charge, tweet or event is lost or doubled by an upgrade', () => upgrade(sqliteBackend));

test.skipIf(ours === null)('on mongodb, no charge, tweet or event is lost or doubled by an upgrade', () =>
  upgrade(() => mongoBackend(ours as NonNullable<typeof ours>)),
);

test('after an upgrade that needed all processes stopped, the backup of the step before brings the old state back', async () => {
  const folder = temporaryFolder(onTestFinished);
  const next = buildNextVersion({ isCompatible: false });
  onTestFinished(next.remove);
  const receiver = await startReceiver();
  const { settings, start } = await startFleet(null);
  const restored = { ...settings, DATA_DIR: join(folder, 'restored') };
  const serve = async (program?: string, env: Record<string, string> = settings) => {
    const { process, demo } = await start(env, program);
    const [ada, grace] = demo.accounts.map(({ authToken }) => {
      return new Client({ baseUrl: demo.baseUrl, key: demo.apiKey, authToken });
    }) as [Client, Client];
    return { process, ada, grace };
  };
  const stateOf = async (ada: Client) => {
    const [{ body: account }, { body: webhooks }] = [
      await ada.get('/account/balance'),
      await ada.get('/account/webhooks'),
    ];
    const [{ id }] = webhooks.data['webhooks'] as [{ id: string }];
    const deliveries = (await ada.get(`/webhooks/${id}/deliveries`)).body.data['deliveries'];
    return { account: account.data, webhooks: webhooks.data, deliveries };
  };

  const old = await serve();
  const hook = await old.ada.post('/webhooks', { url: receiver.url, events: ['tweet.mention'] });
  receiver.secret = String(hook.body.data['secret']);
  await old.ada.write('PUT', `/webhooks/${hook.body.data['id']}`);
  await old.grace.post('/tweet/create', { text: 'Before @ada' });
  await until(() => expect(receiver.deliveries).toHaveLength(1));
  const before = await until(async () => {
    const state = await stateOf(old.ada);
    expect(state.deliveries).toMatchObject([{ outcome: 'delivered' }]);
    return state;
  });
  expect(await postern(['backup', join(folder, 'backup')], settings)).toMatchObject({ code: 0 });
  expect(await old.process.end('SIGTERM')).toBe(0);

  const upgraded = await serve(next.program);
  expect(await stateOf(upgraded.ada)).toEqual(before);
  await upgraded.ada.write('DELETE', `/webhooks/${hook.body.data['id']}`);
  expect(await upgraded.process.end('SIGTERM')).toBe(0);
  await expect(serve()).rejects.toThrow('was written by a newer version of Postern');

  expect(await postern(['restore', join(folder, 'backup')], restored)).toMatchObject({ code: 0 });
  const back = await serve(undefined, restored);
  expect(await stateOf(back.ada)).toEqual(before);
  await back.grace.post('/tweet/create', { text: 'After @ada' });
  await until(() => expect(receiver.deliveries).toHaveLength(2));
});

async function upgrade(openBackend: () => Promise<Backend>): Promise<void> {
  const backend = await openBackend();
  const next = older === undefined ? buildNextVersion() : null;
  const program = older && join(older, 'scripts/postern.js');
  const seed = process.env['KILLS_SEED'] || randomBytes(4).toString('hex');
  const fixture = await FaultEnvironment.start({ backend, seed, gateways: 3, program });
  const silence = watchSilence(fixture);
  try {
    await pause(besideMs);
    if (next) await upgradeOneByOne(fixture.gateways, next.program);
    else await stopThenUpgrade(fixture.gateways);
    const silentMs = silence.end();
    const { faults } = await end(fixture);
    expect(faults).toEqual([]);
    await writeResults(fixture, silentMs);
  } finally {
    silence.end();
    await fixture.stop();
    next?.remove();
  }
}

/** The migration is compatible with the older version, so gateways of both versions run, are killed and start again in any order. */
async function upgradeOneByOne(gateways: readonly Gateway[], next: string): Promise<void> {
  const [one, two, three] = gateways as [Gateway, Gateway, Gateway];
  for (const change of [
    () => three.replace(next),
    () => one.kill(),
    () => three.kill(),
    () => one.replace(next),
    // The upgrade is undone for a gateway.
    () => one.replace(undefined),
    () => Promise.all([one.replace(next), two.replace(next)]),
  ]) {
    await change();
    await Promise.all(gateways.map((gateway) => gateway.ready()));
    await pause(besideMs);
  }
}

/** This version does not start while the older one runs, because the older one could not work with the migrated store. */
async function stopThenUpgrade(gateways: readonly Gateway[]): Promise<void> {
  const [first, ...others] = gateways as [Gateway, ...Gateway[]];
  await first.replace(undefined);
  await expect.poll(() => first.lastWords()).toMatch(/running processes of an older version of Postern cannot work/);
  await Promise.all(others.map((gateway) => gateway.replace(undefined)));
  await Promise.all(gateways.map((gateway) => gateway.ready()));
  await pause(besideMs);
}

/** Measures the longest time in which no call of any caller succeeded. */
function watchSilence({ books }: FaultEnvironment) {
  let [before, since, longestMs] = [0, performance.now(), 0];
  const timer = setInterval(() => {
    const acknowledged = books.reduce((sum, { tally }) => sum + tally.acknowledged, 0);
    const now = performance.now();
    longestMs = Math.max(longestMs, now - since);
    if (acknowledged > before) [before, since] = [acknowledged, now];
  }, 10);
  return {
    end: () => {
      clearInterval(timer);
      return Math.round(longestMs);
    },
  };
}

async function writeResults(fixture: FaultEnvironment, silentMs: number): Promise<void> {
  const accounts = await accountsOf(fixture);
  const sum = (figure: 'issued' | 'acknowledged' | 'charged' | 'lost' | 'doubled') =>
    accounts.reduce((total, account) => total + account[figure], 0);
  const results = {
    store: fixture.backend.kind,
    isOlder: older !== undefined,
    calls: sum('issued'),
    acknowledged: sum('acknowledged'),
    charged: sum('charged'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    events: fixture.watched.reduce((total, { happened }) => total + happened, 0),
    silentMs,
  };
  process.stdout.write(`upgrade: ${JSON.stringify(results)}\n`);
  const path = process.env['KILLS_RESULTS'];
  if (path) writeFileSync(path, JSON.stringify(results));
}
