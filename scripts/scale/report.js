// The prediction, the rows and the plan of scripts/scale.js for docs/reliability.md.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { costsOfMix, documentsWritten, plannedShare, planOf } from './model.js';
import { mixes } from './parts.js';
import { simulateHotAccount } from './simulate.js';

const tolerance = 0.2;
/** The share of its core that a gateway at its capacity uses at least. */
const leastBusy = 0.9;
/** The mix and the number of events for each call of the plan. */
const plannedMix = 'reads and writes over REST, 80 to 20';
const plannedEvents = 0.1;
/** The time in milliseconds that a commit takes with three members, and until the next one reaches the database. */
const hotCommit = { commitMs: 5, gapMs: 1 };
const pollersPath = join(import.meta.dirname, '../../docs/reliability/many-pollers.json');

/** The prediction, which is recorded before the capacity is measured. */
export function predictionReport({ predictions, costs, restCpu, size, callers }) {
  return {
    title: 'Scale: the prediction',
    notes: [
      `From one caller, who sends one request at a time, then ${size} at once. The gateway has one core, of which it uses ${(restCpu * 100).toFixed(1)} % without calls. ` +
        'In milliseconds of processor time, the cost of a call and that of a turn of the event loop, which the calls of a turn share:',
      table(
        ['kind', 'call', 'turn', 'commits'],
        Object.entries(costs).map(([kind, of]) => [kind, ms(of.callMs), ms(of.turnMs), of.commits.toFixed(2)]),
      ),
      `Capacity with ${callers} callers = (1 − share without calls) / (call + turn / ${callers}), before it was measured:`,
      table(
        ['mix', 'call', 'turn', 'calls a second', 'simulated'],
        predictions.map(({ mix, costs: of, perSecond, simulated }) => [
          mix,
          ms(of.callMs),
          ms(of.turnMs),
          grouped(perSecond),
          grouped(simulated),
        ]),
      ),
    ],
    rows: [],
  };
}

/** The rows of the measured capacities, and charts of the capacity and of the latency. */
export function measuredReport(results, { callers, command }) {
  const withLatencies = results.filter(({ measuredLatencies }) => measuredLatencies.length > 0);
  return {
    title: 'Scale',
    notes: [
      'The gateway has one core. The core was busy for ' +
        `${results.map(({ mix, busy }) => `${(busy * 100).toFixed(0)} % of the time (${mix})`).join(', ')}. ` +
        'The answers of the platform are recorded, so that the other cores are no limit. Before and after each measurement the gateway performed bursts of one kind of call, because other machines ' +
        'on the same host change its speed. Processor times and capacities are converted to the speed at the start. Latencies are not.',
    ],
    rows: results.map(({ mix, perSecond, measured, perSecondThen, speed, busy }) => ({
      test: `capacity of one gateway: ${mix}`,
      fault: `${callers} callers`,
      promised: `within ${tolerance * 100} % of the predicted ${grouped(perSecond)} calls/s`,
      measured:
        `${grouped(measured)} calls/s, ${signed(measured / perSecond - 1)} ` +
        `(${ms((busy * 1_000) / measured)} ms of processor time a call, predicted ${ms(1_000 / perSecond)}); ` +
        `counted ${grouped(perSecondThen)} calls/s on a core that was ${speed.toFixed(2)} times as fast as at the start` +
        (busy < leastBusy
          ? `; the gateway used only ${(busy * 100).toFixed(0)} % of its core, so something else was the limit`
          : ''),
      met: Math.abs(measured / perSecond - 1) <= tolerance,
      command,
    })),
    charts: [
      {
        title: 'Capacity of one gateway on one core',
        unit: 'calls/s',
        categories: results.map(({ mix }) => mix),
        series: [
          { name: 'predicted', values: results.map(({ perSecond }) => perSecond) },
          { name: 'measured', values: results.map(({ measured }) => measured) },
        ],
      },
      ...withLatencies.map(({ mix, perSecond, latencies, measuredLatencies }) => ({
        title: `Latency of calls at random times: ${mix}`,
        unit: 'ms',
        x: 'calls a second',
        log: ['y'],
        series: ['p50', 'p99'].flatMap((figure) => [
          { name: `${figure}, simulated`, points: latencies.map((at) => [perSecond * at.load, at[figure]]) },
          { name: `${figure}, measured`, points: measuredLatencies.map((at) => [perSecond * at.load, at[figure]]) },
        ]),
      })),
    ],
  };
}

/** The plan for a fleet: tables of gateways, shards and pollers, and of the commits of one account. */
export function planNotes({ sqlite, mongodb, shardWrites, random }) {
  const { costs, restCpu } = mongodb ?? sqlite;
  const of = costsOfMix({ ...mixes[plannedMix], event: plannedEvents }, costs);
  const writes = mixes[plannedMix].like;
  const plans = [10_000, 100_000].map((perSecond) =>
    planOf(perSecond, { costs: of, writes, events: plannedEvents, restCpu, shardWrites }),
  );
  const { read, write, event } = documentsWritten;
  const hot = [1, 5, 10, 20, 50, 100].map((gateways) => ({
    gateways,
    ...simulateHotAccount({ gateways, ...hotCommit, random }),
  }));
  return [
    `**A fleet** for ${plannedMix} and an event for every tenth call, with the costs of one caller on ${mongodb ? 'MongoDB' : 'SQLite'} ` +
      `(${ms(of.callMs + of.turnMs)} ms of processor time for each call). A gateway and a shard use ${plannedShare * 100} % of what they can. A read writes ${read} ` +
      `documents, a write ${write}, an event ${event}, with their deletion; a shard of three members writes ${grouped(shardWrites)} documents a second (an assumption: ` +
      '`npm run bench:credit -- --store mongodb` measures yours).',
    table(
      ['calls a second', 'gateways of one core', 'documents written a second', 'shards', 'outcomes of commits kept'],
      plans.map((plan) => [
        grouped(plan.perSecond),
        grouped(plan.gateways),
        grouped(plan.documents),
        grouped(plan.shards),
        `${grouped(plan.outcomes / 1e6)} million`,
      ]),
    ),
    ...pollerNotes(),
    `**One account on many gateways**, simulated: calls of the account always wait on each gateway. A commit holds the account for ${hotCommit.commitMs} ms and carries all calls that wait on its gateway. ` +
      `The next one arrives ${hotCommit.gapMs} ms later, and a commit that finds the account taken is tried again after the pauses of the MongoDB store. The times are those of the commit that a call finds.`,
    table(
      ['gateways', 'commits a second', 'commit p50', 'commit p99', 'time in commits given up after 5 s'],
      hot.map((at) => [
        String(at.gateways),
        grouped(at.perSecond),
        `${at.p50.toFixed(0)} ms`,
        `${at.p99.toFixed(0)} ms`,
        `${(at.givenUp * 100).toFixed(1)} %`,
      ]),
    ),
    'What the limits are and what to do about each: [scale.md](scale.md).',
  ];
}

/** The pollers of a fleet, from the recorded run of scripts/many.js. */
function pollerNotes() {
  if (!existsSync(pollersPath)) return [];
  const { notes } = JSON.parse(readFileSync(pollersPath, 'utf8'));
  return [`**Pollers.** ${notes[0]}`];
}

function table(head, rows) {
  return [head, head.map((_, column) => (column === 0 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function ms(value) {
  return value.toFixed(3);
}

function signed(share) {
  return `${share >= 0 ? '+' : ''}${(share * 100).toFixed(0)} %`;
}

function grouped(value) {
  return Math.round(value).toLocaleString('en-US');
}
