import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findMongo, noMongo } from '../support/mongo-server.ts';
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
