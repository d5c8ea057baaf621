#!/usr/bin/env node
// How fast REST is, as a ratio to the bare equivalents, measured side by side in one run.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, median } from './bench/load.js';
import { start, stopAll, temporaryFolder } from './bench/processes.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '64' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run bench:rest -- [--rounds 7] [--seconds 2] [--concurrency 64]

A search (20 tweets), a page of followers (20 users) and a tweet posted, each through Postern, through a bare node:http
server and through bare Express 5, in turn (A B C, A B C, …) against one sandbox. Prints requests a second and the
ratios, with their lowest and highest round.\n`);
  process.exit();
}
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1_000;
const concurrency = Number(values.concurrency);

const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], { DATA_DIR: temporaryFolder(), SANDBOX_PORT: '0' });
const subjects = {
  postern: await start('postern.js', ['serve'], {
    DATA_DIR: dataDir,
    PORT: '0',
    PLATFORM_URL: sandbox.url,
    PLATFORM_KIND: 'sandbox',
  }),
  http: await start('bench/bare-server.js', ['http', sandbox.url]),
  express: await start('bench/bare-server.js', ['express', sandbox.url]),
};
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const headers = { authorization: `Bearer ${richKey()}`, 'x-auth-token': demo.accounts[0].authToken };

let posted = 0;
const scenarios = {
  search: await page('/v1/tweet/advanced_search?q=from:grace&count=20', 'tweets'),
  followers: await page('/v1/user/followers?userName=grace&count=20', 'followers'),
  write: {
    request: () => ({
      method: 'POST',
      path: '/v1/tweet/create',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ text: `Tweet ${++posted} of a bench` }),
    }),
    check: (body, { body: sent }) => {
      if (!body.includes(JSON.parse(sent).text)) throw new Error('a body is not the tweet that was posted');
    },
  },
};

for (const [name, scenario] of Object.entries(scenarios)) report(name, await measure(scenario));
await stopAll();

/** A read, whose every body must hold the page: its first and its last of 20 items, whole to the end. */
async function page(path, items) {
  const answer = await fetch(subjects.postern.url + path, { headers });
  const ids = (await answer.json()).data[items].map(({ id }) => id);
  if (ids.length !== 20) throw new Error(`${path} has ${ids.length} items instead of 20`);
  return {
    request: () => ({ method: 'GET', path, headers }),
    check: (body) => {
      if (!body.includes(ids[0]) || !body.includes(ids[19]) || !body.endsWith('}')) throw new Error('not the page');
    },
  };
}

async function measure({ request, check }) {
  const results = { postern: [], http: [], express: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const [name, { url }] of Object.entries(subjects)) {
      const result = await load({ origin: url, request, concurrency, durationMs, check });
      // The first round warms everything up.
      if (round > 0) results[name].push(result);
    }
  }
  return results;
}

function report(scenario, results) {
  process.stdout.write(`${scenario}\n`);
  for (const [name, all] of Object.entries(results)) {
    const of = (figure) => median(all.map((result) => result[figure])).toFixed(2);
    process.stdout.write(`  ${name.padEnd(8)} ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms\n`);
  }
  for (const other of ['http', 'express']) {
    const ratios = results.postern.map((result, i) => result.perSecond / results[other][i].perSecond);
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
    process.stdout.write(
      `  postern / ${other}: ${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})\n`,
    );
  }
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
