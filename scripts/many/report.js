// The rows and curves of scripts/many.js for docs/reliability.md.

/** The most by which the cost of a call may grow from the smallest to the largest store. An index of ten times the rows has one more level. */
const mostGrowth = 1.5;
/** The most by which the median latency may grow, in milliseconds, if that is less than by `mostGrowth`. */
const mostAddedMs = 0.3;
const mostAddedStartMs = 1_000;
/** The most memory in KiB for each poller, with its ten webhooks. */
const mostPollerKib = 100;
/** The share of a core that the pollers of a gateway may take in the plan for a fleet. */
const planned = 0.5;
/** The interval of polls of an idle account in seconds: a minute, at most a fifth less. */
const pollSeconds = [48, 60];
const meanPollSeconds = 54;
/** The tolerance for polls at the beginning and at the end of the measurement. */
const edge = 0.05;

/** `results` has the measurements of each size. */
export function storeReport(results, what, command) {
  const [first, last] = [results[0], results.at(-1)];
  const kinds = Object.keys(first.calls);
  const fault = `${grouped(last.size)} keys and webhooks, ${grouped(last.size * 10)} events and charged calls`;
  const row = (test, promised, measured, met) => ({
    test: `${test} (${what})`,
    fault,
    promised,
    measured,
    met,
    command,
  });
  const rows = kinds.flatMap((kind) => {
    const [from, to] = [first, last].map(({ calls }) => calls[kind]);
    return [
      row(
        `processor time: ${kind}`,
        `at most ${mostGrowth} times that with ${grouped(first.size)}`,
        `${to.cpuMs.toFixed(2)} ms, ${(to.cpuMs / from.cpuMs).toFixed(2)} times`,
        to.cpuMs <= from.cpuMs * mostGrowth,
      ),
      row(
        `p50: ${kind}`,
        `at most ${mostGrowth} times that with ${grouped(first.size)}, or ${mostAddedMs} ms more`,
        `${to.p50.toFixed(2)} ms, ${(to.p50 / from.p50).toFixed(2)} times`,
        to.p50 <= Math.max(from.p50 * mostGrowth, from.p50 + mostAddedMs),
      ),
    ];
  });
  const added = last.startMs - first.startMs;
  const pollerKib = ((last.megabytes - first.megabytes) * 1_024) / Math.max(1, (last.size - first.size) / 10);
  rows.push(
    row(
      'start to first answer',
      `at most ${mostAddedStartMs / 1_000} s more than with ${grouped(first.size)}`,
      `${last.startMs.toFixed(0)} ms, ${added.toFixed(0)} ms more`,
      added <= mostAddedStartMs,
    ),
    row(
      'resident memory',
      `at most ${mostPollerKib} KiB for each poller with its ten webhooks`,
      `${last.megabytes.toFixed(0)} MB, ${pollerKib.toFixed(0)} KiB for each`,
      pollerKib <= mostPollerKib,
    ),
  );
  const curve = (title, unit, series) => ({ title: `${title}, ${what}`, unit, x: 'API keys', log: ['x'], series });
  const points = (read) => results.map((result) => [result.size, read(result)]);
  const ofKinds = (figure) => kinds.map((kind) => ({ name: kind, points: points(({ calls }) => calls[kind][figure]) }));
  return {
    title: `Many keys, webhooks, events and calls on ${what}`,
    notes: [
      'At each size there are as many webhooks as API keys, and ten times as many events in the replay buffer, delivered events and charged calls. ' +
        'Ten keys and ten webhooks belong to an account. One caller makes the calls. The processor time is that of the gateway with its store thread, ' +
        'without what it uses at rest. `another key each` are calls of keys that the gateway has not in its cache.',
    ],
    rows,
    charts: [
      curve('Processor time of a call', 'ms', ofKinds('cpuMs')),
      curve('Median latency, one caller', 'ms', ofKinds('p50')),
      curve('Start to first answer', 'ms', [
        { name: 'elapsed', points: points(({ startMs }) => startMs) },
        { name: 'processor time', points: points(({ startCpuMs }) => startCpuMs) },
      ]),
      curve('Resident memory of the gateway', 'MB', [{ name: 'memory', points: points(({ megabytes }) => megabytes) }]),
    ],
  };
}

/** `results` has the measurements of each number of idle pollers. */
export function pollersReport(results, command) {
  const [first, last] = [results[0], results.at(-1)];
  const fault = `${grouped(last.count)} idle accounts with a webhook each, one gateway`;
  const [most, least] = pollSeconds.map((seconds) => last.count / seconds);
  // A measurement of less than a minute may see no poll.
  const perPoll = (result) => (cpuOf(result) / Math.max(result.requests, result.count / 1_000)) * 1_000;
  const [perPollMs, firstPollMs] = [perPoll(last), perPoll(first)];
  const perPollerKib = (last.megabytes * 1_000) / 1.024 / last.count;
  const needed = fleetOf(results, 100_000);
  const row = (test, promised, measured, met) => ({
    test: `pollers: ${test}`,
    fault,
    promised,
    measured,
    met,
    command,
  });
  const points = (read) => results.map((result) => [result.count, read(result)]);
  const curve = (title, unit, read) => ({
    title,
    unit,
    x: 'pollers of one gateway',
    log: ['x', 'y'],
    series: [{ name: 'one gateway', points: points(read) }],
  });
  return {
    title: 'Many pollers',
    notes: [
      `An idle account is polled every ${pollSeconds.join(' to ')} s. Each poll takes ${perPollMs.toFixed(2)} ms of processor time, and each poller ${perPollerKib.toFixed(0)} KiB of memory. ` +
        `Pollers of 100,000 idle accounts send ${grouped(100_000 / meanPollSeconds)} requests a second and need ${needed.cores.toFixed(2)} cores and ${needed.gigabytes.toFixed(1)} GB. ` +
        `That is ${needed.gateways === 1 ? '1 gateway' : `${needed.gateways} gateways`} if pollers may take ${planned * 100} % of a core in each. ` +
        'The gateways of one store divide the pollers evenly among them, and each claims about 480 in a second.',
    ],
    rows: [
      row(
        'requests to the platform',
        `one in ${pollSeconds.join(' to ')} s for each account: ${grouped(least)} to ${grouped(most)} a second`,
        `${grouped(last.requests)} a second`,
        last.requests >= least * (1 - edge) && last.requests <= most * (1 + edge),
      ),
      row(
        'processor time of a poll',
        `at most that with ${grouped(first.count)}`,
        `${perPollMs.toFixed(2)} ms, with ${grouped(first.count)} ${firstPollMs.toFixed(2)} ms`,
        perPollMs <= firstPollMs,
      ),
    ],
    charts: [
      curve('Pollers: requests to the platform', '1/s', ({ requests }) => requests),
      curve('Pollers: processor time', 's/s', cpuOf),
      curve('Pollers: resident memory', 'MB', ({ megabytes }) => megabytes),
    ],
  };
}

/** Returns the cores, the memory and the number of gateways that these idle accounts need, from the costs of one more poller. */
export function fleetOf(results, accounts) {
  const [first, last] = [results[0], results.at(-1)];
  const slope = (read) =>
    results.length > 1 ? (read(last) - read(first)) / (last.count - first.count) : read(last) / last.count;
  const cores = slope(cpuOf) * accounts;
  return {
    cores,
    gigabytes: (slope(({ megabytes }) => megabytes) * accounts) / 1_000,
    gateways: Math.ceil(cores / planned),
  };
}

function cpuOf({ cpu }) {
  return cpu / 100;
}

function grouped(value) {
  return Math.round(value).toLocaleString('en-US');
}
