import { randomBytes } from 'node:crypto';
import type { Backend } from './backend.ts';
import { pause } from './gateway.ts';
import { judgeBooks, judgeBooksAtRest, patiently } from './invariants.ts';
import { report } from './report.ts';
import { drawSchedule, type Step } from './schedule.ts';
import { judgeTweets } from './tally.ts';
import { gatewayCount, World } from './world.ts';

export const rounds = Number(process.env['FAULT_ROUNDS'] ?? 12);
const long = process.env['FAULT_LONG'] === '1';
/** What is promised of a dead process's hold, and a moment for us to see it. */
const givenBackMs = 30_000;
const slackMs = 2_000;
/** A round takes a few seconds, a database that comes back slowly some more. */
export const proofTimeoutMs = 180_000 + rounds * 15_000;

/**
 * Runs the faults that the seed gives under callers' traffic, and checks the money after every round, and everything when
 * all is quiet again. Throws with the seed and all that did not hold.
 */
export async function prove(openBackend: () => Promise<Backend>): Promise<void> {
  const seed = process.env['FAULT_SEED'] || randomBytes(4).toString('hex');
  const backend = await openBackend();
  const replay = `FAULT_SEED=${seed} FAULT_ROUNDS=${rounds}${long ? ' FAULT_LONG=1' : ''}`;
  process.stdout.write(`faults on ${backend.kind}: ${rounds} rounds, ${replay} replays them\n`);
  const schedule = drawSchedule(seed, { store: backend.kind, rounds, gateways: gatewayCount, long });
  const world = await World.start(backend, seed);
  const startedAt = performance.now();
  try {
    for (const [round, steps] of schedule.entries()) {
      await runRound(world, steps);
      const faults = await judgeRound(world);
      if (faults.length > 0) {
        throw new Error(`round ${round} (${JSON.stringify(steps)}), ${replay}:\n  ${explain(faults, world)}`);
      }
    }
    const { heldMs, faults } = await end(world);
    await report({ world, seed, rounds, heldMs, durationMs: performance.now() - startedAt });
    if (faults.length > 0) throw new Error(`in the end, ${replay}:\n  ${explain(faults, world)}`);
  } finally {
    await world.stop();
  }
}

function explain(faults: readonly string[], { gateways }: World): string {
  return [...faults, ...gateways.map((gateway, i) => `gateway ${i} logged: ${gateway.lastWords()}`)].join('\n  ');
}

async function runRound(world: World, steps: readonly Step[]): Promise<void> {
  await Promise.all(
    steps.map(async ({ afterMs, fault }) => {
      await pause(afterMs);
      await world.apply(fault);
    }),
  );
  await Promise.all(world.gateways.map((gateway) => gateway.ready()));
}

async function judgeRound({ backend, books, gateways }: World): Promise<string[]> {
  const faults = gateways.flatMap(({ deaths }) => deaths.map((log) => `a gateway died by itself: ${log}`));
  for (const each of books) {
    faults.push(...each.tally.wrong);
    faults.push(...(await judgeBooks(backend.store, each)));
  }
  return faults;
}

/** Every gateway dies with calls in flight; then there is quiet, and what they held must come back. */
async function end(world: World): Promise<{ heldMs: number; faults: string[] }> {
  const { backend, books, gateways } = world;
  await pause(300);
  await Promise.all(gateways.map((_, gateway) => world.apply({ kind: 'kill', gateway, clockMs: 0 })));
  const killedAt = performance.now();
  const home = world.sendHome();
  // A request under a key waits for the claim of a dead gateway, and then is performed: it holds credit, too, for a moment.
  const heldMs = await waitUntilNothingIsHeld(world, killedAt);
  await home;
  const faults = new Set(await judgeRound(world));
  if (heldMs > givenBackMs + slackMs) faults.add(`holds of dead processes were given back after ${heldMs} ms`);
  for (const each of books) for (const fault of await judgeBooksAtRest(backend.store, each)) faults.add(fault);
  const tallies = books.map(({ tally }) => tally);
  for (const fault of judgeTweets(await world.sandbox.tweets(), tallies)) faults.add(fault);
  if (tallies.some((tally) => tally.acknowledged === 0)) faults.add('nothing was acknowledged, so nothing was proven');
  for (const code of await Promise.all(gateways.map((gateway) => gateway.stop()))) {
    if (code !== 0) faults.add(`a gateway that was told to stop ended with ${code}`);
  }
  return { heldMs, faults: [...faults] };
}

/** Answers how long after the kill. Gives up after a minute. */
async function waitUntilNothingIsHeld({ backend, books }: World, killedAt: number): Promise<number> {
  for (;;) {
    let held = 0;
    for (const { account } of books) {
      held += (await patiently(() => backend.store.ledger.balance(account)))?.held ?? 0;
    }
    const waitedMs = performance.now() - killedAt;
    if (held === 0 || waitedMs > 60_000) return Math.round(waitedMs);
    await pause(100);
  }
}
