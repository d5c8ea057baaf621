// Runs all kinds of calls at a steady rate while faults come and go. Checks that nothing fails without a fault, that every charge is right,
// and that memory, sockets, timers and file descriptors do not grow.
import { randomBytes } from 'node:crypto';
import { readArguments } from './bench/frame.ts';
import { atRate, pick, seeded } from './bench/open-loop.ts';
import { stopAll } from './bench/processes.ts';
import { checkEvents, reconcile, type Written } from './soak/books.ts';
import { type Actor, Caller, type CallOptions, type Method, Reported } from './soak/caller.ts';
import { type Context, calls } from './soak/calls.ts';
import { FaultInjector, planFaults } from './soak/faults.ts';
import { judge, printRows } from './soak/judge.ts';
import { secret, startStack } from './soak/stack.ts';
import { compareRest, type Usage, usageOf } from './soak/usage.ts';

/** The most callers with which the capacity is measured, and the most concurrent rounds afterwards. */
const maxCallers = 32;
const maxRounds = 128;

const values = readArguments(
  `npm run check -- soak [--seconds 60] [--share 0.7] [--store sqlite|mongodb] [--actors 16] [--fault-seconds 10] [--seed 1a2b3c4d]

Measures the capacity of a gateway: the most rounds of calls a second with up to ${maxCallers} callers. Then runs at --share of the capacity for
--seconds: REST, GraphQL, streams, webhooks, media and messages of --actors platform accounts with an API account each. Meanwhile faults
begin and end in an order that depends on the seed: the platform is slow, returns errors for 5 % of requests, or is down; the callers'
proxy is killed; the store is unavailable; the webhook receiver is slow. A failed call is repeated with the same Idempotency-Key until it
succeeds.

Exits with 1 if a call fails without a fault, if an event does not arrive, if the charges differ from the responses or from the calls that
the sandbox performed, or if memory, sockets, timers or file descriptors grow from the first third to the last (in runs of at least ten
minutes).

  --step SECONDS     time for each number of callers while the capacity is measured
  --grace SECONDS    a call that fails within this time after a fault counts as its consequence; by default half of the pause between
                     faults, at most 5
  --patient          for busy machines: the gateway refuses nothing because it is busy, a call that succeeds when it is repeated within
                     15 minutes is no error, and MongoDB has 30 s for a new connection`,
  {
    seconds: { type: 'string', default: '60' },
    share: { type: 'string', default: '0.7' },
    store: { type: 'string', default: 'sqlite' },
    actors: { type: 'string', default: '16' },
    step: { type: 'string', default: '' },
    'fault-seconds': { type: 'string', default: '' },
    grace: { type: 'string', default: '' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    patient: { type: 'boolean', default: false },
  },
);
const seconds = Number(values.seconds);
const isLong = seconds >= 600;
const faultSeconds = Number(values['fault-seconds']) || Math.min(10, seconds / 30);
const stepSeconds = Number(values.step) || (isLong ? 10 : 2);
const credit = 10_000;
const random = seeded(Number.parseInt(values.seed, 16));
const { plan, pause } = planFaults({ seconds, faultSeconds, random });
const graceSeconds = Number(values.grace) || Math.min(5, pause / 2);
const injector = new FaultInjector(graceSeconds * 1_000);
print(`--seed ${values.seed} repeats the calls and the faults`);

const relaxed = { MAX_EVENT_LOOP_DELAY_MS: '600000', MAX_REQUESTS_IN_FLIGHT: '100000' };
const patience = values.patient ? { callMs: 900_000, eventMs: 600_000 } : { callMs: 120_000, eventMs: 60_000 };
const stack = await startStack({
  store: values.store,
  actors: Number(values.actors),
  credit,
  isPatient: values.patient,
  env: { MAX_STREAMS_PER_KEY: '100', ...(values.patient && relaxed) },
});
const caller = new Caller(stack.gateway.url, patience);
/** Each call, repeated by its weight. */
const weighted = calls.flatMap((call) => Array.from({ length: call[0] }, () => call));
const written: Record<'tweets' | 'messages', Written> = { tweets: new Map(), messages: new Map() };
const happened = new Map<Actor, number>();
const counts = new Map<string, number>();
const samples: (Usage & { at: number })[] = [];
let texts = 0;
/** The times of rounds that did not begin, because too many were running. */
const heldBack: number[] = [];
let running = 0;
/** Control calls wait while the sandbox is away, so that every event that happened is known. */
let sandboxIsBack: Promise<void> = Promise.resolve();
const controlling = new Set<Promise<unknown>>();

const actors = await makeActors();
const restBefore = await usageOf(stack.gateway);
const capacity = await measureCapacity();
const rate = capacity * Number(values.share);
print(`${rate.toFixed(1)} rounds/s for ${seconds} s, ${plan.length} faults`);
counts.clear();
const startedAt = performance.now();
const sampling = setInterval(() => void sample(), 1_000);
const injecting = injector.run({
  plan,
  faultSeconds,
  startedAt,
  context: { ...stack, control, requests: requestsToPlatform, whileAway },
});
const rounds = new Set<Promise<void>>();
const late = await atRate({ rate, durationMs: seconds * 1_000, random, begin });
await injecting;
clearInterval(sampling);
await Promise.all(rounds);

const events = await checkEvents({ receiver: stack.receiver, actors, happened, patienceMs: patience.callMs });
const books = await reconcile({ actors, caller, control, credit, written });
await caller.close();
const rest = await compareRest(restBefore, stack.pooled, () => usageOf(stack.gateway));
const rows = judge({
  isLong,
  isPatient: values.patient,
  errors: caller.errors.filter(({ from }) => from >= startedAt),
  injector,
  samples,
  rest,
  events: { ...events, happened: sum(happened) },
  books,
  started: { late, heldBack, rounds: sum(counts) },
});
report();
await stack.stop();
await stopAll();
if (rows.some(({ met }) => !met)) process.exitCode = 1;

async function makeActors(): Promise<Actor[]> {
  const path = '/control/accounts';
  const { accounts } = await control<{ accounts: Actor[] }>(path, { count: Number(values.actors) });
  for (const [index, actor] of accounts.entries()) {
    actor.account = { key: stack.accounts[index]?.key ?? '', index };
    actor.other = accounts[(index + 1) % accounts.length] ?? actor;
    const url = `${stack.receiver.url}/hook/${index}`;
    // The pollers of some accounts go through the proxy.
    const proxy = index % 4 === 0 ? { proxy: stack.proxy.url } : {};
    const hook = { url, secret, events: ['user.follow'], ...proxy };
    const { data } = await caller.rest<{ id: string }>('POST', '/webhooks', hook, actor);
    actor.hook = data.id;
  }
  return accounts;
}

/** Returns the highest number of rounds a second with any number of callers. */
async function measureCapacity(): Promise<number> {
  let best = 0;
  const callers = async (count: number, durationMs: number) => {
    const endsAt = performance.now() + durationMs;
    let done = 0;
    const call = async (actor: Actor) => {
      while (performance.now() < endsAt) {
        await round(actor);
        if (performance.now() < endsAt) done++;
      }
    };
    await Promise.all(
      Array.from({ length: count }, (_, index) => call(actors[index % actors.length] ?? pick(actors, random))),
    );
    return done / (durationMs / 1_000);
  };
  await callers(8, stepSeconds * 1_000);
  for (let count = 4; count <= maxCallers; count *= 2) {
    const perSecond = await callers(count, stepSeconds * 1_000);
    print(`${count} callers: ${perSecond.toFixed(1)} rounds/s`);
    best = Math.max(best, perSecond);
  }
  return best;
}

function begin(): void {
  // The client needs a limit too, because rounds accumulate while a fault lasts.
  if (running >= maxRounds) {
    heldBack.push(performance.now());
    return;
  }
  running++;
  const ended = round(pick(actors, random)).finally(() => {
    running--;
    rounds.delete(ended);
  });
  rounds.add(ended);
}

/** Makes one kind of call, drawn by its frequency. */
async function round(actor: Actor): Promise<void> {
  const from = performance.now();
  const [, name, run] = pick(weighted, random);
  try {
    await run(contextOf(actor));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  } catch (error) {
    if (!(error instanceof Reported)) caller.fail(`${name}: ${error}`, from);
  }
}

function contextOf(actor: Actor): Context {
  const rest = <Data>(method: Method, path: string, input: object = {}, options: CallOptions = {}) =>
    caller.rest<Data>(method, path, input, { ...actor, ...options });
  const writing = async <Result>(kind: 'tweets' | 'messages', send: (text: string) => Promise<Result>) => {
    const text = `Soak ${values.seed} ${++texts}`;
    const ofActor = written[kind].get(actor) ?? new Map<string, boolean>();
    written[kind].set(actor, ofActor.set(text, false));
    const result = await send(text);
    ofActor.set(text, true);
    return result;
  };
  const code = { headers: { 'x-encryption-code': actor.encryptionCode } };
  return {
    actor,
    rest,
    writing,
    random,
    proxy: stack.proxy.url,
    pick: (items) => pick(items, random),
    tweet: (input = {}, options = {}) =>
      writing('tweets', (text) => rest('POST', '/tweet/create', { text, ...input }, options)),
    message: () => writing('messages', (text) => rest('POST', '/dm/send', { user_id: actor.other.userId, text }, code)),
    graphql: (query, variables) => caller.graphql(query, variables, actor),
    openStream: () => caller.openStream(actor),
    happen: async (count) => {
      await control('/control/events', { type: 'follow', userName: actor.userName, count });
      happened.set(actor, (happened.get(actor) ?? 0) + count);
    },
  };
}

/** Calls the sandbox's control routes; with `POST` if there is a body. */
async function control<Answer>(path: string, body?: object): Promise<Answer> {
  await sandboxIsBack;
  const calling = (async () => {
    const response = await fetch(stack.sandbox.url + path, {
      ...(body && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return (await response.json()) as Answer;
  })();
  controlling.add(calling);
  try {
    return await calling;
  } finally {
    controlling.delete(calling);
  }
}

async function whileAway(run: () => Promise<void>): Promise<void> {
  let isBack = () => {};
  sandboxIsBack = new Promise((resolve) => {
    isBack = resolve;
  });
  try {
    await Promise.allSettled(controlling);
    await run();
  } finally {
    isBack();
  }
}

/** Returns the number of requests to the platform of each operation. */
async function requestsToPlatform(): Promise<Record<string, number>> {
  return (await control<{ requests: Record<string, number> }>('/control/stats')).requests;
}

async function sample(): Promise<void> {
  const at = performance.now();
  const usage = await usageOf(stack.gateway).catch(() => null);
  if (usage) samples.push({ at, ...usage });
}

function report(): void {
  print(`${sum(counts)} rounds, ${sum(happened)} events, ${texts} tweets and messages`);
  for (const [name, count] of counts) print(`  ${name.padEnd(22)} ${count}`);
  for (const { kind, from, to, note } of injector.windows) {
    print(
      `  ${((from - startedAt) / 1_000).toFixed(1)} s to ${((to - startedAt) / 1_000).toFixed(1)} s: ${kind}${note && `, ${note}`}`,
    );
  }
  printRows(rows, print);
}

function sum(map: Map<unknown, number>): number {
  return [...map.values()].reduce((all, count) => all + count, 0);
}

function print(line: string): void {
  process.stdout.write(`soak: ${line}\n`);
}
