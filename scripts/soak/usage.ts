import { median } from '../bench/frame.ts';

/** Each figure of a gateway with its metrics, and the allowed growth: a factor and an addition. */
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
    Object.entries(figures).map(([figure, { metrics, unit }]) => [
      figure,
      metrics.reduce((sum, name) => sum + (values.get(name) ?? 0), 0) / unit,
    ]),
  ) as Usage;
}

/** Returns each figure at first and at last (medians), and whether it grew too much. */
export function growth(first: readonly Usage[], last: readonly Usage[]) {
  return (Object.keys(figures) as Figure[]).map((figure) => {
    const [from, to] = [first, last].map((usages) => median(usages.map((usage) => usage[figure]))) as [number, number];
    const isTooMuch = to > from * figures[figure].factor + figures[figure].more;
    return { isTooMuch, text: `${figure} ${from.toFixed(0)}, then ${to.toFixed(0)}` };
  });
}
