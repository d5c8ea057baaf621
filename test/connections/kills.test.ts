import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Backend } from '../faults/backend.ts';
import { pause } from '../faults/gateway.ts';
import { mongoBackend } from '../faults/mongo-backend.ts';
import { chance } from '../faults/schedule.ts';
import { sqliteBackend } from '../faults/sqlite-backend.ts';
import { findMongo, noMongo } from '../support/mongo-server.ts';
import { until } from '../support/until.ts';
import { startLogins } from './login-fleet.ts';

const kills = Number(process.env['KILLS'] || 20);
const seed = process.env['KILLS_SEED'] || randomBytes(4).toString('hex');
const calls = 100 * kills;
const connections = 10;
const callersOfEach = 2;

const found = findMongo();
const ours = found?.kind === 'running' ? null : found;
if (!ours)
  process.stderr.write(`test/connections/kills.test.ts, mongodb: ${found ? 'skipped: MONGODB_URL' : noMongo}\n`);
const stores: [string, () => Promise<Backend>][] = [['sqlite', sqliteBackend]];
if (ours) stores.push(['mongodb', () => mongoBackend(ours)]);

describe.each(stores)('logins of two gateways on %s', (kind, openBackend) => {
  const random = chance(seed, kind);

  test(`keeps logins through ${kills} kills, except those refreshed at the platform but not committed`, async () => {
    process.stdout.write(`connections on ${kind}: KILLS=${kills} KILLS_SEED=${seed}\n`);
    const fleet = await startLogins(await openBackend(), connections, random);
    const { ids, log, outcomes } = fleet;
    let isOver = false;
    const use = async (id: string) => {
      while (!isOver || outcomes.succeeded < calls) {
        await fleet.call(id);
        await pause(random() * 1_000);
      }
      // The end of the last kills is noticed when their claims end.
      await until(async () => expect(await fleet.call(id)).toBe(true));
    };
    const using = Promise.all(Array.from({ length: callersOfEach }, () => ids.map(use)).flat());
    for (let number = 0; number < kills; number += 1) {
      const aim = (['before', 'after', 'answered'] as const)[number % 4];
      if (aim) await fleet.killAt(aim);
      else {
        await pause(random() * 2_000);
        await fleet.kill(Math.floor(random() * 2));
      }
      await fleet.ready();
    }
    isOver = true;
    await using;

    const { sent, families } = log;
    const lost = families.filter((family) =>
      sent.some(({ token, status }) => status === 400 && family.includes(token)),
    );
    const tokens = new Set(sent.map(({ token }) => token));
    const counts = await fleet.counts();
    const repeated = sent.length - tokens.size;
    const results = {
      ...outcomes,
      late401: log.late,
      unavailable: fleet.unavailable.length,
      kills,
      sent: sent.length,
      repeated,
      lost: lost.length,
      ...counts,
    };
    process.stdout.write(`connections on ${kind}: ${JSON.stringify(results)}\n`);
    expect(fleet.wrong).toEqual([]);
    // MongoDB keeps the locks of a killed gateway for 5 s (src/store/mongo/sessions.ts).
    if (kind === 'sqlite') expect(fleet.unavailable).toEqual([]);
    // On a busy machine an access token may end before its request arrives, also that of the second attempt.
    expect(log.refused).toEqual([]);
    expect(2 * outcomes.late).toBeLessThanOrEqual(log.late);
    expect(fleet.gateways.flatMap(({ deaths }) => deaths)).toEqual([]);

    // A token is sent again only after the process that sent it has died or its answer was lost.
    expect(sent.filter(({ isDue }) => !isDue)).toEqual([]);
    for (const token of tokens) {
      const lives = sent.filter((each) => each.token === token && !each.isLost).map(({ life }) => life);
      expect(new Set(lives).size).toBe(lives.length);
    }
    for (const family of lost) {
      // The platform has refreshed the last but one, and nobody has the new pair.
      const [used, unused] = family.slice(-2);
      expect(sent.filter(({ token, status }) => token === used && status === 200)).toHaveLength(1);
      expect(tokens.has(unused ?? '')).toBe(false);
    }
    for (const { token } of sent.filter(({ aim }) => aim === 'after'))
      expect(lost.some((family) => family.at(-2) === token)).toBe(true);
    expect(counts).toMatchObject({ reused_refresh_tokens: lost.length });
    expect(Object.keys(counts.repeated_refresh_tokens)).toHaveLength(lost.length);

    const interrupted = { status: 'expired', error: expect.stringContaining('interrupted') };
    expect(fleet.endings).toMatchObject(lost.map(() => interrupted));
    await until(() => expect(fleet.expired()).toHaveLength(lost.length));
    for (const id of ids) expect(await fleet.detail(id)).toMatchObject({ status: 'active', error: null });
  });

  test('keeps a login after an unsent request, and sets expired after a lost response', async () => {
    const fleet = await startLogins(await openBackend(), 3, random);
    const { ids, sandbox, endings } = fleet;
    for (const [fault, lost] of [
      ['reset', 0],
      ['reset_after', 1],
    ] as const) {
      await sandbox.setFault({ fault: { kind: fault }, operation: 'oauth2Token', times: 1 });
      const { refreshes } = await fleet.counts();
      await until(async () => {
        for (const id of ids) await fleet.call(id);
        expect((await fleet.counts()).refreshes).toBeGreaterThan(refreshes + 2 * ids.length);
      });
      expect(endings).toHaveLength(lost);
    }
    expect(endings).toMatchObject([{ status: 'expired', error: expect.stringContaining('interrupted') }]);
    expect(await fleet.counts()).toMatchObject({ reused_refresh_tokens: 1, refused_refreshes: 1 });
    await until(() => expect(fleet.expired()).toHaveLength(1));
  });
});
