#!/usr/bin/env node
// Measures how the cost of a call, the start and the memory of a gateway depend on the number of keys, webhooks, events and calls in the
// store, and the cost of many pollers.
import { randomBytes } from 'node:crypto';
import { systemRuntime } from '../dist/shared/runtime/runtime.js';
import { Secret } from '../dist/shared/secrets/secret.js';
import { Vault } from '../dist/shared/secrets/vault.js';
import { WebhookVault } from '../dist/webhooks/shared/secrets.js';
import { readArguments } from './bench/frame.js';
import { idle } from './bench/idle.js';
import { start, stop, stopAll, temporaryFolder } from './bench/processes.js';
import { numbersOf } from './bench/random.js';
import { fill, perAccount, perKey } from './many/fill.js';
import { allClaimed, atRest, kindsOf, oneCaller, startOften } from './many/measure.js';
import { pollersReport, storeReport } from './many/report.js';
import { mongodbFor, sqlite } from './many/stores.js';
import { record } from './reliability/report.js';

const values = readArguments(
  `npm run many -- [--sizes 100,300,1000,3000] [--pollers 100,200] [--store sqlite] [--record]

Fills a store up to each of --sizes, and measures a gateway at each: the time and the processor time from the start to the first answer,
the resident memory, and the processor time and the median latency of each kind of call with one caller. A size is a number of API keys,
and there are as many webhooks, ten times as many events, each delivered once, and ten times as many charged calls. Ten keys and ten
webhooks belong to one account. The events of an account belong to one poller, which is stopped.
Then measures a gateway with each of --pollers idle accounts of the platform, which have a webhook and a poller each.
Exits with 1 if a promise is broken.

  --sizes      numbers of API keys, in ascending order; 0 for none. The recorded run has 1000,10000,30000,100000
  --pollers    numbers of pollers, in ascending order; 0 for none. The recorded run has 1000,10000,30000,100000
  --store      sqlite, or mongodb: the server of MONGODB_URL, or a mongod or secantusd-py that is started
  --seconds    of each kind of call (default: 2)
  --rest       seconds without calls before them (default: 3)
  --starts     of the gateway at each size (default: 2)
  --warm       seconds before pollers are measured, in which each has sent its first requests (default: 5)
  --measured   seconds for which pollers are measured (default: 60, in which each sends a request)
  --unjudged   breaks no promise because of a figure, for machines that are busy
  --seed       repeats the choice of keys and calls
  --record     records the results in docs/reliability`,
  {
    sizes: { type: 'string', default: '100,300,1000,3000' },
    pollers: { type: 'string', default: '100,200' },
    store: { type: 'string', default: 'sqlite' },
    seconds: { type: 'string', default: '2' },
    rest: { type: 'string', default: '3' },
    starts: { type: 'string', default: '2' },
    warm: { type: 'string', default: '5' },
    measured: { type: 'string', default: '60' },
    unjudged: { type: 'boolean', default: false },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    record: { type: 'boolean', default: false },
  },
);
const listOf = (text) =>
  text
    .split(',')
    .map(Number)
    .filter((size) => size > 0);
const [sizes, pollers] = [values.sizes, values.pollers].map(listOf);
const [seconds, rest, starts, warmSeconds, measured] = ['seconds', 'rest', 'starts', 'warm', 'measured'].map((name) =>
  Number(values[name]),
);
const production = { NODE_ENV: 'production' };
const say = (line) => process.stdout.write(`${line}\n`);
/** With this pause between two calls of random keys, the gateway has forgotten a key of 1,000 keys when it is used again. */
const pauseMs = 6;

say(`many: --seed ${values.seed} repeats the calls`);
const random = numbersOf(values.seed);
const secret = 'a-secret-for-many-webhooks';
const receiver = { ...(await start('bench/webhook-receiver.js', [secret], production)), secret };
const broken = [];
if (sizes.length > 0) await measureStore();
if (pollers.length > 0) await measurePollers();
await stopAll();
for (const { test, measured: figure } of broken) process.stderr.write(`many: ${test}: ${figure}\n`);
process.exit(broken.length > 0 && !values.unjudged ? 1 : 0);

async function measureStore() {
  const opener = values.store === 'mongodb' ? await mongodbFor('many') : await sqlite();
  const sandbox = await start('postern.js', ['sandbox'], {
    ...production,
    DATA_DIR: temporaryFolder(),
    SANDBOX_PORT: '0',
    SANDBOX_ACTIVITY: '0',
  });
  const secretKey = randomBytes(32).toString('base64');
  const keys = [new Secret(Buffer.from(secretKey, 'base64'))];
  const vault = new Vault(keys, systemRuntime);
  const webhookVault = new WebhookVault(vault, keys);
  const env = {
    ...production,
    ...opener.env,
    SECRET_KEY: secretKey,
    PORT: '0',
    PLATFORM_URL: sandbox.url,
    PLATFORM_KIND: 'sandbox',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    FAILED_CALL_RATE_LIMIT: '0',
    UNAUTHENTICATED_RATE_LIMIT: '0',
    ALLOW_LOCALHOST_WEBHOOKS: 'true',
  };
  const { actor, tweetId } = await platformOf(sandbox);
  const accounts = [];
  const results = [];
  for (const size of sizes) {
    say(`${size} keys, ${size} webhooks, ${size * perKey} events, ${size * perKey} charged calls; ${opener.what}`);
    const store = await opener.open();
    const more = Math.ceil(size / perAccount) - accounts.length;
    accounts.push(...(await fill({ store, atOnce: opener.atOnce, vault, webhookVault, receiver, random }, more, say)));
    await store.close();
    const kinds = kindsOf({ accounts, actor, tweetId, receiver, random, pauseMs });
    const gateway = await startOften(starts, env, kinds['read, one key'].request());
    await allClaimed(gateway, accounts.length);
    // The first calls of each kind are compiled while they run.
    for (const kind of Object.values(kinds)) await oneCaller(gateway, kind, seconds * 500, 0);
    const { cpu: restCpu } = await atRest(gateway, rest);
    const calls = {};
    for (const [name, kind] of Object.entries(kinds)) {
      calls[name] = await oneCaller(gateway, kind, seconds * 1_000, restCpu);
    }
    const { megabytes } = await atRest(gateway, 0);
    const { startMs, startCpuMs } = gateway;
    await stop(gateway);
    results.push({ size, startMs, startCpuMs, restCpu, megabytes, calls });
    tell(results.at(-1));
  }
  await stop(sandbox);
  await opener.close();
  finish(`many-${values.store}`, storeReport(results, opener.what, commandOf()));
}

async function measurePollers() {
  const results = [];
  for (const count of pollers) {
    const result = await idle({ count, seconds: measured, warmSeconds, receiver, secret });
    results.push(result);
    const { cpu, megabytes, requests, claimedAfter } = result;
    say(
      `${count} pollers: ${requests.toFixed(1)} requests/s, ${cpu.toFixed(1)} % of a core, ${megabytes.toFixed(0)} MB, ` +
        `all run ${claimedAfter.toFixed(0)} s after the start`,
    );
  }
  finish('many-pollers', pollersReport(results, commandOf()));
}

function finish(name, report) {
  for (const { test, promised, measured: figure, met } of report.rows) {
    say(`${test}: ${figure}; promised ${promised}${met ? '' : ': MISSED'}`);
  }
  broken.push(...report.rows.filter(({ met }) => !met));
  if (values.record) record(name, report);
}

function tell({ startMs, startCpuMs, restCpu, megabytes, calls }) {
  say(
    `  start to first answer ${startMs.toFixed(0)} ms (${startCpuMs.toFixed(0)} ms of processor), ${megabytes.toFixed(0)} MB, ` +
      `${(restCpu * 100).toFixed(1)} % of a core at rest`,
  );
  for (const [name, { calls: count, p50, cpuMs }] of Object.entries(calls)) {
    say(`  ${name.padEnd(24)} p50 ${p50.toFixed(2)} ms, ${cpuMs.toFixed(2)} ms of processor, ${count} calls`);
  }
}

function commandOf() {
  return `npm run many -- ${process.argv.slice(2).join(' ')}`.trim();
}

/** Creates an account of the platform, and finds a tweet that it can like. */
async function platformOf({ url }) {
  const json = async (response) => (await response).json();
  const made = await json(
    fetch(`${url}/control/accounts`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }),
  );
  const [{ authToken: actor }] = made.accounts;
  const cookie = { headers: { cookie: `auth_token=${actor}` } };
  const { tweets } = await json(fetch(`${url}/api/search?q=from:grace&count=1`, cookie));
  return { actor, tweetId: tweets[0].id };
}
