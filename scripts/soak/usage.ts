import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../bench/frame.ts';

/**
 * Returns the resident memory in MiB, and the numbers of sockets and file descriptors of a gateway (Linux only), and the number of its
 * timers from its metrics.
 */
export async function usageOf({ child: { pid }, url }) {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const gauge = (name) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // The file descriptor was closed in the meantime.
      return '';
    }
  });
  const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return {
    memory: Number(kilobytes) / 1_024,
    timers: gauge('postern_timers') + gauge('nodejs_active_resources\\{type="Timeout"\\}'),
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    descriptors: targets.length,
  };
}

/** The allowed increase from the first to the last third. */
const allowed = {
  memory: (first) => first * 1.15 + 32,
  sockets: (first) => first * 1.2 + 20,
  timers: (first) => first * 1.2 + 20,
  descriptors: (first) => first * 1.2 + 20,
};

/** Compares the medians of the first and the last third. Returns a row for each metric. */
export function compareThirds(samples) {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  return Object.entries(allowed).map(([figure, limitOf]) => {
    const of = (part) => median(part.map((sample) => sample[figure]));
    const [first, last] = [of(samples.slice(0, third)), of(samples.slice(-third))];
    const limit = limitOf(first);
    return { figure, first, last, limit, isFlat: last <= limit };
  });
}

const restPatienceMs = 60_000;

/**
 * Compares a gateway without calls, before the load and after it. Waits until connections that were kept open have ended. `pooled` is the
 * number of connections that the driver of the store keeps.
 */
export async function compareRest(before, pooled, measure) {
  const figures = ['timers', 'sockets', 'descriptors'];
  const limitOf = (figure) => before[figure] * 1.2 + 20 + (figure === 'timers' ? 0 : pooled);
  const until = performance.now() + restPatienceMs;
  for (;;) {
    const after = await measure();
    const isFlat = figures.every((figure) => after[figure] <= limitOf(figure));
    if (isFlat || performance.now() > until) {
      const text = figures.map((figure) => `${figure} ${before[figure]}, then ${after[figure]}`).join('; ');
      return { isFlat, text };
    }
    await sleep(500);
  }
}
