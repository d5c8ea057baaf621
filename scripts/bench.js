#!/usr/bin/env node
// Runs all benchmarks, records the results, and writes docs/performance.md with its charts.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { readArguments } from './bench/frame.js';
import { drawChart } from './bench/report/charts.js';
import { writePage } from './bench/report/page.js';
import { describeRun, rounded } from './bench/report/recorded.js';

const docs = join(import.meta.dirname, '../docs');
const folder = join(docs, 'performance');
const runPath = join(folder, 'run.json');

/** Arguments for short rounds, so that all benchmarks together take less than ten minutes. */
const benchmarks = [
  { name: 'start', title: 'Start and memory', args: ['--rounds', '5'] },
  { name: 'rest', title: 'REST', args: ['--rounds', '5', '--seconds', '1.2'] },
  { name: 'graphql', title: 'GraphQL', args: ['--rounds', '5', '--seconds', '1'] },
  { name: 'webhooks', title: 'Webhooks', args: ['--rounds', '3', '--deliveries', '2000'] },
  { name: 'idle', title: 'Idle accounts', args: ['--accounts', '1000', '--seconds', '20', '--warm', '20'] },
  { name: 'credit', title: 'Credit', args: ['--rounds', '3', '--seconds', '1', '--fill', '5', '--store', 'embedded'] },
  { name: 'media', title: 'Media', args: [] },
  {
    name: 'hostile',
    title: 'Attacks',
    // Only attacks on parsers and limits, because the other attacks mostly wait. Most attacks on Markdown take seconds.
    args: ['document', 'markdown: `*', 'json', 'compiler', 'search:'].flatMap((name) => ['--only', name]),
  },
  { name: 'chat', title: 'Direct messages', args: [] },
  { name: 'pages', title: 'Pages', args: ['--rounds', '1'] },
  { name: 'atproto', title: 'AT Protocol', args: ['--calls', '30'] },
];

const values = readArguments(
  `npm run bench -- [--only NAME] [--render]

Runs all benchmarks (or those of --only, which may be repeated) with short rounds, on a machine that has nothing else to do. Then
records the results in docs/performance/run.json, with the metrics of the run that was recorded before, and writes
docs/performance.md and its charts.

  --only    ${benchmarks.map(({ name }) => name).join(', ')}; keeps the recorded results of the others
  --render  runs nothing and writes the page and the charts of the recorded run again`,
  {
    only: { type: 'string', multiple: true },
    render: { type: 'boolean', default: false },
  },
);

const recorded = existsSync(runPath) ? JSON.parse(readFileSync(runPath, 'utf8')) : null;
const run = values.render ? recorded : measure();
if (run === null) {
  process.stderr.write('bench: there is no recorded run to render. Run `npm run bench` first.\n');
  process.exit(2);
}
render(run);

function measure() {
  const described = describeRun();
  const earlier = new Map(
    (recorded?.results ?? []).map((result) => [result.name, { commit: recorded.commit, ...result }]),
  );
  const failed = [];
  const results = benchmarks.flatMap(({ name, title, args }) => {
    const kept = earlier.get(name);
    if (values.only && !values.only.includes(name)) return kept ? [kept] : [];
    process.stdout.write(`\n${title} (npm run bench:${name} -- ${args.join(' ')})\n`);
    const startedAt = performance.now();
    const result = runOne(name, args);
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    if (result === null) failed.push(name);
    return result?.metrics ? [{ name, title, commit: described.commit, seconds, ...result }] : kept ? [kept] : [];
  });
  if (failed.length > 0) {
    process.stderr.write(`bench: these failed, so their earlier results stay: ${failed.join(', ')}\n`);
    process.exitCode = 1;
  }
  const made = rounded({
    ...described,
    seconds: results.reduce((sum, { seconds = 0 }) => sum + seconds, 0),
    results,
    previous: recorded && {
      at: recorded.at,
      commit: recorded.commit,
      metrics: recorded.results.flatMap(({ metrics }) => metrics.map(({ id, value }) => ({ id, value }))),
    },
  });
  writeFileSync(runPath, `${JSON.stringify(made, null, 2)}\n`);
  process.stdout.write(`\nrecorded in ${relative('.', runPath)}; all benchmarks together take ${made.seconds} s\n`);
  return made;
}

/**
 * Returns the results, an empty object if the benchmark cannot run on this machine, or `null` if it failed. A benchmark that misses a goal
 * exits with 1, but its results are used.
 */
function runOne(name, args) {
  const temporary = mkdtempSync(join(tmpdir(), 'postern-bench-results-'));
  const path = join(temporary, 'results.json');
  try {
    const script = join(import.meta.dirname, `bench-${name}.js`);
    const env = { ...process.env, BENCH_RESULTS: path };
    const { status } = spawnSync(process.execPath, [script, ...args], { stdio: 'inherit', env });
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
    return status === 0 ? {} : null;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

function render(run) {
  const budgets = JSON.parse(readFileSync(join(folder, 'budgets.json'), 'utf8'));
  for (const file of readdirSync(folder)) if (file.endsWith('.svg')) rmSync(join(folder, file));
  const fileOf = (name, index) => `performance/${name}-${index + 1}.svg`;
  for (const { name, charts } of run.results) {
    for (const [index, chart] of charts.entries()) writeFileSync(join(docs, fileOf(name, index)), drawChart(chart));
  }
  writeFileSync(join(docs, 'performance.md'), writePage(run, budgets, fileOf));
}
