import { randomBytes } from 'node:crypto';
import type { Backend } from './backend.ts';
import { FaultEnvironment, gatewayCount } from './environment.ts';
import { pause } from './gateway.ts';
import { judgeBooks, judgeBooksAtRest, patiently } from './invariants.ts';
import { report } from './report.ts';
import { drawSchedule, type Step } from './schedule.ts';
import { judgeTweets } from './tally.ts';

export const rounds = Number(process.env['FAULT_ROUNDS'] ?? 12);
const long = process.env['FAULT_LONG'] === '1';
/** The documented time after which the hold of a dead process is released, and the additional time of a busy machine. */
const givenBackMs = 30_000;
const slackMs = 10_000;
/** A round takes a few seconds. A slow start of the database takes longer. */
export const proofTimeoutMs = 180_000 + rounds * 15_000;

/**
 * Applies the faults of the seed while callers send requests. Checks the money after every round, and all invariants at the end. Throws an
 * error with the seed and all violations.
 */
export async function prove(openBackend: () => Promise<Backend>): Promise<void> {
  const seed = process.env['FAULT_SEED'] || randomBytes(4).toString('hex');
  const backend = await openBackend();
  const replay = `FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}${long ? ' FAULT_LONG=1' : ''}`;
  process.stdout.write(`faults on ${backend.kind}: ${rounds} rounds, ${replay} replays them\n`);
  const schedule = drawSchedule(seed, { store: backend.kind, rounds, gateways: gatewayCount, long });
  const fixture = await FaultEnvironment.start(backend, seed);
  const startedAt = performance.now();
  try {
    for (const [round, steps] of schedule.entries()) {
      await runRound(fixture, steps);
      const faults = await judgeRound(fixture);
      if (faults.length > 0) {
        throw new Error(`round ${round} (${JSON.stringify(steps)}), ${replay}:\n  ${explain(faults, fixture)}`);
      }
    }
    const { heldMs, faults } = await end(fixture);
    await report({ fixture, seed, rounds, heldMs, durationMs: performance.now() - startedAt });
    if (faults.length > 0) throw new Error(`in the end, ${replay}:\n  ${explain(faults, fixture)}`);
  } finally {
    await fixture.stop();
  }
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
  const faults = gateways.flatMap(({ deaths }) => deaths.map((log) => `a gateway died by itself: ${log}`));
  for (const each of books) {
    faults.push(...each.tally.wrong);
    faults.push(...(await judgeBooks(backend.store, each)));
  }
  return faults;
}

/** Kills all gateways while calls are running, and then checks that their reserved credit is released. */
async function end(fixture: FaultEnvironment): Promise<{ heldMs: number; faults: string[] }> {
  const { backend, books, gateways } = fixture;
  await pause(300);
  await Promise.all(gateways.map((_, gateway) => fixture.apply({ kind: 'kill', gateway, clockMs: 0 })));
  const killedAt = performance.now();
  const home = fixture.sendHome();
  // A request with a key waits for the claim of a dead gateway and is then performed, so it reserves credit for a moment.
  const heldMs = await waitUntilNothingIsHeld(fixture, killedAt);
  await home;
  const faults = new Set(await judgeRound(fixture));
  if (heldMs > givenBackMs + slackMs) faults.add(`holds of dead processes were given back after ${heldMs} ms`);
  for (const each of books) for (const fault of await judgeBooksAtRest(backend.store, each)) faults.add(fault);
  const tallies = books.map(({ tally }) => tally);
  for (const fault of judgeTweets(await fixture.sandbox.tweets(), tallies)) faults.add(fault);
  if (tallies.some((tally) => tally.acknowledged === 0)) faults.add('nothing was acknowledged, so nothing was proven');
  for (const code of await Promise.all(gateways.map((gateway) => gateway.stop()))) {
    if (code !== 0) faults.add(`a gateway that was told to stop ended with ${code}`);
  }
  return { heldMs, faults: [...faults] };
}

/** Returns the time since the kill. Gives up after two minutes. */
async function waitUntilNothingIsHeld({ backend, books }: FaultEnvironment, killedAt: number): Promise<number> {
  for (;;) {
    let held = 0;
    for (const { account } of books) {
      held += (await patiently(() => backend.store.ledger.balance(account)))?.held ?? 0;
    }
    const waitedMs = performance.now() - killedAt;
    if (held === 0 || waitedMs > 120_000) return Math.round(waitedMs);
    await pause(100);
  }
}
