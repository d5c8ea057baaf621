import { median } from '../bench/frame.ts';

/** Figures of a gateway. Each is the sum of its metrics in `unit`, and may grow to `factor` times its first value plus `more`. */
const figures = {
  'memory in MiB': { metrics: ['process_resident_memory_bytes'], unit: 2 ** 20, factor: 1.15, more: 32 },
  timers: { metrics: ['postern_timers', 'nodejs_active_resources{type="Timeout"}'], unit: 1, factor: 1.2, more: 20 },
  sockets: { metrics: ['nodejs_active_resources{type="TCPSocketWrap"}'], unit: 1, factor: 1.2, more: 20 },
  'file descriptors': { metrics: ['process_open_fds'], unit: 1, factor: 1.2, more: 20 },
};

type Figure = keyof typeof figures;
export type Usage = Record<Figure, number>;

export async function usageOf(url: string): Promise<Usage> {
  const lines = (await (await fetch(`${url}/metrics`)).text()).split('\n').map((line) => line.split(' '));
  const values = new Map(lines.map(([name = '', value]) => [name, Number(value)]));
  return Object.fromEntries(
    Object.entries(figures).map(([figure, { metrics, unit }]) => {
      const sum = metrics.reduce((total, name) => total + (values.get(name) ?? 0), 0);
      // None of them is 0 in a running gateway, so 0 means that a metric was renamed.
      if (sum === 0) throw new Error(`/metrics has none of ${metrics.join(', ')}`);
      return [figure, sum / unit];
    }),
  ) as Usage;
}

/** Compares the medians of the first and the last samples. Returns for each figure whether it grew too much. */
export function growth(first: readonly Usage[], last: readonly Usage[]) {
  return (Object.keys(figures) as Figure[]).map((figure) => {
    const [from, to] = [first, last].map((usages) => median(usages.map((usage) => usage[figure]))) as [number, number];
    const isTooMuch = to > from * figures[figure].factor + figures[figure].more;
    return { isTooMuch, text: `${figure} ${from.toFixed(0)}, then ${to.toFixed(0)}` };
  });
}
