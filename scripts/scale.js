#!/usr/bin/env node
// Predicts the capacity of a gateway from measurements with one caller, measures it, and plans a fleet.
import { randomBytes } from 'node:crypto';
import { median, readArguments } from './bench/frame.js';
import { stopAll } from './bench/processes.js';
import { numbersOf } from './bench/random.js';
import { atRest } from './many/measure.js';
import { record } from './reliability/report.js';
import { bursts, closedLoop, openLoop } from './scale/load.js';
import { capacityOf, costsOf, costsOfMix } from './scale/model.js';
import {
  allArrived,
  aTweet,
  callsOf,
  drawKind,
  eventBursts,
  forget,
  happen,
  leaveOneCore,
  mixes,
  startParts,
  stopParts,
} from './scale/parts.js';
import { measuredReport, planNotes, predictionReport } from './scale/report.js';
import { simulateGateway } from './scale/simulate.js';

const values = readArguments(
  `npm run scale -- [--seconds 2] [--callers 64] [--burst 32] [--rounds 1] [--mongodb] [--record]

Measures with one caller what each kind of call costs a gateway: one request at a time, and bursts of --burst requests. From these figures
alone it predicts how many calls a second the gateway can answer for three mixes of calls with --callers concurrent callers, and prints the
prediction. Then it measures this. The gateway has one core, and everything else has the other ones (Linux only).
Before and after each measurement the gateway performs bursts of one kind of call, because other machines on the same host change its
speed. Processor times and capacities are converted to the speed at the start. Latencies are not.
Then it plans the gateways, the shards of MongoDB and the pollers for 10,000 and 100,000 calls a second.
Exits with 1 if the measured capacity is not within 20 % of the predicted one.

  --seconds   of each measurement with one caller; capacity is measured for five times as long
  --rounds    of the measurement of the capacity; the median counts
  --mongodb   also measures the costs on MongoDB (MONGODB_URL, or a mongod or secantusd-py that is started), for the plan
  --shard     the documents that a shard of MongoDB writes in a second, for the plan (default: 15000, an assumption)
  --unjudged  breaks no promise because of a figure, for machines that are busy
  --seed      repeats the choice of calls
  --record    records the prediction and the results in docs/reliability`,
  {
    seconds: { type: 'string', default: '2' },
    callers: { type: 'string', default: '64' },
    burst: { type: 'string', default: '32' },
    rounds: { type: 'string', default: '1' },
    mongodb: { type: 'boolean', default: false },
    shard: { type: 'string', default: '15000' },
    unjudged: { type: 'boolean', default: false },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    record: { type: 'boolean', default: false },
  },
);
const [seconds, callers, size, rounds, shardWrites] = ['seconds', 'callers', 'burst', 'rounds', 'shard'].map((name) =>
  Number(values[name]),
);
const command = `npm run scale -- ${process.argv.slice(2).join(' ')}`.trim();
const say = (line) => process.stdout.write(`${line}\n`);
/** The shares of the predicted capacity at which the latency is simulated and measured. */
const loads = [0.5, 0.7, 0.85];

say(`scale: --seed ${values.seed} repeats the calls`);
const random = numbersOf(values.seed);
leaveOneCore();
const parts = await startParts({ callers });
const calls = callsOf(parts, await aTweet(parts));

const { costs, restCpu, withSpeed } = await measureCosts(parts, calls, 'SQLite', 1_000);
const predictions = Object.entries(mixes).map(([mix, shares]) => predict(mix, shares));
for (const { mix, perSecond, simulated } of predictions) {
  say(`${mix}: predicted ${perSecond.toFixed(0)} calls/s, simulated ${simulated.toFixed(0)}`);
}
if (values.record) record('scale-prediction', predictionReport({ predictions, costs, restCpu, size, callers }));

const results = [];
for (const prediction of predictions) results.push({ ...prediction, ...(await measure(prediction)) });
await stopParts(parts);
const mongodb = values.mongodb ? await costsOnMongodb() : null;
const report = measuredReport(results, { callers, command });
report.notes.push(...planNotes({ sqlite: { costs, restCpu }, mongodb, shardWrites, random }));
for (const { test, measured, promised, met } of report.rows) {
  say(`${test}: ${measured}; promised ${promised}${met ? '' : ': MISSED'}`);
}
for (const note of report.notes) say(note);
if (values.record) record('scale', report);
await stopAll();
process.exit(report.rows.every(({ met }) => met) || values.unjudged ? 0 : 1);

/**
 * Measures the costs of each kind of call, and of events that come in groups, with one caller. Before that each kind of call is made
 * `warmPerSecond` times for each second of the measurement, and its code is compiled.
 */
async function measureCosts(of, kinds, store, warmPerSecond) {
  const { gateway } = of;
  for (const request of Object.values(kinds)) {
    await bursts(gateway, request, { size, seconds, atLeast: seconds * warmPerSecond });
  }
  await eventBursts(of, { size, seconds: seconds * 2, restCpu: 0 });
  const { cpu: rest } = await atRest(gateway, Math.max(3, seconds));
  const withSpeed = await speedometer(gateway, kinds, rest);
  const found = {};
  for (const [kind, request] of Object.entries(kinds)) {
    const ofSize = async (count) => {
      const { speed, ...measured } = await withSpeed(() =>
        bursts(gateway, request, { size: count, seconds, restCpu: rest }),
      );
      return { ...measured, cpuMs: measured.cpuMs * speed, p50: measured.p50 + measured.cpuMs * (speed - 1) };
    };
    const one = await ofSize(1);
    const burst = await ofSize(size);
    found[kind] = costsOf({ one, burst, size });
    say(
      `${store}, ${kind.padEnd(8)} one at a time ${one.cpuMs.toFixed(3)} ms of processor (p50 ${one.p50.toFixed(2)} ms, ` +
        `${one.commits.toFixed(2)} commits), ${size} at once ${burst.cpuMs.toFixed(3)} ms`,
    );
  }
  const { events, speed, ...event } = await withSpeed(() =>
    eventBursts(of, { size, seconds: seconds * 2, restCpu: rest }),
  );
  const cpuMs = event.cpuMs * speed;
  say(`${store}, event    ${size} at once ${cpuMs.toFixed(3)} ms of processor with the delivery, ${events} events`);
  // Events also come in groups of this size in the mixes, so their costs need not be divided.
  found.event = { callMs: cpuMs, turnMs: 0, waitMs: 0, commits: 0 };
  return { costs: found, restCpu: rest, withSpeed };
}

/**
 * Returns a function that runs a measurement and adds the speed of the gateway before and after it, as a multiple of its speed now. It is the
 * processor time of a profile in bursts.
 */
async function speedometer(gateway, { profile }, restCpu) {
  const cpuMs = async () => (await bursts(gateway, profile, { size, seconds: Math.min(1, seconds), restCpu })).cpuMs;
  const usualMs = await cpuMs();
  return async (measurement) => {
    const before = await cpuMs();
    const result = await measurement();
    const after = await cpuMs();
    return { ...result, speed: (2 * usualMs) / (before + after) };
  };
}

function predict(mix, shares) {
  const of = costsOfMix(shares, costs);
  const perSecond = capacityOf(of, { callers, restCpu });
  const { perSecond: simulated } = simulateGateway({ ...of, callers, random });
  const latencies = loads.map((load) => ({ load, ...simulateGateway({ ...of, perSecond: perSecond * load, random }) }));
  return { mix, shares, costs: of, perSecond, simulated, latencies };
}

/** Measures the capacity for a mix on a core of the usual speed, and the latency below it. */
async function measure({ mix, shares, perSecond }) {
  const found = [];
  for (let round = 0; round <= rounds; round++) {
    const result = await withSpeed(() => capacity(shares, round === 0 ? seconds * 2 : seconds * 5));
    if (round > 0) found.push({ ...result, atUsualSpeed: result.perSecond / result.speed });
  }
  const of = (figure) => median(found.map((result) => result[figure]));
  say(
    `${mix}: measured ${of('perSecond').toFixed(0)} calls/s, the gateway used ${(of('busy') * 100).toFixed(0)} % of its core, which was ${of('speed').toFixed(2)} times as fast as at the start`,
  );
  const measuredLatencies = [];
  if (shares.event === undefined) {
    const next = (caller) => calls[drawKind(shares, random)](caller);
    for (const load of loads) {
      const options = { perSecond: perSecond * load, callers, seconds: seconds * 2, random };
      measuredLatencies.push({ load, ...(await openLoop(parts.gateway, next, options)) });
    }
  }
  return {
    measured: of('atUsualSpeed'),
    perSecondThen: of('perSecond'),
    speed: of('speed'),
    busy: of('busy'),
    measuredLatencies,
  };
}

async function capacity(shares, lasting) {
  await forget(parts);
  let sent = 0;
  let happened = 0;
  const making = [];
  const next = (caller) => {
    if (shares.event && ++sent % Math.round(size / shares.event) === 0) {
      happened += size;
      making.push(happen(parts, size));
    }
    return calls[drawKind(shares, random)](caller);
  };
  const settled = async () => {
    await Promise.all(making);
    await allArrived(parts, happened);
  };
  return closedLoop(parts.gateway, next, { callers, seconds: lasting, settled });
}

async function costsOnMongodb() {
  const { mongodbFor } = await import('./many/stores.js');
  const opened = await mongodbFor('scale');
  const of = await startParts({ callers: size, store: opened.env });
  const measured = await measureCosts(of, callsOf(of, await aTweet(of)), 'MongoDB', 150);
  await stopParts(of);
  await opened.close();
  return measured;
}
