#!/usr/bin/env node
// How fast REST is, as a ratio to the bare equivalents, measured side by side in one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { load, median } from './bench/load.js';
import { start, stopAll, temporaryFolder } from './bench/processes.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    concurrency: { type: 'string', default: '32' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run bench:rest -- [--rounds 7] [--seconds 2] [--concurrency 32]

GET /v1/tweet/advanced_search (20 tweets) through Postern, through a bare node:http server and through bare Express 5,
in turn (A B C, A B C, …) against one sandbox. Prints requests a second and the ratios, round by round.\n`);
  process.exit();
}
const rounds = Number(values.rounds);
const durationMs = Number(values.seconds) * 1_000;
const concurrency = Number(values.concurrency);

const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], { DATA_DIR: temporaryFolder(), SANDBOX_PORT: '0' });
const postern = await start('postern.js', ['serve'], {
  DATA_DIR: dataDir,
  PORT: '0',
  PLATFORM_URL: sandbox.url,
  PLATFORM_KIND: 'sandbox',
});
const http = await start('bench/bare-server.js', ['http', sandbox.url]);
const express = await start('bench/bare-server.js', ['express', sandbox.url]);

const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const headers = { authorization: `Bearer ${await richKey(dataDir)}`, 'x-auth-token': demo.accounts[0].authToken };
const path = '/v1/tweet/advanced_search?q=from:grace&count=20';
const subjects = { postern, http, express };

/** Every body must hold the page: its 20 tweets, in their order. */
async function idsOfPage() {
  const answer = await fetch(postern.url + path, { headers });
  return (await answer.json()).data.tweets.map((tweet) => tweet.id);
}
const ids = await idsOfPage();
if (ids.length !== 20) throw new Error(`the page has ${ids.length} tweets instead of 20`);
const check = (body) => {
  if (!body.includes(ids[0]) || !body.includes(ids[19]) || !body.endsWith('}'))
    throw new Error('a body is not the page');
};

const results = { postern: [], http: [], express: [] };
for (let round = 0; round <= rounds; round++) {
  for (const [name, { url }] of Object.entries(subjects)) {
    const result = await load({ url: url + path, headers, concurrency, durationMs, check });
    // The first round warms everything up.
    if (round > 0) results[name].push(result);
  }
  if (round > 0) {
    const rates = Object.entries(results).map(([name, all]) => `${name} ${all.at(-1).perSecond.toFixed(0)}/s`);
    process.stdout.write(`round ${round}: ${rates.join(', ')}\n`);
  }
}
await stopAll();

for (const [name, all] of Object.entries(results)) {
  const of = (figure) => median(all.map((result) => result[figure])).toFixed(2);
  process.stdout.write(`${name.padEnd(8)} median ${of('perSecond')}/s, p50 ${of('p50')} ms, p99 ${of('p99')} ms\n`);
}
for (const other of ['http', 'express']) {
  const ratios = results.postern.map((result, i) => result.perSecond / results[other][i].perSecond);
  const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
  process.stdout.write(`postern / ${other}: ${median(ratios).toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})\n`);
}

/** A key whose credit outlasts the bench. */
async function richKey(folder) {
  const { spawnSync } = await import('node:child_process');
  const postern = join(import.meta.dirname, 'postern.js');
  const run = (...args) => {
    const { stdout } = spawnSync(process.execPath, [postern, ...args, '--json'], {
      env: { ...process.env, DATA_DIR: folder },
    });
    return JSON.parse(stdout);
  };
  const { id } = run('account', 'create', '--name', 'bench', '--credits', '100000');
  return run('key', 'create', '--account', id).key;
}
