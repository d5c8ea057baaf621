#!/usr/bin/env node
// Attacks the built service and measures what each attack costs it.
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { attacks } from './bench/hostile/attacks.js';
import { Service, startSandbox } from './bench/hostile/service.js';
import { Target } from './bench/hostile/target.js';

const targets = { stopMs: 100, retainedMiB: 100, peakMiB: 1_024 };
const settleMs = 300;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    json: { type: 'boolean' },
    seconds: { type: 'string', default: '60' },
    mebibytes: { type: 'string', default: '4096' },
    checkout: { type: 'string', default: dirname(dirname(fileURLToPath(import.meta.url))) },
    help: { type: 'boolean', short: 'h' },
  },
});
if (values.help) {
  process.stdout.write(`Usage: npm run bench:hostile -- [--only NAME]... [--list] [--json] [--seconds 60] [--mebibytes 4096] [--checkout FOLDER]

Starts the built service (on the embedded store, with the sandbox in a process of its own), attacks it with one kind of hostile
request after the other, and prints for each attack:

  s         duration of the attack
  stop ms   longest stop of the service's event loop, without the time in which other programs used the processor
  cpu ms    processor time of the service, all threads
  kept MiB  growth of heap and buffers after a garbage collection, before the attack's connections close
  peak MiB  growth of the resident set at its highest
  dollars   what the attacking account was charged
  responses statuses and their number, then remarks

The exit status is 1 if an attack stops the loop for more than ${targets.stopMs} ms, keeps more than ${targets.retainedMiB} MiB, peaks above
${targets.peakMiB} MiB, or ends the service. A service that needs more than --seconds or --mebibytes is killed, and a new one started.

  --only      attacks with this text in their name
  --list      print the names and end
  --json      print one line of JSON for each attack
  --checkout  measure the service that is built in another folder\n`);
  process.exit();
}
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
for (const [name, attack] of chosen) {
  if (service && (attack.fresh || service.ended)) {
    await service.stop();
    service = null;
  }
  service ??= await startService();
  const result = await measure(name, attack);
  if (result.faults.length > 0) missed++;
  report(result);
}
await service?.stop();
sandbox.child.kill();
if (missed > 0) {
  process.stderr.write(`${missed} of ${chosen.length} attacks missed a target\n`);
  process.exitCode = 1;
}

/** A service that has answered some ordinary calls, so that the first attack does not measure its start. */
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
    // Work may go on after the last response.
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
    ...{ name, seconds: state.seconds, ...figures, charged },
    ...{ responses: Object.fromEntries(target.statuses), notes: target.notes, faults },
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
