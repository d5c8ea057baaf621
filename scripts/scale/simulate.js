// Simulations of discrete events: the queue of one gateway, and the commits of one account on many gateways.
import { conflictsAfter, pauseMs } from '../../dist/store/mongo/transaction.js';

/**
 * Simulates a gateway on one core. It takes all calls that have arrived in one turn, which costs `turnMs`, and `callMs` for each call. `waitMs`
 * is the time of a call without use of the core. Calls arrive at random (`perSecond`, a Poisson process), or each of `callers` sends its next
 * call when it has got the answer. Returns the calls per second and quantiles of the latency.
 */
export function simulateGateway({ callMs, turnMs, waitMs, perSecond, callers, seconds = 60, random }) {
  const untilMs = seconds * 1_000;
  const gap = () => (-Math.log(1 - random()) * 1_000) / perSecond;
  const latencies = [];
  // Closed loops wait outside the core before they arrive again.
  const arrivals = callers ? Array.from({ length: callers }, () => random() * waitMs) : [gap()];
  arrivals.sort((a, b) => a - b);
  let now = 0;
  while (now < untilMs) {
    if (!callers) while (arrivals.at(-1) <= now) arrivals.push(arrivals.at(-1) + gap());
    now = Math.max(now, arrivals[0]);
    let taken = 0;
    while (taken < arrivals.length && arrivals[taken] <= now) taken++;
    const batch = arrivals.splice(0, taken);
    if (!callers && arrivals.length === 0) arrivals.push(batch.at(-1) + gap());
    now += turnMs + taken * callMs;
    for (const arrivedAt of batch) latencies.push(now - arrivedAt + waitMs);
    if (callers) arrivals.push(...batch.map(() => now + waitMs));
  }
  return { perSecond: latencies.length / (now / 1_000), ...quantiles(latencies) };
}

/** The limit of src/store/mongo/transaction.ts. */
const limitMs = 5_000;

/**
 * Simulates the commits of one account on MongoDB. Each of `gateways` commits all the time, one commit after the other, with a pause of `gapMs`. A
 * commit holds the account for `commitMs`. A commit that finds the account taken is tried again after the pauses of the store; after 5 s it
 * is given up, and its calls are refused. Returns the commits per second, quantiles of the time of the commit that a call
 * finds at its gateway when it arrives at a random time, and the share of the time that was spent on commits that were given up.
 */
export function simulateHotAccount({ gateways, commitMs, gapMs, seconds = 60, random }) {
  const untilMs = seconds * 1_000;
  const times = [];
  let lost = 0;
  let freeAt = 0;
  const begin = (at, conflicts = 0) => ({
    at: at + gapMs + (conflicts > 0 ? pauseMs(conflicts, random()) : 0),
    begunAt: at,
    attempt: 1,
    conflicts,
  });
  const waiting = Array.from({ length: gateways }, () => begin(random() * commitMs));
  for (;;) {
    const index = waiting.reduce((least, { at }, i) => (at < waiting[least].at ? i : least), 0);
    const next = waiting[index];
    if (next.at > untilMs) break;
    if (next.at >= freeAt) {
      freeAt = next.at + commitMs;
      times.push(freeAt - next.begunAt);
      waiting[index] = begin(freeAt, conflictsAfter(next.conflicts, next.attempt));
    } else if (next.at - next.begunAt >= limitMs) {
      lost += next.at - next.begunAt;
      waiting[index] = begin(next.at, next.conflicts);
    } else {
      next.at += pauseMs(next.attempt++, random());
    }
  }
  const total = times.reduce((sum, time) => sum + time, 0) + lost;
  times.sort((a, b) => a - b);
  const at = (share) => {
    let passed = 0;
    for (const time of times) {
      passed += time;
      if (passed >= total * share) return time;
    }
    return limitMs;
  };
  return { perSecond: times.length / seconds, p50: at(0.5), p99: at(0.99), givenUp: lost / total };
}

function quantiles(values) {
  values.sort((a, b) => a - b);
  const at = (share) => values[Math.floor((values.length - 1) * share)] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}
