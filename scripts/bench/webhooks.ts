// Measures how fast events reach webhooks, compared with a loop that only signs and posts the same bodies.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { signedHeaders } from '../../src/webhooks/delivery/signatures.ts';
import { median, readArguments } from './frame.ts';
import { quantile } from './open-loop.ts';
import { start, startGateway, stopAll } from './processes.ts';

const values = readArguments(
  `npm run bench -- webhooks [--rounds 3] [--deliveries 4000]

Delivers events of one account, created together, to 1, 5 and 100 webhooks on one receiver, on the embedded store on a disk. Prints
deliveries a second, from the first to the last, and the processor time of the service for each. A bare loop in this process, which
signs and posts the same bodies with as many concurrent requests, alternates with it. Then measures the time from the platform's event
to the receiver for 100 single events. Exits with 1 if a goal is missed: 0.4 of the bare loop for one webhook and 0.15 for several, and a
p50 of 30 ms from event to receiver.`,
  {
    rounds: { type: 'string', default: '3' },
    deliveries: { type: 'string', default: '4000' },
  },
);
const rounds = Number(values.rounds);
const wanted = Number(values.deliveries);
const goalOf = (webhooks: number) => (webhooks === 1 ? 0.4 : 0.15);
const latencyGoalMs = 30;
const secret = 'a-secret-for-the-bench';
/** The number of concurrent requests of Postern to one receiver. */
const atOnce = 8;

const production = { NODE_ENV: 'production' };
const receiver = await start('bench/webhook-receiver.ts', [secret], production);
const {
  sandbox,
  gateway: postern,
  headers: credentials,
} = await startGateway({
  ...production,
  POLLER_EVENTS_PER_MINUTE: '1000000',
  POLLER_EVENTS_PER_DAY: '1000000000',
  LOG_LEVEL: 'warn',
});

let sample = '';
let missed = false;
for (const count of [1, 5, 100]) {
  const ids = await Promise.all(Array.from({ length: count }, (_, i) => register(i)));
  await compare(count);
  if (count === 1) await measureLatency();
  for (const id of ids) await api('DELETE', `/webhooks/${id}`);
}
await stopAll();
if (missed) process.exitCode = 1;

interface Speed {
  perSecond: number;
  cpuMicros: number;
}
/** The response of webhook-receiver.ts. */
interface Seen {
  count: number;
  firstAt: number;
  lastAt: number;
}

/** Delivers to this number of webhooks and runs the bare loop, in alternation. */
async function compare(webhooks: number): Promise<void> {
  const measured: { own: Speed; bare: Speed }[] = [];
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    const [own, bare] = [await deliver(Math.ceil(wanted / webhooks), webhooks), await bareLoop(webhooks)];
    if (round > 0) measured.push({ own, bare });
  }
  const of = (read: (round: { own: Speed; bare: Speed }) => number) => median(measured.map(read));
  const [speed, bareSpeed] = [of(({ own }) => own.perSecond), of(({ bare }) => bare.perSecond)];
  const [cpu, bareCpu] = [of(({ own }) => own.cpuMicros), of(({ bare }) => bare.cpuMicros)];
  const ratio = of(({ own, bare }) => own.perSecond / bare.perSecond);
  const cpuRatio = of(({ own, bare }) => bare.cpuMicros / own.cpuMicros);
  const goal = goalOf(webhooks);
  say(
    `${String(webhooks).padStart(3)} ${webhooks === 1 ? 'webhook' : 'webhooks'}: ${speed.toFixed(0)} deliveries/s, bare loop ${bareSpeed.toFixed(0)}/s, ` +
      `ratio ${ratio.toFixed(2)}, goal ${goal} ${outcome(ratio >= goal)}; processor time ${cpu.toFixed(0)} µs each, ` +
      `bare ${bareCpu.toFixed(0)} µs, ratio ${cpuRatio.toFixed(2)}`,
  );
}

function outcome(isReached: boolean): string {
  missed ||= !isReached;
  return isReached ? 'reached' : 'MISSED';
}

async function register(index: number): Promise<string> {
  const { id, valid } = await api('POST', '/webhooks', { url: `${receiver.url}/hook/${index}`, secret });
  if (!valid) throw new Error('the receiver did not pass its CRC');
  return id;
}

/** Makes events. Returns the deliveries per second from the first to the last arrival, and the processor time of the service for each. */
async function deliver(events: number, webhooks: number): Promise<Speed> {
  await fetch(`${receiver.url}/forget`);
  const before = await metric('process_cpu_seconds_total');
  for (let left = events; left > 0; left -= 2_000) await happen(Math.min(left, 2_000));
  const { count, firstAt, lastAt } = await allSeen(events * webhooks);
  const cpuSeconds = (await metric('process_cpu_seconds_total')) - before;
  return { perSecond: ((count - 1) / Math.max(1, lastAt - firstAt)) * 1_000, cpuMicros: (cpuSeconds / count) * 1e6 };
}

async function bareLoop(webhooks: number): Promise<Speed> {
  await fetch(`${receiver.url}/forget`);
  const pool = new Pool(receiver.url, { connections: atOnce * webhooks });
  let left = wanted;
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const sender = async () => {
    while (left-- > 0) {
      const envelope = { eventId: JSON.parse(sample).id, attempt: 1, body: sample, now: Date.now() };
      const headers = signedHeaders(envelope, { secret, proven: true, previous: null, encryptionCode: null });
      const response = await pool.request({ method: 'POST', path: '/hook', headers, body: sample });
      await response.body.text();
    }
  };
  await Promise.all(Array.from({ length: atOnce * webhooks }, sender));
  const seconds = (performance.now() - startedAt) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  await pool.close();
  return { perSecond: wanted / seconds, cpuMicros: (user + system) / wanted };
}

/** Makes one event at a time and measures the time from its creation by the platform to its arrival at the receiver. */
async function measureLatency() {
  const events = 100;
  await fetch(`${receiver.url}/forget`);
  const before = await deliveredSoFar();
  for (let i = 1; i <= events; i++) {
    await happen(1);
    await allSeen(i);
    // Random pauses keep the events from coinciding with timers of the service.
    await sleep(20 + Math.random() * 180);
  }
  const { ages } = (await (await fetch(`${receiver.url}/seen`)).json()) as { ages: number[] };
  const after = await deliveredSoFar();
  const [p50, p95, p99] = [quantile(ages, 0.5), quantile(ages, 0.95), quantile(ages, 0.99)];
  const mean = ((after.sum - before.sum) / (after.count - before.count)) * 1_000;
  say(
    `one event at a time: p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms from the platform's event to the receiver; ` +
      `mean ${mean.toFixed(1)} ms from the store; goal p50 ${latencyGoalMs} ms ${outcome(p50 <= latencyGoalMs)}`,
  );
}

async function deliveredSoFar() {
  const of = (part: string) => metric(`postern_event_delivered_seconds_${part}`);
  return { sum: await of('sum'), count: await of('count') };
}

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${postern.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

async function allSeen(count: number) {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const seen = (await (await fetch(`${receiver.url}/count`)).json()) as Seen;
    if (seen.count >= count) return seen;
    if (performance.now() > deadline) throw new Error(`${seen.count} of ${count} deliveries came`);
    await sleep(20);
  }
}

async function happen(count: number): Promise<void> {
  const response = await fetch(`${sandbox.url}/control/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'mention', userName: 'ada', count }),
  });
  const { events } = (await response.json()) as {
    events: {
      id: string;
      created_at: string;
      actor: { id: string; screen_name: string; name: string };
      tweet: { id: string; text: string } | null;
    }[];
  };
  const [event] = events;
  if (!event?.tweet) return;
  const { id, actor, tweet, created_at } = event;
  sample = JSON.stringify({
    id: `evt_${id}`,
    type: 'tweet.mention',
    created_at,
    tweet_id: tweet.id,
    text: tweet.text,
    author_id: actor.id,
    author_screen_name: actor.screen_name,
    author_name: actor.name,
  });
}

async function api(method: string, path: string, body?: object): Promise<{ id: string; valid: boolean }> {
  const response = await fetch(`${postern.url}/v1${path}`, {
    method,
    headers: { ...credentials, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const { data, error } = (await response.json()) as { data: { id: string; valid: boolean }; error: string | null };
  if (error) throw new Error(error);
  return data;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
