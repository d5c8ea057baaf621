#!/usr/bin/env node
// Attacks the built service and measures the cost of each attack.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readArguments, recordResults } from './bench/frame.js';
import { attacks } from './bench/hostile/attacks.js';
import { Service, startSandbox } from './bench/hostile/service.js';
import { Target } from './bench/hostile/target.js';

const targets = { retainedMiB: 100, peakMiB: 1_024 };
const settleMs = 300;

const values = readArguments(
  `npm run bench:hostile -- [--only NAME]... [--list] [--json] [--seconds 60] [--mebibytes 4096] [--checkout FOLDER]

Starts the built service (on the embedded store, with the sandbox in a process of its own), attacks it with one kind of hostile
request after the other, and prints for each attack:

  s         duration of the attack
  stop ms   longest stop of the service's event loop, without the time in which other programs used the processor
  cpu ms    processor time of the service, all threads
  kept MiB  growth of heap and buffers after a garbage collection, before the attack's connections close
  peak MiB  growth of the resident set at its highest
  dollars   charge of the attacking account
  responses statuses and their number, then remarks

The exit status is 1 if an attack stops the loop for more than --stop-ms, keeps more than ${targets.retainedMiB} MiB, peaks above
${targets.peakMiB} MiB, or ends the service. A service that needs more than --seconds or --mebibytes is killed, and a new one started.

  --only      attacks with this text in their name
  --list      print the names and end
  --json      print one line of JSON for each attack
  --stop-ms   the target of the longest stop of the event loop; 100 by default, more on a busy machine
  --checkout  measure the service that is built in another folder`,
  {
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    json: { type: 'boolean' },
    seconds: { type: 'string', default: '60' },
    'stop-ms': { type: 'string', default: '100' },
    mebibytes: { type: 'string', default: '4096' },
    checkout: { type: 'string', default: dirname(dirname(fileURLToPath(import.meta.url))) },
  },
);
targets.stopMs = Number(values['stop-ms']);
const chosen = Object.entries(attacks).filter(
  ([name]) => !values.only || values.only.some((part) => name.includes(part)),
);
if (values.list) {
  process.stdout.write(`${chosen.map(([name]) => name).join('\n')}\n`);
  process.exit();
}

const checkout = resolve(values.checkout);
const sandbox = await startSandbox(checkout);
let service = null;
if (!values.json) {
  print(['attack', 's', 'stop ms', 'cpu ms', 'kept MiB', 'peak MiB', 'dollars', 'responses']);
}
let missed = 0;
const worst = { stopMs: 0, retainedMiB: 0, peakMiB: 0 };
for (const [name, attack] of chosen) {
  if (service && (attack.fresh || service.ended)) {
    await service.stop();
    service = null;
  }
  service ??= await startService();
  const result = await measure(name, attack);
  if (result.faults.length > 0) missed++;
  for (const figure of Object.keys(worst)) worst[figure] = Math.max(worst[figure], result[figure] ?? 0);
  report(result);
}
await service?.stop();
sandbox.child.kill();
const metric = (id, label, value, unit) => ({ id: `hostile.${id}`, label, value, unit, better: 'lower' });
recordResults({
  metrics: [
    metric('stop', `longest stop of the event loop in ${chosen.length} attacks`, worst.stopMs, 'ms'),
    metric('retained', 'most memory kept after an attack', worst.retainedMiB, 'MiB'),
    metric('peak', 'highest growth of the resident memory', worst.peakMiB, 'MiB'),
    metric('missed', 'attacks that missed a target', missed, 'attacks'),
  ],
});
if (missed > 0) {
  process.stderr.write(`${missed} of ${chosen.length} attacks missed a target\n`);
  process.exitCode = 1;
}

/** Starts a service and sends a few normal calls, so that the first attack does not measure the start. */
async function startService() {
  const started = await Service.start(checkout, sandbox.url);
  const target = new Target(started, async () => {});
  await target.many(30, 3, () => target.rest('GET', '/user/info?userName=grace'));
  await target.many(30, 3, (i) => target.graphql(`{ viewer { id tweets(first: ${1 + (i % 5)}) { nodes { id } } } }`));
  await target.close();
  return started;
}

async function measure(name, attack) {
  const state = { startedAt: 0, balance: null };
  let stopWatching = () => {};
  const target = new Target(service, async () => {
    stopWatching();
    stopWatching = service.watch({ seconds: Number(values.seconds), mebibytes: Number(values.mebibytes) });
    state.balance = await balance();
    await service.reset();
    state.startedAt = performance.now();
  });
  let figures = null;
  try {
    await target.begin();
    await attack(target);
    state.seconds = (performance.now() - state.startedAt) / 1_000;
    // Work may continue after the last response.
    await new Promise((done) => setTimeout(done, settleMs));
    figures = await service.read();
  } catch (error) {
    if (!service.ended) target.note(`the attack failed: ${error.message}`);
  }
  stopWatching();
  const charged = figures && Number((state.balance - (await balance())).toFixed(6));
  await target.close();
  state.seconds ??= (performance.now() - state.startedAt) / 1_000;
  const faults = [];
  if (service.ended) faults.push(service.ended);
  else if (!figures) faults.push('not measured');
  for (const [figure, most] of Object.entries(targets)) {
    if (figures && figures[figure] > most) faults.push(`${figure} above ${most}`);
  }
  return {
    name,
    seconds: state.seconds,
    ...figures,
    charged,
    responses: Object.fromEntries(target.statuses),
    notes: target.notes,
    faults,
  };
}

async function balance() {
  const response = await fetch(`${service.url}/v1/account/balance`, {
    headers: { authorization: `Bearer ${service.keys.rich}`, connection: 'close' },
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  const body = await response?.json().catch(() => null);
  return Number(body?.data?.balance ?? Number.NaN);
}

function report(result) {
  if (values.json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const { name, seconds, stopMs, cpuMs, retainedMiB, peakMiB, charged, responses, notes, faults } = result;
  const whole = (figure) => (figure === undefined ? '-' : figure.toFixed(0));
  const statuses = Object.entries(responses).map(([status, count]) => `${count} x ${status}`);
  const missedTargets = faults.map((fault) => `MISSED: ${fault}`);
  print([
    ...[name, seconds.toFixed(1), whole(stopMs), whole(cpuMs), whole(retainedMiB), whole(peakMiB)],
    ...[Number.isFinite(charged) && figuresOf(charged), [...statuses, ...notes, ...missedTargets].join('; ')],
  ]);
}

function figuresOf(dollars) {
  return dollars === null ? '-' : String(dollars);
}

function print([name, ...cells]) {
  const last = cells.pop();
  process.stdout.write(`${name.padEnd(52)}${cells.map((cell) => String(cell || '-').padStart(9)).join('')}  ${last}\n`);
}
