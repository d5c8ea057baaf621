import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Chance, chance } from '../faults/schedule.ts';
import { type Fleet, type Gateway, startFleet } from '../support/fleet.ts';
import { arrivals, expectNothingLost, keepHappening, startReceivers, type Watched, watch } from './survival.ts';

/** `npm run test:survival` says how much of it; the tests run it short. */
export const killing = {
  kills: Number(process.env['SURVIVAL_KILLS'] || 3),
  events: Number(process.env['SURVIVAL_EVENTS'] || 300),
  seed: process.env['SURVIVAL_SEED'] || randomBytes(4).toString('hex'),
};
/** A kill, a start, and the pollers' way to another process, on a machine that is busy. */
const killTimeoutMs = 60_000;
export const killsTimeoutMs = (killing.kills + 3) * killTimeoutMs;

/** A gateway that is dead begins anew at once. */
const env = { SANDBOX_ACTIVITY: '0', RATE_LIMIT: '0' };
const receiversOfFleet = 4;

interface Kill {
  /** Only once every gateway runs pollers; else whatever goes on. */
  settled: boolean;
  /** Once this part has come of the events that belong to this kill. */
  part: number;
  /** And then so long. */
  afterMs: number;
  gateway: number;
}

/** At once after an arrival, or in the midst of what follows it: a start, pollers that move. */
function drawKills(draw: Chance, gateways: number): Kill[] {
  return Array.from({ length: killing.kills }, () => ({
    settled: draw() < 0.5,
    part: draw() * 0.9,
    afterMs: draw() < 0.5 ? draw() * 20 : draw() * 1_500,
    gateway: Math.floor(draw() * gateways),
  }));
}

/**
 * kill -9 of gateways at random moments while events come: each event arrives, and what comes twice is the same to the
 * byte. On MongoDB where a URL is given; else on the embedded store. Answers how many came more than once.
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
    const repeated = await expectNothingLost(watched, killTimeoutMs);
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

/** How long it takes until something more arrives; 0 where nothing more has happened. */
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
