// Measures the start of a gateway, its memory, and the cost of each kind of call with one caller.
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';
import { usageOf } from '../bench/process-tree.js';
import { start, stop } from '../bench/processes.js';

const actorHeader = 'x-auth-token';

/** Starts a gateway. Returns it with the time and the processor time from its start to the first answer of a priced call. */
export async function startGateway(env, call) {
  const startedAt = performance.now();
  const gateway = await start('postern.js', ['serve'], env);
  await ask(gateway.url, call);
  return {
    ...gateway,
    startMs: performance.now() - startedAt,
    startCpuMs: usageOf(gateway.child.pid).cpuSeconds * 1_000,
  };
}

/** Starts a gateway `times` times, and keeps the last one. Returns the fastest start, which other programs have disturbed least. */
export async function startOften(times, env, call) {
  const starts = [];
  for (let turn = 1; ; turn++) {
    const gateway = await startGateway(env, call);
    starts.push(gateway);
    if (turn < times) await stop(gateway);
    else {
      const fastest = (figure) => Math.min(...starts.map((one) => one[figure]));
      return { ...gateway, startMs: fastest('startMs'), startCpuMs: fastest('startCpuMs') };
    }
  }
}

/** Waits until the gateway runs this number of pollers. */
export async function allClaimed(gateway, pollers) {
  while ((await metric(gateway, 'postern_pollers')) < pollers) await sleep(500);
}

export async function metric({ url }, name) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** The processor seconds per second of a gateway that gets no calls. */
export async function atRest({ child }, seconds) {
  const before = usageOf(child.pid);
  await sleep(seconds * 1_000);
  const after = usageOf(child.pid);
  return { cpu: (after.cpuSeconds - before.cpuSeconds) / seconds, megabytes: after.megabytes };
}

/**
 * Makes calls with one caller for `durationMs`, and waits for their deliveries. Returns the number of calls, the median of their latency, and
 * the processor time of the gateway for each, without its processor time at rest.
 */
export async function oneCaller(gateway, { request, pauseMs = 0, settled = async () => {} }, durationMs, restCpu) {
  const client = new Client(gateway.url);
  const latencies = [];
  const before = usageOf(gateway.child.pid).cpuSeconds;
  const startedAt = performance.now();
  try {
    while (performance.now() - startedAt < durationMs) {
      const asked = request();
      const sentAt = performance.now();
      const response = await client.request(asked);
      const body = await response.body.text();
      latencies.push(performance.now() - sentAt);
      if (response.statusCode !== 200 || !body.startsWith('{"status":true')) {
        throw new Error(`${asked.method} ${asked.path}: ${response.statusCode} ${body}`);
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
    await settled(latencies.length);
  } finally {
    await client.close();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = usageOf(gateway.child.pid).cpuSeconds - before - restCpu * seconds;
  const calls = latencies.length;
  latencies.sort((a, b) => a - b);
  return { calls, p50: latencies[Math.floor((calls - 1) / 2)], cpuMs: (cpu * 1_000) / calls };
}

/** The kinds of calls that are measured. `accounts` are those of `fill`, and `actor` is an account of the platform. */
export function kindsOf({ accounts, actor, tweetId, receiver, random, pauseMs }) {
  const [first] = accounts;
  const any = () => accounts[Math.floor(random() * accounts.length)];
  const keyOf = ({ keys }) => keys[Math.floor(random() * keys.length)].key;
  const get = (path, key) => ({
    method: 'GET',
    path: `/v1${path}`,
    headers: { authorization: `Bearer ${key}`, [actorHeader]: actor },
  });
  const post = (path, key, body, headers = {}) => ({
    ...get(path, key),
    method: 'POST',
    headers: { ...get(path, key).headers, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const like = (key, headers) => post('/tweet/favorite', key, { tweet_id: tweetId }, headers);
  const profile = '/user/info?userName=grace';
  let writes = 0;
  let resent = 0;
  const sentAgain = new Set();
  return {
    'read, one key': { request: () => get(profile, first.keys[0].key) },
    // The pause is so long that the gateway has forgotten a key when it is used again.
    'read, another key each': { request: () => get(profile, keyOf(any())), pauseMs },
    'write, another key each': {
      request: () => like(keyOf(any()), { 'idempotency-key': `many-${random()}-${++writes}` }),
      pauseMs,
    },
    usage: { request: () => get('/account/usage', keyOf(any())), pauseMs },
    'page of deliveries': {
      request: () => {
        const { keys, webhooks } = any();
        return get(`/webhooks/${webhooks[0]}/deliveries?count=20`, keys[0].key);
      },
      pauseMs,
    },
    'event sent again': {
      request: () => {
        const { keys, events } = accounts[resent % accounts.length];
        const event = events[Math.floor(resent++ / accounts.length) % events.length];
        sentAgain.add(event.id);
        return post(`/webhooks/${event.webhook}/deliveries/${event.id}/resend`, keys[0].key, {});
      },
      pauseMs,
      settled: () => arrived(receiver, sentAgain),
    },
  };
}

/** Waits until all these events have reached the receiver, and forgets them. */
async function arrived(receiver, events) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { arrivedAt } = await (await fetch(`${receiver.url}/seen`)).json();
    const missing = [...events].filter((id) => arrivedAt[id] === undefined).length;
    if (missing === 0) break;
    if (performance.now() > deadline)
      throw new Error(`${missing} of ${events.size} events that were sent again did not arrive`);
    await sleep(20);
  }
  events.clear();
  await fetch(`${receiver.url}/forget`);
}

async function ask(url, { path, headers }) {
  const response = await fetch(url + path, { headers });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
