import { readdirSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../bench/frame.ts';
import { mebibytes, pidOf, type Started } from '../bench/processes.ts';

const restFigures = ['timers', 'sockets', 'descriptors'] as const;

/** Memory is in MiB. */
export type Usage = Record<'memory' | (typeof restFigures)[number], number>;

/**
 * Returns the resident memory in MiB, and the numbers of sockets and file descriptors of a gateway (Linux only), and the number of its
 * timers from its metrics.
 */
export async function usageOf({ child, url }: Started): Promise<Usage> {
  const pid = pidOf(child);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const gauge = (name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
  const targets = readdirSync(`/proc/${pid}/fd`).map((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch {
      // The file descriptor was closed in the meantime.
      return '';
    }
  });
  return {
    memory: mebibytes({ child }),
    timers: gauge('postern_timers') + gauge('nodejs_active_resources\\{type="Timeout"\\}'),
    sockets: targets.filter((target) => target.startsWith('socket:')).length,
    descriptors: targets.length,
  };
}

/** The allowed increase from the first to the last third. */
const allowed: Record<keyof Usage, (first: number) => number> = {
  memory: (first) => first * 1.15 + 32,
  sockets: (first) => first * 1.2 + 20,
  timers: (first) => first * 1.2 + 20,
  descriptors: (first) => first * 1.2 + 20,
};

/** Compares the medians of the first and the last third. Returns a row for each metric. */
export function compareThirds(samples: Usage[]) {
  const third = Math.floor(samples.length / 3);
  if (third === 0) return [];
  return (Object.keys(allowed) as (keyof Usage)[]).map((figure) => {
    const of = (part: Usage[]) => median(part.map((sample) => sample[figure]));
    const [first, last] = [of(samples.slice(0, third)), of(samples.slice(-third))];
    const limit = allowed[figure](first);
    return { figure, first, last, limit, isFlat: last <= limit };
  });
}

const restPatienceMs = 60_000;

/**
 * Compares a gateway without calls, before the load and after it. Waits until connections that were kept open have ended. `pooled` is the
 * number of connections that the driver of the store keeps.
 */
export async function compareRest(before: Usage, pooled: number, measure: () => Promise<Usage>) {
  const limitOf = (figure: keyof Usage) => before[figure] * 1.2 + 20 + (figure === 'timers' ? 0 : pooled);
  const until = performance.now() + restPatienceMs;
  for (;;) {
    const after = await measure();
    const isFlat = restFigures.every((figure) => after[figure] <= limitOf(figure));
    if (isFlat || performance.now() > until) {
      const text = restFigures.map((figure) => `${figure} ${before[figure]}, then ${after[figure]}`).join('; ');
      return { isFlat, text };
    }
    await sleep(500);
  }
}
