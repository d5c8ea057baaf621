import { quantile } from '../bench/open-loop.ts';

const refusals = [429, 503];
const bucketMs = 250;
/** A client that sends later than this at normal load is disturbed by other work on the machine. */
const lateMs = 20;

/** Compares the measurements with the promises. `faults` are wrong responses, which no load may cause. */
export function judge({ capacity, normal, overload, probes, before, greedy, greedyKey, option }) {
  const usualP99 = p99(normal.results.filter(isAccepted));
  const accepted = overload.results.filter(isAccepted);
  const refused = overload.results.filter(({ status }) => refusals.includes(status));
  const others = (results) => results.filter(({ key }) => key !== greedyKey);
  const alone = p99(others(before.results).filter(isAccepted));
  const beside = others(greedy.results);
  const besideP99 = p99(beside.filter(isAccepted));
  const besideRefused = beside.length - beside.filter(isAccepted).length;
  const recoveredMs = recovery(overload, 2 * usualP99);
  const answered = probes.filter(({ status }) => status === 200);
  const load = `${option.times} times the capacity of ${Math.round(capacity)} calls/s for ${option.seconds} s`;
  const greed = `one key at 10 times its share, the others at normal load`;
  const command = `npm run check -- overload --seconds ${option.seconds} --step ${option.step} --normal ${option.normal}`;
  const row = (test, fault, promised, measured, met) => ({
    test,
    fault,
    promised,
    measured,
    met,
    command,
  });
  const rows = [
    row(
      'accepted calls',
      load,
      'p99 at most twice the normal',
      `${ms(p99(accepted))}, normal ${ms(usualP99)}; ${(accepted.length / option.seconds).toFixed(0)} calls/s accepted`,
      p99(accepted) <= 2 * usualP99,
    ),
    row(
      'other calls',
      load,
      '503 or 429 with Retry-After, p99 within 50 ms',
      `${refused.length} refused: p99 ${ms(p99(refused))}, longest ${ms(
        quantile(
          refused.map((each) => each.ms),
          1,
        ),
      )}`,
      p99(refused) <= 50 && refused.every(({ retryAfter }) => retryAfter),
    ),
    row('recovery', load, 'normal response times within 2 s', ms(recoveredMs), recoveredMs <= 2_000),
    row(
      '/healthz',
      load,
      'always answers',
      `${answered.length} of ${probes.length} with 200, p99 ${ms(p99(answered))}`,
      answered.length === probes.length,
    ),
    row(
      'other keys',
      greed,
      'p99 rises by at most half',
      `${ms(besideP99)}, before ${ms(alone)}; ${besideRefused} of ${beside.length} calls refused`,
      besideP99 <= 1.5 * alone,
    ),
  ];
  return { rows, faults: faultsOf([normal, overload, before, greedy, overload.after]) };
}

/** Returns true if the figures mean something: nothing else used the processor cores of the gateway and the client. */
export function isQuiet({ normal, before }) {
  return [normal, before].every(({ late }) => quantile(late, 0.99) <= lateMs);
}

/** Every response is complete, or a refusal with Retry-After, and every request has a response. */
function faultsOf(phases) {
  const faults = [];
  for (const { results, unanswered } of phases) {
    if (unanswered > 0) faults.push(`${unanswered} calls got no response`);
    const wrong = results.filter(
      (each) => each.wrong !== undefined || !(isAccepted(each) || refusals.includes(each.status)),
    );
    for (const { status, wrong: why } of wrong.slice(0, 3)) faults.push(`status ${status}: ${why}`);
    const silent = results.filter(({ status, retryAfter }) => refusals.includes(status) && !retryAfter);
    if (silent.length > 0) faults.push(`${silent.length} refusals without Retry-After`);
  }
  return faults;
}

/** Returns the time from the end of the overload until no call is refused any more and the p99 of each later second is at most `limitMs`. */
function recovery({ endedAt, after }, limitMs) {
  const seconds = 1_000 / bucketMs;
  const buckets = [];
  for (const result of after.results) {
    const index = Math.max(0, Math.floor((result.at - endedAt) / bucketMs));
    buckets[index] ??= [];
    buckets[index].push(result);
  }
  let last = -1;
  for (let i = 0; i < buckets.length; i++) {
    const bucket = buckets[i] ?? [];
    const second = buckets.slice(i, i + seconds).flat();
    if (bucket.some((each) => !isAccepted(each)) || p99(second) > limitMs) last = i;
  }
  return (last + 1) * bucketMs;
}

/** The accepted and refused calls a second over the time. */
export function chartOf({ overload }) {
  const all = [...overload.results, ...overload.after.results];
  const series = [
    ['accepted', isAccepted],
    ['refused', ({ status }) => refusals.includes(status)],
  ].map(([name, belongs]) => {
    const counts = [];
    for (const each of all.filter(belongs)) {
      const second = Math.floor((each.at - overload.startedAt) / 1_000);
      counts[second] = (counts[second] ?? 0) + 1;
    }
    return { name, points: Array.from(counts, (count = 0, second) => [second, count]) };
  });
  return { title: 'Calls during and after the overload', unit: '1/s', x: 'seconds', series };
}

function isAccepted({ status }) {
  return status === 200;
}

function p99(results) {
  return quantile(
    results.map((each) => each.ms),
    0.99,
  );
}

function ms(value) {
  return `${value.toFixed(0)} ms`;
}
