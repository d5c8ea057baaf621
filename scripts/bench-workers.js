#!/usr/bin/env node
// Measures throughput, processor time and memory with one worker and with several.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { median, readArguments, recordResults } from './bench/frame.js';
import { load } from './bench/load.js';
import { usageOf } from './bench/process-tree.js';
import { makeRichAccount, start, stopAll, temporaryFolder } from './bench/processes.js';

const values = readArguments(
  `npm run bench:workers -- [--workers 1,2] [--rounds 5] [--seconds 3] [--concurrency 64] [--json]

Reads the balance of an account (no platform call, no charge), searches (20 tweets) and posts a tweet, through services with --workers
workers in alternation, against one sandbox. Prints requests a second, latencies, the processor time of all processes of the service
for each request, and their resident memory. The load generator and the sandbox need a core each, so the throughput is meaningful only
if the workers do not exceed the other cores. The processor time for each request does not depend on the cores. Linux only.`,
  {
    workers: { type: 'string', default: '1,2' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '64' },
    json: { type: 'boolean' },
  },
);
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1_000;
const concurrency = Number(values.concurrency);

const sandbox = await start('postern.js', ['sandbox'], {
  DATA_DIR: temporaryFolder(),
  SANDBOX_PORT: '0',
  SANDBOX_ACTIVITY: '0',
});
const services = [];
for (const workers of values.workers.split(',')) services.push(await startService(workers));

let posted = 0;
const json = { 'content-type': 'application/json' };
const scenarios = {
  balance: () => ({ method: 'GET', path: '/v1/account/balance' }),
  search: () => ({ method: 'GET', path: '/v1/tweet/advanced_search?q=from:grace&count=20' }),
  write: () => ({
    method: 'POST',
    path: '/v1/tweet/create',
    headers: json,
    body: JSON.stringify({ text: `Tweet ${++posted} of a bench` }),
  }),
};
const results = [];
for (const [scenario, request] of Object.entries(scenarios)) results.push(...(await measure(scenario, request)));
if (values.json) {
  process.stdout.write(
    `${JSON.stringify({ benchmark: 'workers', cores: availableParallelism(), rounds, concurrency, results }, null, 2)}\n`,
  );
}
const named = ({ scenario, workers }) => `${scenario}, ${workers} ${workers === 1 ? 'worker' : 'workers'}`;
const figureOf = (result, figure) => {
  const { median: value, lowest: low, highest: high } = result[figure];
  return { value, low, high };
};
recordResults({
  metrics: results.flatMap((result) => [
    {
      id: `workers.${named(result)}.speed`,
      label: `${named(result)}: requests a second`,
      unit: '1/s',
      better: 'higher',
      ...figureOf(result, 'perSecond'),
    },
    {
      id: `workers.${named(result)}.cpu`,
      label: `${named(result)}: processor time a request`,
      unit: 'ms',
      better: 'lower',
      ...figureOf(result, 'cpuMs'),
    },
  ]),
});
await stopAll();

async function startService(workers) {
  const dataDir = temporaryFolder();
  const { url, child } = await start('postern.js', ['serve'], {
    WORKERS: workers,
    DATA_DIR: dataDir,
    PORT: '0',
    PLATFORM_URL: sandbox.url,
    PLATFORM_KIND: 'sandbox',
    RATE_LIMIT: '100000000',
  });
  const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
  const headers = {
    authorization: `Bearer ${makeRichAccount(dataDir).key}`,
    'x-auth-token': demo.accounts[0].authToken,
  };
  return { workers: Number(workers), url, pid: child.pid, headers };
}

async function measure(scenario, makeRequest) {
  const all = new Map(services.map(({ workers }) => [workers, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const { workers, url, pid, headers } of services) {
      const before = usageOf(pid);
      const request = () => {
        const made = makeRequest();
        return { ...made, headers: { ...headers, ...made.headers } };
      };
      // The first round warms everything up. Each worker must get enough requests for its compiler.
      const lengthMs = round > 0 ? durationMs : durationMs * 3 * workers;
      const loaded = await load({ origin: url, request, concurrency, durationMs: lengthMs, check: () => {} });
      const after = usageOf(pid);
      const cpuMs = ((after.cpuSeconds - before.cpuSeconds) * 1_000) / loaded.requests;
      if (round > 0) all.get(workers)?.push({ ...loaded, cpuMs, megabytes: after.megabytes });
    }
  }
  return [...all].map(([workers, of]) => {
    const spread = (figure) => {
      const found = of.map((each) => each[figure]);
      return { median: median(found), lowest: Math.min(...found), highest: Math.max(...found) };
    };
    const figures = ['perSecond', 'p50', 'p99', 'cpuMs', 'megabytes'];
    const result = { scenario, workers, ...Object.fromEntries(figures.map((figure) => [figure, spread(figure)])) };
    if (!values.json) report(result);
    return result;
  });
}

function report({ scenario, workers, perSecond, p50, p99, cpuMs, megabytes }) {
  process.stdout.write(
    `${scenario.padEnd(8)} ${workers} ${workers === 1 ? 'worker: ' : 'workers:'} ${perSecond.median.toFixed(0)}/s ` +
      `(${perSecond.lowest.toFixed(0)} to ${perSecond.highest.toFixed(0)}), p50 ${p50.median.toFixed(1)} ms, p99 ${p99.median.toFixed(1)} ms, ` +
      `CPU ${cpuMs.median.toFixed(2)} ms a request (${cpuMs.lowest.toFixed(2)} to ${cpuMs.highest.toFixed(2)}), ${megabytes.median.toFixed(0)} MB\n`,
  );
}
