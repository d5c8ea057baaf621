#!/usr/bin/env node
// Measures how many calls per second the ledger can charge on each store, with a short history and with a history that is a hundred times
// as long.
import { audit, makeAccounts, pairs, price } from './bench/credit-pairs.js';
import { median, readArguments, recordResults, spread } from './bench/frame.js';

const values = readArguments(
  `npm run bench:credit -- [--rounds 3] [--seconds 3] [--callers 200] [--accounts 1000]
                               [--history 100] [--fill 20] [--store embedded] [--store mongodb]

Runs pairs of reserve and settle through the ledger with --callers concurrent callers: on one account, then on --accounts. Two
stores of each kind alternate. One contains the history of one round (history x1), the other one --history times as many
payments, hours of usage and outcomes of commits. Filling the second store stops after --fill seconds.

  pairs/s, p50, p99   of a pair; medians of --rounds rounds of --seconds, after one that is not counted
  commits/s           writes to the store
  together            commits that the store completed together: in SQLite they shared a transaction
  of bare             commits a second, as a share of bare transactions that change one number for each commit: as
                      durable, and as many in one transaction (SQLite) or at a time (MongoDB)
  of x1               pairs a second, as a share of those with little history: the median of the rounds' ratios, and
                      the lowest and highest

The embedded store is on a disk, in a temporary folder, which may need two gigabytes. MongoDB is the server of
MONGODB_URL (databases of the bench's own, dropped at the end), or a mongod on the PATH, or secantusd-py on the PATH or in .venv, started for the bench.\nsecantusd-py is slow, so it gets 32 callers unless --callers is given.`,
  {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    callers: { type: 'string' },
    accounts: { type: 'string', default: '1000' },
    history: { type: 'string', default: '100' },
    fill: { type: 'string', default: '20' },
    store: { type: 'string', multiple: true, default: ['embedded', 'mongodb'] },
  },
);
const number = (name) => {
  const value = Number(values[name]);
  if (value > 0) return value;
  process.stderr.write(`bench:credit: --${name} takes a number above 0\n`);
  process.exit(2);
};
const [rounds, accountCount, history] = ['rounds', 'accounts', 'history'].map(number);
const callersWanted = values.callers === undefined ? null : number('callers');
const durationMs = number('seconds') * 1_000;
const fillMs = number('fill') * 1_000;
const goal = 20_000;

// Signals are handled, because a signal would otherwise end the process without calling the `exit` listeners, which clean up.
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 })) {
  process.once(signal, () => process.exit(code));
}

const kinds = {
  embedded: async () => (await import('./bench/credit-embedded.js')).embedded(),
  mongodb: async () => (await import('./bench/credit-mongodb.js')).mongodb(),
};
const say = (line) => process.stdout.write(`${line}\n`);
const metrics = [];

for (const kind of values.store) {
  if (!(kind in kinds)) {
    process.stderr.write(`bench:credit: --store takes ${Object.keys(kinds).join(' or ')}\n`);
    process.exit(2);
  }
}
for (const kind of values.store) {
  const database = await kinds[kind]();
  if (database) await bench(database);
  else say('mongodb: skipped, since MONGODB_URL is not set, and neither mongod nor secantusd-py is installed');
}
recordResults({ metrics });

async function bench(database) {
  const subjects = [];
  try {
    const callers = callersWanted ?? database.callers;
    say(`${database.name}: ${database.what}; ${callers} callers`);
    for (const name of ['little', 'much']) subjects.push({ ...(await database.make(name)), pairs: 0, refused: 0 });
    const results = await measure(database, subjects, callers);
    for (const subject of subjects) await check(subject);
    report(results);
    await tellRows(subjects);
    if (database.name === 'embedded') tellGoal(results);
    noteMetrics(database.name, results);
    say('');
  } finally {
    for (const { close } of subjects) await close();
    await database.close();
  }
}

async function measure(database, subjects, callers) {
  const ids = [];
  for (const { store } of subjects) ids.push(await makeAccounts(store, accountCount));
  const scenarios = [ids[0].slice(0, 1), ids[0]].map((accounts) => ({
    accounts,
    bare: [],
    rounds: subjects.map(() => []),
  }));
  const round = async (subject, accounts) => {
    const result = await pairs({ store: subject.store, accounts, callers, durationMs });
    subject.pairs += result.pairs;
    subject.refused += result.refused;
    return result;
  };
  // The warm-up rounds create the history. The second store gets a longer one.
  for (const { accounts } of scenarios) for (const subject of subjects) await round(subject, accounts);
  const [little, much] = subjects;
  much.chargedBefore = await audit(much.store);
  const filledAt = performance.now();
  const copies = await much.fill(Math.round(history) - 1, fillMs);
  little.history = 1;
  much.history = copies + 1;
  say(`history x${much.history} written in ${((performance.now() - filledAt) / 1_000).toFixed(1)} s`);
  await audit(much.store);
  for (let number = 0; number < rounds; number++) {
    for (const scenario of scenarios) {
      const { accounts } = scenario;
      for (const [index, subject] of subjects.entries()) {
        const since = subject.store.now();
        scenario.rounds[index].push(await round(subject, accounts));
        // Every round must begin with the same history.
        await subject.forgetSince(since);
      }
      const { group } = scenario.rounds[0].at(-1);
      scenario.bare.push(await database.bare({ accounts, group, callers, durationMs: durationMs / 2 }));
    }
  }
  return { scenarios, subjects };
}

/** Checks that every pair was charged once and that the balances are correct. */
async function check({ store, pairs: done, refused, history: times, chargedBefore = 0 }) {
  const charged = (await audit(store)) - chargedBefore * (times - 1);
  const least = done * price;
  // The charge of a pair may have been recorded even if its caller received 503.
  if (charged < least || charged > least + refused * price) {
    throw new Error(`${done} pairs were done and ${refused} refused, but ${charged / price} were charged`);
  }
}

function report({ scenarios, subjects }) {
  const rows = [
    ['accounts', 'history', 'pairs/s', 'commits/s', 'pairs/commit', 'together', 'p50 ms', 'p99 ms', 'of bare', 'of x1'],
  ];
  for (const { accounts, bare, rounds: all } of scenarios) {
    for (const [index, results] of all.entries()) {
      const of = (figure) => median(results.map((result) => result[figure]));
      const ratios = results.map(({ perSecond }, i) => perSecond / all[0][i].perSecond);
      const [low, high] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
      rows.push([
        grouped(accounts.length),
        `x${subjects[index].history}`,
        grouped(of('perSecond')),
        grouped(of('commitsPerSecond')),
        (of('perSecond') / of('commitsPerSecond')).toFixed(1),
        grouped(of('group')),
        of('p50').toFixed(1),
        of('p99').toFixed(1),
        median(results.map(({ commitsPerSecond }, i) => commitsPerSecond / bare[i])).toFixed(2),
        index === 0 ? '' : `${median(ratios).toFixed(2)} (${low} to ${high})`,
      ]);
    }
    rows.push([grouped(accounts.length), 'bare', '', grouped(median(bare)), '', '', '', '', '', '']);
  }
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows)
    say(
      row
        .map((cell, column) => cell.padStart(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

async function tellRows(subjects) {
  for (const { rows, history: times, refused } of subjects) {
    const counts = Object.entries(await rows()).map(([name, count]) => `${grouped(count)} ${name}`);
    say(`history x${times}: rows of ${counts.join(', ')}${refused > 0 ? `; ${grouped(refused)} pairs refused` : ''}`);
  }
}

function noteMetrics(store, { scenarios }) {
  for (const { accounts, bare, rounds: all } of scenarios) {
    const label = `${store} store, ${grouped(accounts.length)} accounts`;
    const [little] = all;
    metrics.push(
      {
        ...{
          id: `credit.${store}.${accounts.length}.pairs`,
          label: `${label}: reserve and settle`,
          unit: '1/s',
          better: 'higher',
        },
        ...spread(little.map(({ perSecond }) => perSecond)),
      },
      {
        ...{
          id: `credit.${store}.${accounts.length}.bare`,
          label: `${label}: commits beside bare transactions`,
          unit: 'ratio',
          better: 'higher',
        },
        ...spread(little.map(({ commitsPerSecond }, i) => commitsPerSecond / bare[i])),
      },
    );
  }
}

function tellGoal({ scenarios }) {
  const reached = median(scenarios[0].rounds[0].map(({ perSecond }) => perSecond));
  const verdict = reached >= goal ? 'reached' : 'missed';
  say(`goal: ${grouped(goal)} pairs a second on one account: ${verdict}, ${grouped(reached)}`);
}

function grouped(value) {
  return Math.round(value).toLocaleString('en-US');
}
