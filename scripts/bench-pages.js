#!/usr/bin/env node
// Measures the weight of each page and the time until it can be used, in Chromium.
import { existsSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join, relative, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';
import { readArguments, recordResults, spread } from './bench/frame.js';
import { start, stopAll, temporaryFolder } from './bench/processes.js';

const values = readArguments(
  `npm run bench:pages -- [--rounds 3] [--root PATH] [--json]

Starts a service with its sandbox and opens each page in Chromium (CHROMIUM, or /usr/bin/chromium) with an empty cache. Measures the
bytes from the server, headers included; the number of requests; and the time until the page is interactive: the end of the last long
task (50 ms or more) before 500 ms without one, after the load event and after the main control has appeared. Each page is opened with
the processor of this machine and with one that is slowed down to a quarter. Prints the median with the lowest and the highest value.

  --root  another checkout of this repository that is built, to compare with`,
  {
    rounds: { type: 'string', default: '3' },
    root: { type: 'string', default: join(import.meta.dirname, '..') },
    json: { type: 'boolean', default: false },
  },
);
const rounds = Number(values.rounds);
const throttling = [1, 4];
/** The page is interactive before this many milliseconds without a long task, and complete after as many without a byte from the server. */
const quietMs = 500;
const loadLimitMs = 120_000;
/** The goal for the first view of the pages that are not made of other projects' bundles. */
const goalBytes = 150_000;

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
if (!existsSync(executablePath)) {
  process.stdout.write(`bench:pages needs Chromium; there is none at ${executablePath}\n`);
  process.exit();
}
const dataDir = temporaryFolder();
const script = relative(import.meta.dirname, join(resolve(values.root), 'scripts', 'postern.js'));
const env = { NODE_ENV: 'production', DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0', SANDBOX_ACTIVITY: '0' };
const { url } = await start(script, ['serve'], { ...env, LOG_LEVEL: 'warn' });
const gateway = await countingProxy(url);
const pages = [
  { name: '/', from: gateway, path: '/', isOurs: true },
  { name: '/console', from: gateway, path: '/console', isOurs: true },
  { name: '/docs', from: gateway, path: '/docs' },
  { name: 'GraphiQL', from: gateway, path: '/graphql', control: '.graphiql-query-editor .view-line' },
  { name: '/docs/errors', from: gateway, path: '/docs/errors' },
];

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-background-networking'] });
const results = [];
for (const page of pages) {
  if ((await fetch(page.from.url + page.path, { headers: { accept: 'text/html' } })).status !== 200) continue;
  const measured = [];
  for (let round = 0; round < rounds; round++) {
    for (const rate of throttling) measured.push({ rate, ...(await open(page, rate)) });
  }
  const times = throttling.map((rate) => spread(measured.filter((one) => one.rate === rate).map(({ ms }) => ms)));
  const [bytes, requests] = ['bytes', 'requests'].map((figure) => spread(measured.map((one) => one[figure])));
  results.push({ name: page.name, isOurs: page.isOurs, bytes, requests, ms: times[0], slowMs: times[1] });
}
await browser.close();
gateway.close();
await stopAll();

const kilobytes = ({ value, low, high }) => ({ value: value / 1_000, low: low / 1_000, high: high / 1_000 });
const metric = (name, label, unit, of) => ({ id: `pages.${name}`, label, unit, better: 'lower', ...of });
recordResults({
  metrics: results.flatMap(({ name, bytes, ms, slowMs }) => [
    metric(`${name}.bytes`, `${name}: transferred`, 'kB', kilobytes(bytes)),
    metric(`${name}.interactive`, `${name}: until interactive`, 'ms', ms),
    metric(`${name}.slow`, `${name}: until interactive, processor 4 times slower`, 'ms', slowMs),
  ]),
  charts: [
    {
      title: 'Bytes until a page is interactive',
      unit: 'kB',
      categories: results.map(({ name }) => name),
      series: [{ name: 'transferred', values: results.map(({ bytes }) => bytes.value / 1_000) }],
    },
  ],
});
if (values.json) process.stdout.write(`${JSON.stringify({ rounds, results }, null, 2)}\n`);
else {
  const show = ({ value, low, high }) => `${value.toFixed(0)} (${low.toFixed(0)} to ${high.toFixed(0)})`;
  const row = (...cells) => `${cells.map((cell, i) => cell.padEnd([14, 14, 10, 24][i] ?? 0)).join('')}\n`;
  process.stdout.write(row('page', 'kB', 'requests', 'interactive, ms', 'processor 4 times slower, ms'));
  for (const { name, bytes, requests, ms, slowMs } of results) {
    const size = (bytes.value / 1_000).toFixed(1);
    process.stdout.write(row(name, size, requests.value.toFixed(0), show(ms), show(slowMs)));
  }
}
for (const { name, bytes } of results.filter(({ isOurs, bytes }) => isOurs && bytes.value > goalBytes)) {
  process.stderr.write(`bench:pages: ${name} takes ${bytes.value} bytes, more than ${goalBytes}\n`);
  process.exitCode = 1;
}

async function open({ from, path, control }, rate) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  let requests = 0;
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests++;
  });
  await page.addInitScript(`
    globalThis.lastLongTask = 0;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) globalThis.lastLongTask = Math.max(lastLongTask, startTime + duration);
    }).observe({ type: 'longtask', buffered: true });`);
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
  const before = from.bytes();
  await page.goto(from.url + path, { waitUntil: 'load', timeout: loadLimitMs });
  if (control) await page.locator(control).first().waitFor({ timeout: loadLimitMs });
  const ms = await page.evaluate(`new Promise((resolve) => {
    const usable = ${control ? 'performance.now()' : "performance.getEntriesByType('navigation')[0].loadEventEnd"};
    const check = () => {
      const end = Math.max(usable, lastLongTask);
      if (performance.now() - end >= ${quietMs}) resolve(end);
      else setTimeout(check, 50);
    };
    check();
  })`);
  const deadline = performance.now() + loadLimitMs;
  while (from.msSinceLastByte() < quietMs && performance.now() < deadline) await sleep(50);
  const bytes = from.bytes() - before;
  await context.close();
  return { ms, bytes, requests };
}

/** Starts a proxy that counts the bytes from the server, because Chromium does not report those of its worker threads. */
async function countingProxy(target) {
  const { hostname, port } = new URL(target);
  let bytes = 0;
  let lastAt = 0;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    upstream.on('data', (chunk) => {
      bytes += chunk.length;
      lastAt = performance.now();
    });
    for (const socket of [client, upstream]) socket.on('error', () => {});
    client.pipe(upstream).pipe(client);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    bytes: () => bytes,
    msSinceLastByte: () => performance.now() - lastAt,
    close: () => server.close(),
  };
}
