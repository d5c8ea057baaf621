#!/usr/bin/env node
// Runs all kinds of calls for some minutes and checks that memory, sockets and file descriptors do not grow and that every charge is
// correct.
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { Agent, fetch } from 'undici';
import { readArguments } from './bench/frame.js';
import { makeRichAccount, start, stopAll, temporaryFolder } from './bench/processes.js';
import { calls } from './soak/calls.js';
import { compareThirds, usageOf } from './soak/usage.js';

const values = readArguments(
  `node scripts/soak.js [--seconds 300] [--callers 8] [--seed 1a2b3c4d]

Callers make every kind of call (REST, GraphQL, streams, webhooks, media, messages) on one gateway for --seconds. The calls depend
only on the seed. A call that gets 503, as on a busy machine, is repeated with the same Idempotency-Key. Exits with 1 if a call ends unexpectedly, an event does not arrive, the charges do not add up to what the
account has paid, or memory, sockets or file descriptors grow from the first third to the last.`,
  {
    seconds: { type: 'string', default: '300' },
    callers: { type: 'string', default: '8' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
  },
);
const durationMs = Number(values.seconds) * 1_000;
const secret = 'a-secret-for-the-soak';
const micros = 1_000_000;
const credit = 1_000;
const maxTries = 10;

const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], {
  DATA_DIR: temporaryFolder(),
  SANDBOX_PORT: '0',
  SANDBOX_ACTIVITY: '0',
});
const receiver = await start('bench/webhook-receiver.js', [secret]);
const postern = await start('postern.js', ['serve'], {
  DATA_DIR: dataDir,
  PORT: '0',
  PLATFORM_URL: sandbox.url,
  PLATFORM_KIND: 'sandbox',
  LOG_LEVEL: 'error',
  RATE_LIMIT: '0',
  UNAUTHENTICATED_RATE_LIMIT: '0',
});
const { key } = makeRichAccount(dataDir, String(credit));
const agent = new Agent({ connections: 64 });

let charged = 0;
let happened = 0;
let texts = 0;
let repeated = 0;
/** True if a 503 left open whether the call is charged. */
let isUncertain = false;
const counts = new Map();
const faults = [];
const samples = [];

process.stdout.write(`soak: ${values.seconds} s, ${values.callers} callers, --seed ${values.seed} repeats the calls\n`);
const { accounts: actors } = await control('/control/accounts', { count: Number(values.callers) });
for (const actor of actors) {
  await request('POST', '/webhooks', { url: `${receiver.url}/hook`, secret, events: ['user.follow'] }, { actor });
}
const endsAt = performance.now() + durationMs;
const sampling = setInterval(() => samples.push(usageOf(postern.child.pid)), 1_000);
await Promise.all(actors.map((actor, index) => callUntilTheEnd(actor, actors[(index + 1) % actors.length], index)));
clearInterval(sampling);
await checkDeliveries();
await checkCharges();
await report();
await agent.destroy();
await stopAll();
process.exitCode = faults.length > 0 ? 1 : 0;

async function callUntilTheEnd(actor, other, index) {
  const random = mulberry32(Number.parseInt(values.seed, 16) + index);
  const context = {
    actor,
    other,
    random,
    happen,
    pick: (items) => items[Math.floor(random() * items.length)],
    text: () => `Soak ${values.seed} ${++texts}`,
    rest: (method, path, input = {}, options = {}) => request(method, path, input, { actor, ...options }),
    graphql: (query, variables) => askGraphql(query, variables, actor),
    openStream: () => openStream(actor),
  };
  const total = calls.reduce((sum, [weight]) => sum + weight, 0);
  while (performance.now() < endsAt && faults.length < 20) {
    let drawn = random() * total;
    const [, name, run] = calls.find(([weight]) => {
      drawn -= weight;
      return drawn < 0;
    });
    try {
      await run(context);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    } catch (error) {
      faults.push(`${name}: ${error.message}`);
    }
  }
}

/** Calls REST, and throws if the status is not the expected one. Returns the data and the charge in micros. */
async function request(method, path, input, { actor, status: expected = 200, key: by = key, headers = {} }) {
  const query = method === 'GET' ? `?${new URLSearchParams(input)}` : '';
  const { response, answer } = await send(method, `/v1${path}${query}`, method === 'GET' ? undefined : input, {
    authorization: `Bearer ${by}`,
    'x-auth-token': actor.authToken,
    ...headers,
  });
  if (response.status !== expected) throw new Error(`${method} ${path}: ${response.status} ${answer.error}`);
  return { data: answer.data, charged: charge(response) };
}

async function askGraphql(query, variables, actor) {
  const { response, answer } = await send(
    'POST',
    '/graphql',
    { query, variables },
    {
      authorization: `Bearer ${key}`,
      'x-auth-token': actor.authToken,
    },
  );
  charge(response);
  if (answer.errors) throw new Error(`GraphQL: ${answer.errors[0].message}`);
  return answer.data;
}

/** Sends a request, and repeats it as a client does while it gets 503. */
async function send(method, path, body, headers) {
  const options = {
    method,
    dispatcher: agent,
    headers:
      body === undefined
        ? headers
        : { 'idempotency-key': randomUUID(), 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  for (let tries = 1; ; tries++) {
    const response = await fetch(postern.url + path, { ...options, signal: AbortSignal.timeout(60_000) });
    const answer = await response.json();
    if (!isUnavailable(response, answer) || tries === maxTries) return { response, answer };
    repeated++;
    isUncertain ||= JSON.stringify(answer).includes('may still be charged');
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1_000);
  }
}

function isUnavailable({ status }, { errors }) {
  return status === 503 || errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE');
}

function charge(response) {
  const micro = Math.round(Number(response.headers.get('x-credits-charged') ?? 0) * micros);
  charged += micro;
  return micro;
}

async function openStream(actor) {
  const abort = new AbortController();
  const response = await fetch(`${postern.url}/v1/events`, {
    dispatcher: agent,
    signal: abort.signal,
    headers: { authorization: `Bearer ${key}`, 'x-auth-token': actor.authToken },
  });
  if (response.status !== 200) throw new Error(`GET /events: ${response.status} ${await response.text()}`);
  charge(response);
  const reader = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  const next = async () => {
    const late = setTimeout(() => abort.abort(new Error('no event reached a stream within 30 s')), 30_000);
    try {
      const { done, value } = await reader.read();
      if (done) throw new Error('a stream ended');
      return value;
    } finally {
      clearTimeout(late);
    }
  };
  return { next, end: () => abort.abort() };
}

async function happen({ userName }, count) {
  happened += count;
  await control('/control/events', { type: 'follow', userName, count });
}

async function control(path, body) {
  const response = await fetch(sandbox.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
  return response.json();
}

/** Checks that each event arrived at least once. */
async function checkDeliveries() {
  let arrived = 0;
  for (let tries = 0; tries < 600; tries++) {
    const { arrivedAt } = await (await fetch(`${receiver.url}/seen`)).json();
    arrived = Object.keys(arrivedAt).length;
    if (arrived >= happened) return;
    await sleep(100);
  }
  faults.push(`${arrived} of ${happened} events arrived within a minute`);
}

/**
 * Checks that the account has paid exactly the charges in the responses, that no credit is reserved, and that its usage has the same sum.
 */
async function checkCharges() {
  const [actor] = actors;
  let left;
  for (let tries = 0; tries < 300; tries++) {
    left = (await request('GET', '/account/balance', {}, { actor })).data;
    if (left.held === '0') break;
    await sleep(100);
  }
  if (left.held !== '0') faults.push(`${left.held} dollars are still held`);
  const paid = Math.round((credit - Number(left.balance)) * micros);
  const { total } = (await request('GET', '/account/usage', {}, { actor })).data;
  const used = Math.round(Number(total.charged) * micros);
  if (paid !== used || (isUncertain ? charged > paid : charged !== paid)) {
    faults.push(`the charges in responses are ${charged} micros, in the balance ${paid} and in the usage ${used}`);
  }
}

async function report() {
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${all} rounds of calls, ${happened} events, ${charged / micros} dollars charged, ${repeated} calls repeated after 503\n`,
  );
  for (const [name, count] of counts) process.stdout.write(`  ${name.padEnd(20)} ${count}\n`);
  for (const { figure, first, last, limit, isFlat } of compareThirds(samples)) {
    const line = `${figure}: ${first.toFixed(0)} in the first third, ${last.toFixed(0)} in the last`;
    process.stdout.write(`  ${line}\n`);
    if (!isFlat) faults.push(`${line}, more than ${limit.toFixed(0)}`);
  }
  // The rarest call is drawn once in 34 rounds.
  if (all > 1_000) for (const [, name] of calls) if (!counts.has(name)) faults.push(`no "${name}" succeeded`);
  for (const fault of faults) process.stderr.write(`soak: ${fault}\n`);
}

/** Returns numbers in [0, 1) that depend only on the seed. */
function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
