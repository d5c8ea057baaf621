#!/usr/bin/env node
// How long GraphQL takes to refuse what no honest client sends.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'undici';
import { attacks, hugeBody } from './bench/graphql-attacks.js';
import { median } from './bench/load.js';
import { start, stopAll, temporaryFolder } from './bench/processes.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    limit: { type: 'string', default: '50' },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run bench:graphql-attacks -- [--rounds 5] [--limit 50]

Sends each attack of scripts/bench/graphql-attacks.js to a service of its own, one at a time, as a caller with a key and
credit. Prints the milliseconds from the sending to the end of the answer: of the first one, when the service has seen
nothing like it, and the median of the rounds; and the median of what the service itself worked (its processor time, by
/metrics), which on a busy machine says more. Ends with 1 where a median is over the limit, where an answer is no clean
refusal, or where something was charged.\n`);
  process.exit();
}
const rounds = Number(values.rounds);
const limitMs = Number(values.limit);

const dataDir = temporaryFolder();
const service = await start('postern.js', ['serve'], {
  DATA_DIR: dataDir,
  PORT: '0',
  SANDBOX_PORT: '0',
  RATE_LIMIT: '0',
});
const demo = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8'));
const credentials = { authorization: `Bearer ${demo.apiKey}`, 'x-auth-token': demo.accounts[0].authToken };
const client = new Client(service.url);

const honest = { query: '{ account { balance } }' };
const before = await balance();
const idleMs = await costOfAsking();
for (const [name, attack] of Object.entries(attacks)) {
  const times = [];
  const worked = [];
  for (let round = 0; round < rounds; round++) {
    const workedBefore = await processorMs();
    times.push(await refuse(name, attack(round)));
    worked.push((await processorMs()) - workedBefore - idleMs);
  }
  report(name, times, worked);
}
const sent = [];
for (let round = 0; round < rounds; round++) sent.push(await sendHuge());
report(
  '20 MB of variables: answered',
  sent.map(({ answeredMs }) => answeredMs),
);
process.stdout.write(`${'20 MB of variables: sent'.padEnd(38)} ${format(sent)}\n`);
if ((await balance()) !== before) fail('something was charged');
await client.close();
await stopAll();

/** The milliseconds that it took; a fault where the answer is no clean refusal. */
async function refuse(name, request) {
  const startedAt = performance.now();
  const response = await client.request({ ...request, headers: { ...credentials, ...request.headers } });
  const body = await response.body.json();
  const ms = performance.now() - startedAt;
  const { code, status } = body.errors?.[0]?.extensions ?? {};
  const isClean = typeof code === 'string' && status === response.statusCode && status >= 400 && status < 500;
  if (!isClean || body.extensions.credits.charged !== '0') {
    fail(`${name}: ${response.statusCode} ${JSON.stringify(body).slice(0, 300)}`);
  }
  return ms;
}

/** Until the first byte of the answer, and until the last one of the body was taken. */
function sendHuge() {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port) });
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    const times = {};
    const done = () => {
      if (times.answeredMs === undefined || times.sentMs === undefined) return;
      socket.destroy();
      resolve(times);
    };
    socket.once('error', reject);
    socket.once('data', (bytes) => {
      if (!bytes.toString('latin1').startsWith('HTTP/1.1 413 '))
        fail(`20 MB of variables: ${bytes.toString('latin1', 0, 80)}`);
      times.answeredMs = elapsed();
      done();
    });
    const { length } = hugeBody;
    const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
    socket.write(head);
    socket.write(hugeBody, () => {
      times.sentMs = elapsed();
      done();
    });
  });
}

async function balance() {
  const headers = { ...credentials, 'content-type': 'application/json' };
  const response = await client.request({ method: 'POST', path: '/graphql', headers, body: JSON.stringify(honest) });
  return (await response.body.json()).data.account.balance;
}

/** What the service has worked so far, in milliseconds. */
async function processorMs() {
  const response = await client.request({ method: 'GET', path: '/metrics' });
  const seconds = /^process_cpu_seconds_total (\S+)/m.exec(await response.body.text())?.[1];
  return Number(seconds) * 1_000;
}

/** What is worked for asking so. */
async function costOfAsking() {
  const costs = [];
  for (let round = 0; round < 20; round++) {
    const asked = await processorMs();
    costs.push((await processorMs()) - asked);
  }
  return median(costs);
}

function report(name, times, worked) {
  const middle = median(times);
  const [first, rest] = [times[0].toFixed(1).padStart(7), middle.toFixed(1).padStart(7)];
  const own = worked ? `, worked ${median(worked).toFixed(1).padStart(6)} ms` : '';
  const over = middle > limitMs ? '  OVER' : '';
  process.stdout.write(`${name.padEnd(38)} first ${first} ms, median ${rest} ms${own}${over}\n`);
  if (middle > limitMs) process.exitCode = 1;
}

function format(all) {
  const times = all.map(({ sentMs }) => sentMs);
  return `first ${times[0].toFixed(1).padStart(7)} ms, median ${median(times).toFixed(1).padStart(7)} ms`;
}

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
