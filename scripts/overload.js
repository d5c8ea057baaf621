// Sends more calls than one gateway on one processor core can perform, and checks that it keeps its promises.
import { randomBytes } from 'node:crypto';
import { availableParallelism, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeAccounts } from './bench/accounts.ts';
import { readArguments } from './bench/frame.ts';
import { LoadClient, quantile, seeded } from './bench/open-loop.ts';
import { pin } from './bench/pin.ts';
import { processorSeconds, start, stop, stopAll, temporaryFolder } from './bench/processes.ts';
import { isQuiet, judge } from './overload/judge.js';
import { drawCalls } from './overload/mix.js';

const values = readArguments(
  `npm run check -- overload [--seconds 10] [--step 2] [--normal 5] [--keys 10] [--times 3] [--share 0.7] [--seed 1a2b3c4d]

Pins a gateway to one processor core, and its sandbox, this client and everything else to another one. Then:

1. measures the capacity without the limit: higher and higher rates for --step seconds each, until one rate has a p99
   above 100 ms in two runs;
2. --share of the capacity for --normal seconds, at random times whatever the gateway does: the normal response times;
3. --times the capacity for --seconds, then --share again: refusals, response times of accepted calls, recovery, /healthz;
4. --share of the capacity for --normal seconds again, with one key at 10 times its share.

The calls are reads, writes and GraphQL queries of --keys keys. They depend only on the seed. Exits with 1 if a promise is broken. With
--seconds below 20 it only checks that responses are right, because figures of a few seconds mean nothing. The recorded run has
--seconds 60 --step 5 --normal 30, on a machine that has nothing else to do.`,
  {
    seconds: { type: 'string', default: '10' },
    step: { type: 'string', default: '2' },
    normal: { type: 'string', default: '5' },
    keys: { type: 'string', default: '10' },
    times: { type: 'string', default: '3' },
    share: { type: 'string', default: '0.7' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
  },
);
const option = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]));
/** Figures of a few seconds mean nothing. */
const isJudged = option.seconds >= 20;
const random = seeded(Number.parseInt(values.seed, 16));
const [gatewayCore, otherCore] = [0, 1];
/** The capacity is the highest rate of calls of which 99 % take at most this time. */
const longestUsualMs = 100;
/** The rate in calls a second with which the search for the capacity begins. */
const lowestRate = 600;
const greed = 10;

print(`--seed ${values.seed} repeats the calls`);
if (availableParallelism() < 2) throw new Error('this needs two processor cores');
pin(process.pid, otherCore);
const dataDir = temporaryFolder();
const sandbox = await start('postern.js', ['sandbox'], {
  DATA_DIR: temporaryFolder(),
  SANDBOX_PORT: '0',
  SANDBOX_ACTIVITY: '0',
});
const settings = {
  DATA_DIR: dataDir,
  PORT: '0',
  PLATFORM_URL: sandbox.url,
  PLATFORM_KIND: 'sandbox',
  LOG_LEVEL: 'warn',
  RATE_LIMIT: '0',
  FAILED_CALL_RATE_LIMIT: '0',
  // In a short run, an accepted call must not fail because the machine is slow.
  ...(!isJudged && { PLATFORM_TIMEOUT_MS: '600000', GRAPHQL_TIMEOUT_MS: '600000' }),
};
pin(sandbox.child.pid, otherCore);
// The client and the sandbox share a core. The sandbox has the lower priority, because a client that waits for the core would measure
// response times that are too long.
setPriority(sandbox.child.pid, 10);
const accounts = await makeAccounts(settings, option.keys, 10_000);
const keys = accounts.map(({ key }) => key);
const authToken = await mint();
const next = drawCalls(keys, authToken, random);

const capacity = await measureCapacity();
// The value that docs/operating.md recommends for short response times.
const gateway = await startGateway({ MAX_EVENT_LOOP_TURN_MS: '4', MAX_COMMIT_MS: '' });
const client = new LoadClient(gateway.url);
const probe = new LoadClient(gateway.url, 4);
await warmUp(client);
const usual = capacity * option.share;
const normal = await phase('normal load', { rate: usual, seconds: option.normal, next });
const health = probeHealth();
await client.connect();
const overload = await phase(`${values.times} times the capacity`, {
  rate: capacity * option.times,
  seconds: option.seconds,
  next,
  andThen: { rate: usual, seconds: Math.min(10, option.normal) },
});
const probes = await health.end();
await sleep(2_000);
const before = await phase('normal load again', { rate: usual, seconds: option.normal, next });
await client.connect();
const greedy = await phase(`one key at ${greed} times its share`, {
  rate: (usual * (keys.length - 1 + greed)) / keys.length,
  seconds: option.normal,
  next: drawCalls([...Array(greed).fill(keys[0]), ...keys.slice(1)], authToken, random),
});

const measured = { capacity, normal, overload, probes, before, greedy, greedyKey: keys[0], option };
const { rows, faults } = judge(measured);
for (const { test, promised, measured: figure, met } of rows)
  print(
    `${met ? 'kept  ' : isJudged ? 'BROKEN' : 'missed, but not judged in a short run:'} ${test}: ${promised}. Measured: ${figure}`,
  );
if (isJudged && !isQuiet(measured))
  faults.push('the client sent late at normal load: other work disturbs the measurement');
for (const fault of faults) print(`fault: ${fault}`);
await Promise.all([client.close(), probe.close()]);
await stopAll();
if (faults.length > 0 || (isJudged && rows.some(({ met }) => !met))) process.exitCode = 1;

async function startGateway(extra) {
  const started = await start('postern.js', ['serve'], { ...settings, ...extra });
  pin(started.child.pid, gatewayCore);
  return started;
}

/** Returns the highest rate of calls of which 99 % take at most `longestUsualMs`, in a gateway that refuses none; at least `lowestRate`. */
async function measureCapacity() {
  const unlimited = await startGateway({ MAX_EVENT_LOOP_TURN_MS: '600000' });
  const client = new LoadClient(unlimited.url);
  await warmUp(client);
  const isTooHigh = async (rate) => {
    const { results } = await client.openLoop({ rate, durationMs: option.step * 1_000, random, next });
    const p99 = quantile(
      results.map(({ ms }) => ms),
      0.99,
    );
    print(`${rate.toFixed(0)} calls/s: p99 ${p99.toFixed(1)} ms`);
    return p99 > longestUsualMs;
  };
  let capacity = lowestRate;
  // A rate that is too high once is tried again, because the machine may have paused.
  for (let rate = lowestRate; !(await isTooHigh(rate)) || !(await isTooHigh(rate)); rate *= 1.1) capacity = rate;
  print(`capacity: ${capacity.toFixed(0)} calls/s`);
  await client.close();
  await stop(unlimited);
  return capacity;
}

/** Sends calls at a rate, and then at another one without a pause. Returns the results, and the processor time of all processes. */
async function phase(name, { rate, seconds, next: draw, andThen }) {
  const cpu = { gateway: processorSeconds(gateway), sandbox: processorSeconds(sandbox), client: ownSeconds() };
  const startedAt = performance.now();
  const run = (at) => client.openLoop({ rate: at.rate, durationMs: at.seconds * 1_000, random, next: draw });
  const first = run({ rate, seconds });
  await Promise.race([first, sleep(seconds * 1_000)]);
  const endedAt = performance.now();
  const elapsed = (endedAt - startedAt) / 1_000;
  const cores = {
    gateway: (processorSeconds(gateway) - cpu.gateway) / elapsed,
    sandbox: (processorSeconds(sandbox) - cpu.sandbox) / elapsed,
    client: (ownSeconds() - cpu.client) / elapsed,
  };
  const after = andThen && (await run(andThen));
  const { results, unanswered, late } = await first;
  const accepted = results.filter(({ status }) => status === 200).map(({ ms }) => ms);
  print(
    `${name}: ${rate.toFixed(0)} calls/s, accepted ${(accepted.length / seconds).toFixed(0)}/s with p50 ${quantile(accepted, 0.5).toFixed(1)} ms and p99 ${quantile(accepted, 0.99).toFixed(1)} ms, ${results.length - accepted.length} not accepted`,
  );
  print(
    `  processor: gateway ${percent(cores.gateway)}, sandbox ${percent(cores.sandbox)}, client ${percent(cores.client)} of a core; the client sent p99 ${quantile(late, 0.99).toFixed(1)} ms late`,
  );
  return { rate, seconds, startedAt, endedAt, results, unanswered, late, cores, after };
}

/** Asks for /healthz ten times a second until `end` is called. */
function probeHealth() {
  let ended = false;
  const results = [];
  const asking = (async () => {
    while (!ended) {
      results.push(probe.send({ method: 'GET', path: '/healthz', headers: {} }));
      await sleep(100);
    }
  })();
  return {
    async end() {
      ended = true;
      await asking;
      return Promise.all(results);
    },
  };
}

/** Sends calls until Node has compiled the code for them. Before that, a call takes several times as long. */
function warmUp(client) {
  return client.closedLoop({ callers: 16, durationMs: 4 * option.step * 1_000, next });
}

async function mint() {
  const response = await fetch(`${sandbox.url}/control/accounts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  return (await response.json()).accounts[0].authToken;
}

function ownSeconds() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function percent(share) {
  return `${(share * 100).toFixed(0)} %`;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
