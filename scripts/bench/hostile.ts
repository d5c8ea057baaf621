// Attacks the built service and measures the cost of each attack.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { readArguments } from './frame.ts';
import { attacks } from './hostile/attacks.ts';
import type { OtherFigures } from './hostile/other.ts';
import type { Figures } from './hostile/probe.ts';
import { Service } from './hostile/service.ts';
import { type Attack, Target } from './hostile/target.ts';
import { programOf, type Settings, startSandbox, stop, temporaryFolder } from './processes.ts';

const targets = { retainedMiB: 100, peakMiB: 1_024, diskMiB: 100, stopMs: 0, otherMs: 1_000 };
/** A service that needs more is killed. */
const watchdog = { seconds: 60, mebibytes: 4_096 };
const settleMs = 300;

interface Measured extends Figures {
  diskMiB: number;
  otherMs: number;
}

interface Result extends Partial<Measured> {
  name: string;
  seconds: number;
  charged?: number | null;
  responses: Record<string, number>;
  notes: string[];
  faults: string[];
}

const values = readArguments(
  `npm run bench -- hostile [--only NAME]... [--list] [--json] [--stop-ms 100]

Starts the built service (on the embedded store, with the sandbox in a process of its own), runs one attack after the other, and prints
for each attack:

  s         duration of the attack
  stop ms   longest stop of the service's event loop, without the time in which other programs used the processor
  cpu ms    processor time of the service, all threads
  kept MiB  growth of heap and buffers after a garbage collection, before the attack's connections close
  peak MiB  growth of the resident set at its highest
  disk MiB  growth of the service's folder
  other ms  slowest call of another account meanwhile
  dollars   charge of the attacking account
  responses statuses and their number, then remarks

The exit status is 1 if an attack stops the loop for more than --stop-ms, keeps more than ${targets.retainedMiB} MiB in memory or
${targets.diskMiB} MiB on disk, peaks above ${targets.peakMiB} MiB, slows another account's call beyond ${targets.otherMs} ms or has it refused, or ends the
service; and if the service did not read the attack's bytes. Attacks with a name server need \`unshare -mn\`, and are left out without it.
A service that needs more than ${watchdog.seconds} s or ${watchdog.mebibytes} MiB is killed, and a new one is started.

  --only      run only the attacks with this text in their name
  --list      print only the names
  --json      print one line of JSON for each attack
  --stop-ms   the target of the longest stop of the event loop; more on a busy machine`,
  {
    only: { type: 'string', multiple: true },
    list: { type: 'boolean' },
    json: { type: 'boolean' },
    'stop-ms': { type: 'string', default: '100' },
  },
);
targets.stopMs = Number(values['stop-ms']);
/** True in the child process that has a network namespace of its own (attacks/dns.ts). */
const isInside = process.env['HOSTILE_NAMESPACE'] === '1';
const chosen = Object.entries(attacks).filter(
  ([name]) => !values.only || values.only.some((part) => name.includes(part)),
);
if (values.list) {
  process.stdout.write(`${chosen.map(([name]) => name).join('\n')}\n`);
  process.exit();
}

const sandbox = await startSandbox();
let service: Service | null = null;
if (!values.json) {
  print(['attack', 's', 'stop ms', 'cpu ms', 'kept MiB', 'peak MiB', 'disk MiB', 'other ms', 'dollars', 'responses']);
}
let missed = 0;
const sandboxed: Settings = { PLATFORM_URL: sandbox.url, PLATFORM_KIND: 'sandbox' };
for (const [name, attack] of chosen) {
  if (!attack.namespace || isInside) await run(name, attack);
}
const inside = chosen.filter(([, attack]) => attack.namespace).map(([name]) => name);
if (inside.length > 0 && !isInside) await runInNamespace(inside);
await stopService();
await stop(sandbox);

async function run(name: string, attack: Attack): Promise<void> {
  const platform = (await attack.platform?.(sandboxed)) ?? sandboxed;
  if (service && (attack.fresh || service.ended || service.platform !== platform)) {
    await stopService();
  }
  service ??= await startService(platform);
  conclude(await measure(name, attack, service));
}

/** Runs attacks in a child process in its own network namespace, where the attack provides the name server. */
async function runInNamespace(names: string[]): Promise<void> {
  const script = join(import.meta.dirname, '..', 'bench.ts');
  const resolver = join(temporaryFolder(), 'resolv.conf');
  writeFileSync(resolver, 'nameserver 127.0.0.1\n');
  const command = 'ip link set lo up && mount --bind "$0" /etc/resolv.conf && exec "$@"';
  const options = ['--json', `--stop-ms=${targets.stopMs}`, ...names.map((name) => `--only=${name}`)];
  const args = [command, resolver, process.execPath, ...process.execArgv, script, 'hostile', ...options];
  const env = { ...process.env, HOSTILE_NAMESPACE: '1' };
  const child = spawn('unshare', ['-mn', 'sh', '-c', ...args], { stdio: ['ignore', 'pipe', 'inherit'], env }).on(
    'error',
    () => {},
  );
  const left = new Set(names);
  for await (const line of createInterface({ input: child.stdout })) {
    const result = JSON.parse(line) as Result;
    left.delete(result.name);
    conclude(result);
  }
  const isAllowed = left.size < names.length;
  const faults = isAllowed ? ['the attack did not run'] : [];
  const notes = isAllowed ? [] : ['left out: unshare -mn is not allowed'];
  for (const name of left) conclude({ name, seconds: 0, responses: {}, notes, faults });
}

function conclude(result: Result): void {
  if (result.faults.length > 0) missed++;
  report(result);
}

if (missed > 0) {
  if (!isInside) process.stderr.write(`${missed} of ${chosen.length} attacks missed a target\n`);
  process.exitCode = 1;
}

/** Starts a service and sends a few normal calls, so that the first attack does not measure the start. */
async function startService(platform: Settings): Promise<Service> {
  const started = await Service.start(platform);
  if (!started.demo) return started;
  const target = new Target(started, async () => {});
  await target.many(30, 3, () => target.rest('GET', '/user/info?userName=grace'));
  await target.many(30, 3, (i) => target.graphql(`{ viewer { id tweets(first: ${1 + (i % 5)}) { nodes { id } } } }`));
  await target.close();
  return started;
}

async function measure(name: string, attack: Attack, service: Service): Promise<Result> {
  const state = { startedAt: 0, balance: 0, diskMiB: 0, refused: 0 };
  const other = fork(await programOf('bench/hostile/other.ts'), { execArgv: [] });
  let seconds: number | null = null;
  let stopWatching = () => {};
  const target = new Target(service, async () => {
    stopWatching();
    stopWatching = service.watch(watchdog);
    state.balance = await balance(service);
    state.diskMiB = service.diskMiB;
    await service.ask('reset');
    state.startedAt = performance.now();
    other.send(target.otherCalls);
  });
  let figures: Measured | null = null;
  try {
    await target.begin();
    await attack(target);
    other.send('end');
    const [{ otherMs, refused }] = (await once(other, 'message')) as [OtherFigures];
    state.refused = refused;
    seconds = (performance.now() - state.startedAt) / 1_000;
    // Work may continue after the last response.
    await sleep(settleMs);
    figures = { ...(await service.ask('read')), diskMiB: service.diskMiB - state.diskMiB, otherMs };
  } catch (error) {
    if (!service.ended) target.note(`the attack failed: ${error}`);
  }
  other.kill();
  stopWatching();
  const charged = figures && Number((state.balance - (await balance(service))).toFixed(6));
  await target.close();
  seconds ??= (performance.now() - state.startedAt) / 1_000;
  const faults = target.faults;
  if (!target.isTaken) faults.push('the bytes of the attack were not taken');
  if (state.refused > 0) faults.push(`${state.refused} calls of another account were refused`);
  if (service.ended) faults.push(service.ended);
  else if (!figures) faults.push('not measured');
  for (const [figure, most] of Object.entries(targets) as [keyof typeof targets, number][]) {
    if (figures && figures[figure] > most) faults.push(`${figure} above ${most}`);
  }
  return {
    name,
    seconds,
    ...figures,
    charged,
    responses: Object.fromEntries(target.statuses),
    notes: target.notes,
    faults,
  };
}

async function balance(service: Service): Promise<number> {
  const response = await fetch(`${service.url}/v1/account/balance`, {
    headers: { authorization: `Bearer ${service.keys.rich}`, connection: 'close' },
    signal: AbortSignal.timeout(10_000),
  }).catch(() => null);
  const body = (await response?.json().catch(() => null)) as { data?: { balance?: string } } | null | undefined;
  return Number(body?.data?.balance ?? Number.NaN);
}

function report(result: Result): void {
  if (values.json) {
    process.stdout.write(`${JSON.stringify(result)}\n`);
    return;
  }
  const { name, seconds, stopMs, cpuMs, retainedMiB, peakMiB, diskMiB, otherMs, charged, responses, notes, faults } =
    result;
  const statuses = Object.entries(responses).map(([status, count]) => `${count} x ${status}`);
  const missedTargets = faults.map((fault) => `MISSED: ${fault}`);
  const measured = [stopMs, cpuMs, retainedMiB, peakMiB, diskMiB, otherMs].map((figure) => figure?.toFixed(0) ?? '-');
  const dollars = Number.isFinite(charged) ? String(charged) : '-';
  print([name, seconds.toFixed(1), ...measured, dollars, [...statuses, ...notes, ...missedTargets].join('; ')]);
}

function print([name = '', ...cells]: string[]): void {
  const last = cells.pop();
  process.stdout.write(`${name.padEnd(52)}${cells.map((cell) => cell.padStart(9)).join('')}  ${last}\n`);
}

async function stopService(): Promise<void> {
  await service?.stop();
  service = null;
}
