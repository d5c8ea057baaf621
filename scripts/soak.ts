// Runs all kinds of calls while faults begin and end. Checks that no call fails without a fault, that every charge is right, and that
// memory, sockets, timers and file descriptors do not grow.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountAdmin } from '../src/billing/account-admin.ts';
import { isSignedByPlatform } from '../src/client/webhooks/index.ts';
import { systemRuntime } from '../src/shared/runtime/runtime.ts';
import { Gateway } from '../test/faults/gateway.ts';
import { mongoBackend } from '../test/faults/mongo-backend.ts';
import { sqliteBackend } from '../test/faults/sqlite-backend.ts';
import { judgeTweets } from '../test/faults/tally.ts';
import { findMongo, noMongo } from '../test/support/mongo-server.ts';
import { startReceiver } from '../test/support/receiver.ts';
import { SandboxControl } from '../test/support/sandbox-control.ts';
import { readArguments } from './bench/frame.ts';
import { pick, seeded } from './bench/open-loop.ts';
import { startSandbox, stopAll } from './bench/processes.ts';
import { Actor, type Failure } from './soak/actor.ts';
import { calls } from './soak/calls.ts';
import { type FaultWindow, injectFaults, startProxy } from './soak/faults.ts';
import { growth, type Usage, usageOf } from './soak/usage.ts';

const actorCount = 16;
const credit = 10_000_000_000;
/** A call that fails within this time after a fault counts as its consequence. */
const graceMs = 5_000;
const eventPatienceMs = 600_000;
/** Gateways close connections that are idle for 65 s (src/main/serve.ts). */
const restPatienceMs = 120_000;
const shownDetails = 10;

const values = readArguments(
  `npm run check -- soak [--seconds 60] [--callers 8] [--store sqlite|mongodb] [--seed 1a2b3c4d]

Runs --callers callers, which use REST, GraphQL, streams, webhooks, media and messages as ${actorCount} platform accounts, each with its own
API account. Meanwhile faults begin and end in an order that depends on the seed: the platform is slow, returns errors, or is down; the
callers' proxy is killed; the store is unavailable; the webhook receiver is slow. A failed call is repeated with the same Idempotency-Key
until it succeeds.

Exits with 1 if a call fails without a fault, if an event does not arrive, if the charges differ from the responses or from the tweets
that the sandbox has, or if sockets, timers or file descriptors are more after the run than before it. A run of at least ten minutes also
exits with 1 if one of them or memory grows from the first third to the last. A shorter run ignores failures of calls that succeed when
they are repeated.`,
  {
    seconds: { type: 'string', default: '60' },
    callers: { type: 'string', default: '8' },
    store: { type: 'string', default: 'sqlite' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
  },
);
const seconds = Number(values.seconds);
const isLong = seconds >= 600;
const random = seeded(Number.parseInt(values.seed, 16));
print(`--seed ${values.seed} repeats the calls and the faults`);

const backend = await (values.store === 'mongodb' ? startMongoBackend() : sqliteBackend());
const store = await backend.store();
const { url: sandboxUrl } = await startSandbox();
const sandbox = new SandboxControl(sandboxUrl);
const receiver = await startReceiver();
const gateway = new Gateway(
  {
    ...backend.gatewayEnv(0),
    PORT: '0',
    PLATFORM_URL: sandboxUrl,
    PLATFORM_KIND: 'sandbox',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    FAILED_CALL_RATE_LIMIT: '0',
    UNAUTHENTICATED_RATE_LIMIT: '0',
    MAX_STREAMS_PER_KEY: '100',
  },
  backend.gatewayClock(0),
);
await gateway.ready();
const url = gateway.origin ?? '';
const context = { sandbox, backend, receiver, proxy: await startProxy() };
const failures: Failure[] = [];
const actors = await makeActors();
const counts = new Map<string, number>();
const samples: Usage[] = [];
const windows: FaultWindow[] = [];
const usageBefore = await usageOf(url);

let isOver = false;
const calling = Array.from({ length: Number(values.callers) }, callOn);
const sampling = setInterval(() => void sample(), 1_000);
await injectFaults(seconds, context, windows, random);
isOver = true;
clearInterval(sampling);
await Promise.all(calling);

print(
  `${sum(counts.values())} rounds, ${sum(actors.map(({ happened }) => happened))} events, ${windows.length} faults`,
);
for (const [name, count] of counts) print(`  ${name.padEnd(22)} ${count}`);
judge('no call fails without a fault', failuresWithoutFault());
judge('each event arrives', await missingEvents());
judge('each tweet is performed and charged once, and nothing else is charged', await wrongCharges());
judge('the gateway lives', gateway.deaths);
const third = Math.floor(samples.length / 3);
const grown = third === 0 ? [] : growth(samples.slice(0, third), samples.slice(-third));
for (const { text } of grown) print(`  ${text}`);
judge('usage is the same in the first and the last third', isLong ? tooMuch(grown) : []);
judge('usage at rest is the same before and after', await grownAtRest());
await gateway.stop();
await Promise.all([receiver.stop(), context.proxy.close(true), stopAll()]);
await backend.close();

function startMongoBackend() {
  const found = findMongo();
  if (!found || found.kind === 'running') throw new Error(found ? 'a running MongoDB cannot be disturbed' : noMongo);
  return mongoBackend(found);
}

async function makeActors(): Promise<Actor[]> {
  const admin = new AccountAdmin(store, systemRuntime);
  const made: Actor[] = [];
  for (let index = 0; index < actorCount; index++) {
    const account = await admin.createAccount(`Soak ${index}`, credit);
    const { key } = await admin.createKey(account, 'Soak');
    const actor = new Actor(await sandbox.mint(), { url, account, key: key.expose(), failures });
    // The pollers of some accounts go through the proxy.
    const proxy = index % 4 === 0 && { proxy: `http://127.0.0.1:${context.proxy.port}` };
    const hook = { url: `${receiver.url}/${index}`, secret: receiver.secret, events: ['user.follow'], ...proxy };
    actor.hook = (await actor.rest<{ id: string }>('POST', '/webhooks', hook)).data.id;
    made.push(actor);
  }
  return made;
}

/** Makes random calls, weighted by their frequency, until the end. */
async function callOn(): Promise<void> {
  const weighted = calls.flatMap((call) => Array.from({ length: call[0] }, () => call));
  while (!isOver) {
    const from = performance.now();
    const actor = pick(actors, random);
    const other = actors[(actors.indexOf(actor) + 1) % actors.length] ?? actor;
    const [, name, run] = pick(weighted, random);
    const proxyUrl = `http://127.0.0.1:${context.proxy.port}`;
    try {
      await run(actor, { other, proxyUrl, pick: (items) => pick(items, random), happen });
      counts.set(name, (counts.get(name) ?? 0) + 1);
    } catch (error) {
      failures.push({ what: `${name}: ${error}`, from, to: performance.now(), isRepeated: false });
    }
  }
}

async function happen(actor: Actor, count: number): Promise<void> {
  await sandbox.makeEvents({ type: 'follow', userName: actor.platform.userName, count });
  actor.happened += count;
}

async function sample(): Promise<void> {
  const at = performance.now();
  const usage = await usageOf(url).catch(() => null);
  if (usage && !faultDuring(at, at)) samples.push(usage);
}

/** Returns a fault that may have affected a call from `from` to `to`, or `undefined`. */
function faultDuring(from: number, to: number): FaultWindow | undefined {
  return windows.find((window) => from <= window.to + graceMs && to >= window.from);
}

function failuresWithoutFault(): string[] {
  const judged = failures.filter(({ isRepeated }) => isLong || !isRepeated);
  print(`${failures.length} failed calls, ${judged.length} of them judged`);
  return judged
    .filter(({ from, to }) => !faultDuring(from, to))
    .map(({ what, from }) => {
      const last = windows.findLast(({ to }) => to <= from);
      return `${last ? `${((from - last.to) / 1_000).toFixed(1)} s after "${last.kind}"` : 'before all faults'}: ${what}`;
    });
}

/** Returns the webhooks that did not get exactly the events that happened. Deliveries may be repeated. */
async function missingEvents(): Promise<string[]> {
  for (const until = performance.now() + eventPatienceMs; ; await sleep(200)) {
    const arrived = actors.map(() => new Set<string>());
    for (const { url: path, headers, body } of receiver.deliveries) {
      if (!isSignedByPlatform(body, headers, receiver.secret)) return ['a delivery has a wrong signature'];
      arrived[Number(path.split('/').at(-1))]?.add(JSON.parse(body).id);
    }
    const missing = actors.flatMap(({ platform, happened }, index) => {
      const { size = 0 } = arrived[index] ?? {};
      return size === happened ? [] : [`${platform.userName}: ${size} events arrived, ${happened} happened`];
    });
    if (missing.length === 0 || performance.now() > until) return missing;
  }
}

async function wrongCharges(): Promise<string[]> {
  const texts = await sandbox.tweets();
  const faults = judgeTweets(
    texts,
    actors.map(({ tally }) => tally),
  );
  let tweets = 0;
  for (const { account, platform, charged, uncertain } of actors) {
    const balance = await settled(account);
    const usage = await store.ledger.usage(account, 0, Number.MAX_SAFE_INTEGER);
    const used = sum(usage.map(({ micros }) => micros));
    if (balance.held > 0 || balance.charged !== used || used < charged || used > charged + uncertain) {
      const { held, charged: inBalance } = balance;
      faults.push(`${platform.userName}: ${JSON.stringify({ held, inBalance, used, charged, uncertain })}`);
    }
    tweets += sum(usage.filter(({ action }) => action === 'tweet/create').map((line) => line.calls));
  }
  const unknown = sum(actors.map(({ tally }) => tally.unknown));
  if (tweets > texts.length || tweets < texts.length - unknown) {
    faults.push(`${tweets} tweets charged, ${texts.length} performed`);
  }
  return faults;
}

/** Waits until no credit is reserved. */
async function settled(account: string) {
  for (const until = performance.now() + restPatienceMs; ; await sleep(100)) {
    const balance = await store.ledger.balance(account);
    if (!balance) throw new Error(`there is no account ${account}`);
    if (balance.held === 0 || performance.now() > until) return balance;
  }
}

/** Waits until idle connections are closed. Returns the figures that grew nevertheless. */
async function grownAtRest(): Promise<string[]> {
  for (const until = performance.now() + restPatienceMs; ; await sleep(500)) {
    // Memory is judged under load.
    const [, ...figures] = growth([usageBefore], [await usageOf(url)]);
    if (tooMuch(figures).length === 0 || performance.now() > until) return tooMuch(figures);
  }
}

function tooMuch(figures: ReturnType<typeof growth>): string[] {
  return figures.filter((figure) => figure.isTooMuch).map(({ text }) => text);
}

function judge(promise: string, broken: readonly string[]): void {
  print(`${broken.length === 0 ? 'kept  ' : 'BROKEN'} ${promise}`);
  for (const detail of broken.slice(0, shownDetails)) print(`         ${detail}`);
  if (broken.length > shownDetails) print(`         and ${broken.length - shownDetails} more`);
  if (broken.length > 0) process.exitCode = 1;
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((all, one) => all + one, 0);
}

function print(line: string): void {
  process.stdout.write(`soak: ${line}\n`);
}
