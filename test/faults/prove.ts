import { randomBytes } from 'node:crypto';
import { mountFileDisk } from '../support/small-disk.ts';
import { expectNothingLost } from '../webhooks/survival.ts';
import { applyAlone, loneFaults, type Recovery } from './alone.ts';
import type { Backend, BackendOptions } from './backend.ts';
import { FaultEnvironment } from './environment.ts';
import { pause } from './gateway.ts';
import { judgeBooks, judgeBooksAtRest, patiently } from './invariants.ts';
import { reportRun } from './results.ts';
import { drawSchedule, type Step } from './schedule.ts';
import { judgeTweets } from './tally.ts';

/** The size of the run. `npm run check -- kills` sets it; the tests use a short run. */
export const wanted = {
  kills: Number(process.env['KILLS'] || 10),
  gateways: Number(process.env['KILLS_GATEWAYS'] || 3),
  /** How often each fault is applied alone. */
  each: Number(process.env['KILLS_EACH'] || 1),
  /** Only the lone faults whose names contain this. */
  fault: process.env['KILLS_FAULT'] || '',
  seed: process.env['KILLS_SEED'] || randomBytes(4).toString('hex'),
  /** Adds faults that last longer than a hold. */
  long: process.env['KILLS_LONG'] === '1',
};
/** A slow start of the database takes long, and so does the takeover of pollers on a busy machine. */
export const proofTimeoutMs = 3_600_000 + wanted.kills * 15_000 + wanted.each * 600_000;

/**
 * Applies each fault alone, and then the faults of the seed, while callers send requests and events happen. Checks the money after every
 * round, and all invariants at the end. Throws an error with the seed and all violations.
 */
export async function prove(
  openBackend: (options: BackendOptions) => Promise<Backend>,
  each = wanted.each,
): Promise<void> {
  const { seed, kills, gateways, long } = wanted;
  const disk = mountFileDisk();
  try {
    const backend = await openBackend({ disk });
    const replay = `--store ${backend.kind} --kills ${kills} --gateways ${gateways} --each ${each} --seed ${seed}`;
    process.stdout.write(`kills: ${replay}\n`);
    const schedule = drawSchedule(seed, { store: backend.kind, kills, gateways, long });
    const fixture = await FaultEnvironment.start({ backend, seed, gateways });
    const startedAt = performance.now();
    try {
      const recoveries: Recovery[] = [];
      const alone = loneFaults(backend, gateways, disk !== null).filter(({ name }) => name.includes(wanted.fault));
      for (let time = 0; time < each; time++) recoveries.push(...(await applyAlone(fixture, alone)));
      await expectSound(fixture, `after the faults alone, ${replay}`);
      for (const [round, steps] of schedule.entries()) {
        await runRound(fixture, steps);
        await expectSound(fixture, `round ${round} (${JSON.stringify(steps)}), ${replay}`);
      }
      const { faults, ...ended } = await end(fixture);
      await reportRun({ fixture, seed, recoveries, ...ended, durationMs: performance.now() - startedAt });
      if (faults.length > 0) throw new Error(`in the end, ${replay}:\n  ${explain(faults, fixture)}`);
    } finally {
      await fixture.stop();
    }
  } finally {
    disk?.end();
  }
}

async function expectSound(fixture: FaultEnvironment, when: string): Promise<void> {
  const faults = await judgeRound(fixture);
  if (faults.length > 0) throw new Error(`${when}:\n  ${explain(faults, fixture)}`);
}

function explain(faults: readonly string[], { gateways }: FaultEnvironment): string {
  return [...faults, ...gateways.map((gateway, i) => `gateway ${i} logged: ${gateway.lastWords()}`)].join('\n  ');
}

async function runRound(fixture: FaultEnvironment, steps: readonly Step[]): Promise<void> {
  await Promise.all(
    steps.map(async ({ afterMs, fault }) => {
      await pause(afterMs);
      await fixture.apply(fault);
    }),
  );
  await Promise.all(fixture.gateways.map((gateway) => gateway.ready()));
}

async function judgeRound({ backend, books, gateways }: FaultEnvironment): Promise<string[]> {
  const store = await backend.store();
  const faults = gateways.flatMap(({ deaths }) => deaths.map((log) => `a gateway died by itself: ${log}`));
  for (const each of books) {
    faults.push(...each.tally.wrong);
    faults.push(...(await judgeBooks(store, each)));
  }
  return faults;
}

/** Kills all gateways while calls are running, and then checks that their reserved credit is released and that nothing is lost. */
export async function end(fixture: FaultEnvironment) {
  const { backend, books, gateways } = fixture;
  await pause(300);
  await Promise.all(gateways.map((_, gateway) => fixture.apply({ kind: 'kill', gateway })));
  const killedAt = performance.now();
  const home = fixture.sendHome();
  // A request with a key waits for the claim of a dead gateway and is then performed, so it reserves credit for a moment.
  const heldMs = await waitUntilNothingIsHeld(fixture, killedAt);
  await home;
  const faults = new Set(await judgeRound(fixture));
  for (const each of books) for (const fault of await judgeBooksAtRest(await backend.store(), each)) faults.add(fault);
  const tallies = books.map(({ tally }) => tally);
  const texts = await fixture.sandbox.tweets();
  for (const fault of judgeTweets(texts, tallies)) faults.add(fault);
  const repeated = await expectNothingLost(fixture.watched).catch((error: Error) => {
    faults.add(`events: ${error.message}`);
    return 0;
  });
  if (tallies.some(({ issued, acknowledged }) => issued > 0 && acknowledged === 0))
    faults.add('nothing was acknowledged, so nothing was proven');
  for (const code of await Promise.all(gateways.map((gateway) => gateway.stop()))) {
    if (code !== 0) faults.add(`a gateway that was told to stop ended with ${code}`);
  }
  return { heldMs, repeated, tweets: texts.length, faults: [...faults] };
}

/** Returns the time since the kill. Gives up after ten minutes. */
async function waitUntilNothingIsHeld({ backend, books }: FaultEnvironment, killedAt: number): Promise<number> {
  const store = await backend.store();
  for (;;) {
    let held = 0;
    for (const { account } of books) {
      held += (await patiently(() => store.ledger.balance(account)))?.held ?? 0;
    }
    const waitedMs = performance.now() - killedAt;
    if (held === 0 || waitedMs > 600_000) return Math.round(waitedMs);
    await pause(100);
  }
}
