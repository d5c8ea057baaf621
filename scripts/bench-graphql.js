#!/usr/bin/env node
// How fast GraphQL is, as ratios to bare Yoga, to Apollo Server and to REST, measured side by side in one run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, median } from './bench/load.js';
import { start, stopAll, temporaryFolder } from './bench/processes.js';
import { compareJourneys, journeys } from './bench/round-trips.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '64' },
    latency: { type: 'string', default: '20' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run bench:graphql -- [--rounds 9] [--seconds 2] [--concurrency 64] [--latency 20]

A user, 20 tweets and their authors, asked for in one query: of Postern, of a bare Yoga and of Apollo Server on Express 5,
whose resolvers make the same calls to the same sandbox; in turn (A B C, A B C, …). Prints requests a second, latencies,
processor time a request (all threads of the server), and the ratios with their lowest and highest round. Then the same
data by REST calls, one after the other, and by one query, for a caller --latency milliseconds away.
Exits with 1 where a goal is missed.\n`);
  process.exit();
}
const [rounds, concurrency, latencyMs] = [values.rounds, values.concurrency, values.latency].map(Number);
const durationMs = Number(values.seconds) * 1_000;

const goals = { yoga: 0.9, apollo: 1.25, rest: 3 };
const query = `{ user(userName: "grace") { userName followersCount tweets(first: 20) { edges { node {
  text likeCount createdAt author { userName name followersCount }
} } pageInfo { hasNextPage endCursor } } } }`;

const production = { NODE_ENV: 'production' };
const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], {
  ...production,
  DATA_DIR: temporaryFolder(),
  SANDBOX_PORT: '0',
  SANDBOX_ACTIVITY: '0',
});
const subjects = {
  postern: await start('postern.js', ['serve'], {
    ...production,
    DATA_DIR: dataDir,
    PORT: '0',
    PLATFORM_URL: sandbox.url,
    PLATFORM_KIND: 'sandbox',
    // Counted, and never reached.
    RATE_LIMIT: '1000000000',
  }),
  yoga: await start('bench/bare-graphql.js', ['yoga', sandbox.url], production),
  apollo: await start('bench/bare-graphql.js', ['apollo', sandbox.url], production),
};
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const headers = { authorization: `Bearer ${richKey()}`, 'x-auth-token': demo.accounts[0].authToken };

const asked = {
  method: 'POST',
  path: '/graphql',
  headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({ query }),
};
const reached = [compareServers(await measureServers(await theAnswers())), await compareRest()].flat();
await stopAll();
if (reached.includes(false)) process.exitCode = 1;

/** Asks each once and checks that they say the same; answers how each one's body begins, up to its own cursor. */
async function theAnswers() {
  const beginnings = {};
  for (const [name, { url }] of Object.entries(subjects)) {
    const body = await (await fetch(url + asked.path, asked)).text();
    if (JSON.parse(body).data?.user?.tweets?.edges?.length !== 20) throw new Error(`${name} does not answer 20 tweets`);
    beginnings[name] = body.slice(0, body.indexOf('"endCursor"'));
  }
  // Tweets of the API have whole seconds (docs/rest.md, Responses), those of the platform milliseconds.
  const same = new Set(Object.values(beginnings).map((text) => text.replaceAll(/\.\d{3}Z/g, '.000Z')));
  if (same.size !== 1) throw new Error('the servers answer differently');
  return beginnings;
}

async function measureServers(beginnings) {
  const results = { postern: [], yoga: [], apollo: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { url }] of Object.entries(subjects)) {
      const check = (body) => {
        if (!body.startsWith(beginnings[name])) throw new Error(`not the answer: ${body}`);
      };
      const before = await processorSeconds(url);
      // The first round warms everything up, which takes V8 thousands of requests.
      const lasts = round === 0 ? Math.max(5_000, durationMs) : durationMs;
      const result = await load({ origin: url, request: () => asked, concurrency, durationMs: lasts, check });
      const cpu = ((await processorSeconds(url)) - before) * 1_000;
      if (round > 0) results[name].push({ ...result, cpuMs: cpu / result.requests });
    }
  }
  return results;
}

async function processorSeconds(url) {
  const response = await fetch(`${url}/metrics`);
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(await response.text())?.[1]);
}

function compareServers(results) {
  process.stdout.write('a user, 20 tweets and their authors\n');
  for (const [name, all] of Object.entries(results)) {
    const of = (figure) => median(all.map((result) => result[figure])).toFixed(2);
    process.stdout.write(
      `  ${name.padEnd(8)} ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms, ${of('cpuMs')} ms of processor a request\n`,
    );
  }
  return ['yoga', 'apollo'].map((other) => {
    const ratios = (better) => results.postern.map((result, i) => better(result, results[other][i]));
    const cpu = ratios((ours, theirs) => theirs.cpuMs / ours.cpuMs);
    const note = `; by processor time ${spread(cpu)}`;
    return verdict(
      `postern / ${other}`,
      ratios((ours, theirs) => ours.perSecond / theirs.perSecond),
      goals[other],
      note,
    );
  });
}

async function compareRest() {
  const reached = [];
  for (const [name, journey] of Object.entries(journeys)) {
    const options = { origin: subjects.postern.url, headers, latencyMs, times: Math.max(5, rounds) };
    const { rest, graphql, calls } = await compareJourneys(journey, options);
    process.stdout.write(`${name}, ${latencyMs} ms away\n`);
    process.stdout.write(`  rest     ${median(rest).toFixed(1)} ms, ${calls} calls\n`);
    process.stdout.write(`  graphql  ${median(graphql).toFixed(1)} ms, 1 query\n`);
    reached.push(
      verdict(
        'rest / graphql',
        rest.map((ms, i) => ms / graphql[i]),
        goals.rest,
      ),
    );
  }
  return reached;
}

function verdict(name, ratios, goal, note = '') {
  const isReached = median(ratios) >= goal;
  const outcome = `goal ${goal} ${isReached ? 'reached' : 'MISSED'}`;
  process.stdout.write(`  ${name}: ${spread(ratios)}, ${outcome}${note}\n`);
  return isReached;
}

function spread(ratios) {
  return `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`;
}

/** A key whose credit outlasts the bench. */
function richKey() {
  const run = (...args) => {
    const command = [join(import.meta.dirname, 'postern.js'), ...args, '--json'];
    const { stdout } = spawnSync(process.execPath, command, { env: { ...process.env, DATA_DIR: dataDir } });
    return JSON.parse(stdout);
  };
  const { id } = run('account', 'create', '--name', 'bench', '--credits', '100000');
  return run('key', 'create', '--account', id).key;
}
