import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { median } from '../bench/frame.js';

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
