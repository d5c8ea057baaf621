// Load on one gateway: bursts of one caller, many callers, and calls that arrive at random.
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { atRate } from '../bench/open-loop.js';
import { usageOf } from '../bench/process-tree.js';

const maxTries = 20;
const pauseMs = 500;

/**
 * Sends one request and returns its latency in milliseconds. A request that is refused with 503 is sent again, because a store on a busy
 * machine may exceed its time limits. Throws unless it succeeds.
 */
async function call(pool, request) {
  const sentAt = performance.now();
  for (let tries = 1; ; tries++) {
    const response = await pool.request(request);
    const body = await response.body.text();
    if (response.statusCode === 200 && !body.includes('"errors"')) return performance.now() - sentAt;
    if (response.statusCode !== 503 || tries === maxTries) {
      throw new Error(`${request.method} ${request.path}: ${response.statusCode} ${body.slice(0, 300)}`);
    }
    await sleep(pauseMs);
  }
}

/**
 * One caller sends `size` requests at once, each of another account, waits for all answers, and repeats this for `seconds`, and until it has sent
 * `atLeast` requests. Returns the processor time of the gateway for each call without that at rest, the median latency, and the commits for each
 * call.
 */
export async function bursts(gateway, request, { size, seconds, restCpu = 0, atLeast = 0 }) {
  const latencies = [];
  const used = await withPool(gateway, size, seconds, async (pool, goesOn) => {
    while (goesOn() || latencies.length < atLeast) {
      latencies.push(...(await Promise.all(Array.from({ length: size }, (_, caller) => call(pool, request(caller))))));
    }
  });
  const calls = latencies.length;
  const cpuMs = ((used.cpuSeconds - restCpu * used.seconds) * 1_000) / calls;
  return { calls, cpuMs, commits: used.commits / calls, ...quantiles(latencies) };
}

/**
 * `callers` send one request after the other for `seconds`. `next(caller)` returns a request. Returns the calls per second and the share of a
 * core that the gateway used.
 */
export async function closedLoop(gateway, next, { callers, seconds, settled = async () => {} }) {
  const latencies = [];
  const used = await withPool(gateway, callers, seconds, async (pool, goesOn) => {
    const caller = async (_, index) => {
      while (goesOn()) latencies.push(await call(pool, next(index)));
    };
    await Promise.all(Array.from({ length: callers }, caller));
    await settled(latencies.length);
  });
  return {
    calls: latencies.length,
    perSecond: latencies.length / used.seconds,
    busy: used.cpuSeconds / used.seconds,
    ...quantiles(latencies),
  };
}

/** Calls arrive at random, `perSecond` on average, whether earlier ones have been answered or not. Returns quantiles of their latency. */
export async function openLoop(gateway, next, { perSecond, callers, seconds, random }) {
  const latencies = [];
  await withPool(gateway, 512, seconds, async (pool) => {
    const running = [];
    const begin = (dueAt) => {
      const sent = call(pool, next(running.length % callers)).then(() => latencies.push(performance.now() - dueAt));
      // `Promise.all` throws its error later.
      sent.catch(() => {});
      running.push(sent);
    };
    await atRate({ rate: perSecond, durationMs: seconds * 1_000, random, begin });
    await Promise.all(running);
  });
  return { calls: latencies.length, ...quantiles(latencies) };
}

async function withPool(gateway, connections, seconds, work) {
  const pool = new Pool(gateway.url, { connections });
  const { pid } = gateway.child;
  const before = { cpu: usageOf(pid).cpuSeconds, commits: await commitsOf(gateway) };
  const startedAt = performance.now();
  try {
    await work(pool, () => performance.now() - startedAt < seconds * 1_000);
  } finally {
    await pool.close();
  }
  const elapsed = (performance.now() - startedAt) / 1_000;
  return {
    seconds: elapsed,
    cpuSeconds: usageOf(pid).cpuSeconds - before.cpu,
    commits: (await commitsOf(gateway)) - before.commits,
  };
}

async function commitsOf({ url }) {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^postern_ledger_commits_total\{outcome="applied"\} (\S+)$/m.exec(text)?.[1] ?? 0);
}

function quantiles(values) {
  values.sort((a, b) => a - b);
  const at = (share) => values[Math.floor((values.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
