import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Chance, chance } from '../faults/schedule.ts';
import { type Fleet, type Gateway, startFleet } from '../support/fleet.ts';
import { arrivals, expectNothingLost, keepHappening, startReceivers, type Watched, watch } from './survival.ts';

/** The size of the run. `npm run test:survival` sets it; the tests use a short run. */
export const killing = {
  kills: Number(process.env['SURVIVAL_KILLS'] || 3),
  events: Number(process.env['SURVIVAL_EVENTS'] || 300),
  seed: process.env['SURVIVAL_SEED'] || randomBytes(4).toString('hex'),
};
/** The time for a kill, a start and the takeover of pollers on a busy machine. */
const killTimeoutMs = 180_000;
export const killsTimeoutMs = (killing.kills + 3) * killTimeoutMs;

/** A dead gateway is restarted immediately. */
const env = { RATE_LIMIT: '0' };
const receiversOfFleet = 4;

interface Kill {
  /** True if the kill waits until every gateway runs pollers. */
  settled: boolean;
  /** The kill waits until this fraction of its events has arrived. */
  part: number;
  /** The additional delay. */
  afterMs: number;
  gateway: number;
}

/** Draws kills that happen right after an arrival, or during a start or a takeover of pollers. */
function drawKills(draw: Chance, gateways: number): Kill[] {
  return Array.from({ length: killing.kills }, () => ({
    settled: draw() < 0.5,
    part: draw() * 0.9,
    afterMs: draw() < 0.5 ? draw() * 20 : draw() * 1_500,
    gateway: Math.floor(draw() * gateways),
  }));
}

/**
 * Kills gateways at random moments while events are made. Checks that each event arrives and that repeated deliveries are identical. Uses
 * MongoDB if a URL is given, otherwise the embedded store. Returns the number of repeated events.
 */
export async function surviveKills(mongodbUrl: string | null, gatewayCount: number): Promise<number> {
  const { kills, events, seed } = killing;
  const store = mongodbUrl === null ? 'sqlite' : 'mongodb';
  const draw = chance(seed, `kills on ${store}`);
  const startedAt = performance.now();
  const say = (text: string) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stderr.write(`${seconds.padStart(7)} s  ${store}: ${text}\n`);
  };
  const fleet = await startFleet(mongodbUrl);
  const receivers = await startReceivers(receiversOfFleet);
  try {
    const gateways: Gateway[] = [];
    for (let i = 0; i < gatewayCount; i++) gateways.push(await fleet.start(env));
    const [first] = gateways;
    if (!first) throw new Error('no gateway to kill');
    const watched = await watch(fleet, first, receivers);
    say(`seed ${seed}: ${kills} kills during ${events} events, of ${gatewayCount} gateways`);
    const eventsOfEach = Math.ceil(events / receiversOfFleet);
    let happening = Promise.resolve();
    let longestMs = 0;
    for (const [index, kill] of drawKills(chance(seed, `moments on ${store}`), gatewayCount).entries()) {
      const name = `kill ${index + 1} of gateway ${kill.gateway + 1}`;
      if (kill.settled) await settled(gateways);
      await happening;
      const already = arrivals(watched);
      happening = keepHappening(fleet, watched, Math.ceil((eventsOfEach * (index + 1)) / kills), draw);
      await arrived(watched, already + Math.ceil((kill.part * events) / kills));
      await sleep(kill.afterMs);
      await gateways[kill.gateway]?.process.end('SIGKILL');
      const before = arrivals(watched);
      gateways[kill.gateway] = await fleet.start(env);
      const silentMs = await silence(watched);
      longestMs = Math.max(longestMs, silentMs);
      say(`${name}, after ${before} deliveries; started again, ${(silentMs / 1_000).toFixed(1)} s until the next`);
    }
    await happening;
    const repeated = await expectNothingLost(watched);
    const happened = watched.reduce((sum, each) => sum + each.happened, 0);
    say(
      `${kills} kills, ${happened} events: 0 lost, ${repeated} repeated; longest silence ${Math.round(longestMs)} ms`,
    );
    return repeated;
  } finally {
    await stopAll(fleet, receivers);
  }
}

async function arrived(watched: readonly Watched[], count: number): Promise<void> {
  const deadline = performance.now() + killTimeoutMs;
  while (arrivals(watched) < count) {
    if (performance.now() > deadline) throw new Error(`only ${arrivals(watched)} of ${count} deliveries came`);
    await sleep(5);
  }
}

/** Waits until every gateway runs pollers. */
async function settled(gateways: readonly Gateway[]): Promise<void> {
  const deadline = performance.now() + killTimeoutMs;
  for (const { demo } of gateways) {
    for (;;) {
      const metrics = await (await fetch(new URL('/metrics', demo.baseUrl))).text();
      if (/^postern_pollers [1-9]/m.test(metrics)) break;
      if (performance.now() > deadline) throw new Error('a gateway got no pollers');
      await sleep(50);
    }
  }
}

/** Returns the time until the next delivery arrives; 0 if there are no more events. */
async function silence(watched: readonly Watched[]): Promise<number> {
  const startedAt = performance.now();
  const before = arrivals(watched);
  if (before >= watched.reduce((sum, { happened }) => sum + happened, 0)) return 0;
  await arrived(watched, before + 1);
  return performance.now() - startedAt;
}

async function stopAll(fleet: Fleet, receivers: Awaited<ReturnType<typeof startReceivers>>): Promise<void> {
  await fleet.stop();
  await Promise.all(receivers.map((receiver) => receiver.stop()));
}
