#!/usr/bin/env node
import { loadSnapshot } from '../dist/sandbox/dataset/snapshot.js';
import { parseQuery } from '../dist/sandbox/search/parse.js';
import { search } from '../dist/sandbox/search/search.js';
import { defaultSeed, snapshotOf } from '../dist/sandbox/seed/load-dataset.js';
// Measures the duration of searches in the sandbox's dataset by kind of query, without HTTP and JSON, for one page of 20 results.
import { readArguments, recordResults } from './bench/frame.js';

const values = readArguments(
  `npm run bench:search -- [--rounds 300] [--limit 2] [--json]

Loads the dataset of the sandbox and runs every kind of query on it, newest first and best first. Prints the median and the 99th
percentile, in milliseconds, of parsing the query and finding a page of 20. A row marked "deep" is a page in the middle of the results.
Exits with 1 if a median is over --limit milliseconds.`,
  {
    rounds: { type: 'string', default: '300' },
    limit: { type: 'string', default: '2' },
    json: { type: 'boolean', default: false },
  },
);
const rounds = Number(values.rounds);
const limit = Number(values.limit);
if (!(rounds > 0 && limit > 0)) {
  process.stderr.write('bench:search: --rounds and --limit take numbers above 0\n');
  process.exit(2);
}

const queries = [
  ['word', 'coffee'],
  ['very common word', 'the'],
  ['common words', 'the a to of'],
  ['phrase', '"the night train"'],
  ['phrase of common words', '"of the"'],
  ['no hit', 'zyzzyva'],
  ['no hit, two common words', '"train of coffee"'],
  ['OR', 'coffee OR tea OR train'],
  ['OR of common words', 'the OR a'],
  ['negated word', 'coffee -cold'],
  ['negations alone', '-the -a -to -of'],
  ['hashtag', '#coffee'],
  ['cashtag', '$ACME'],
  ['mention', '@ada'],
  ['another language', '"コーヒー"'],
  ['emoji', '☕'],
  ['from:', 'from:grace'],
  ['to:', 'to:ada'],
  ['since: and until:', (day) => `since:${day(60)} until:${day(58)}`],
  ['a day and a word', (day) => `the since:${day(80)} until:${day(79)}`],
  ['filter:media', 'filter:media'],
  ['filter:images', 'filter:images'],
  ['filter:videos', 'filter:videos'],
  ['filter:links', 'filter:links'],
  ['filter:replies', 'filter:replies'],
  ['filter:quote', 'filter:quote'],
  ['filter:verified', 'filter:verified'],
  ['filters that seldom meet', 'filter:videos filter:links the'],
  ['brackets', '(bread OR train) -filter:replies filter:images'],
];

const epoch = Math.floor(Date.now() / 60_000) * 60_000;
const started = performance.now();
const dataset = loadSnapshot(await snapshotOf(defaultSeed), epoch);
const builtMs = performance.now() - started;
const viewer = dataset.userNamed('ada');
const day = (ago) => new Date(epoch - ago * 86_400_000).toISOString().slice(0, 10);

/** Returns the cursor of a page in the middle of the results; undefined if one page contains all results. */
function middleOf(query, product) {
  const pages = [];
  let after;
  do {
    const page = search(dataset, query, product, viewer, 500, after);
    after = page.next;
    if (after !== undefined) pages.push(after);
  } while (after !== undefined);
  return pages[Math.floor(pages.length / 2)];
}

function measure(text, product, after) {
  const times = new Float64Array(rounds);
  let found = 0;
  for (let round = -20; round < rounds; round++) {
    const from = performance.now();
    found = search(dataset, parseQuery(text), product, viewer, 20, after).tweets.length;
    if (round >= 0) times[round] = performance.now() - from;
  }
  times.sort();
  return { found, median: times[Math.floor(rounds / 2)], p99: times[Math.floor(rounds * 0.99)] };
}

const rows = [];
for (const [kind, wording] of queries) {
  const text = typeof wording === 'string' ? wording : wording(day);
  for (const product of ['latest', 'top']) {
    rows.push({ kind, text, product, ...measure(text, product) });
    const deep = middleOf(parseQuery(text), product);
    if (deep !== undefined) rows.push({ kind: `${kind}, deep`, text, product, ...measure(text, product, deep) });
  }
}

const worst = (part) => Math.max(...rows.map((row) => row[part]));
recordResults({
  metrics: [
    {
      id: 'search.median',
      label: 'search of the sandbox: slowest median',
      value: worst('median'),
      unit: 'ms',
      better: 'lower',
    },
    { id: 'search.p99', label: 'search of the sandbox: slowest p99', value: worst('p99'), unit: 'ms', better: 'lower' },
  ],
});
const slow = rows.filter((row) => row.median > limit);
if (values.json) process.stdout.write(`${JSON.stringify({ tweets: dataset.tweets.length, builtMs, rows }, null, 2)}\n`);
else {
  process.stdout.write(
    `${dataset.tweets.length} tweets of ${dataset.users.size} users, loaded in ${builtMs.toFixed(0)} ms\n`,
  );
  process.stdout.write(
    `${'query'.padEnd(34)}${'order'.padEnd(8)}${'found'.padStart(6)}${'median'.padStart(9)}${'p99'.padStart(9)}\n`,
  );
  for (const { kind, product, found, median, p99 } of rows) {
    process.stdout.write(
      `${kind.padEnd(34)}${product.padEnd(8)}${String(found).padStart(6)}${median.toFixed(3).padStart(9)}${p99.toFixed(3).padStart(9)}\n`,
    );
  }
  process.stdout.write(
    `the slowest median ${worst('median').toFixed(3)} ms, the slowest p99 ${worst('p99').toFixed(3)} ms\n`,
  );
}
if (slow.length > 0) {
  process.stderr.write(`over ${limit} ms: ${slow.map((row) => `${row.kind} (${row.product})`).join(', ')}\n`);
  process.exitCode = 1;
}
