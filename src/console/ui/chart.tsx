import { useEffect, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import { period } from './format.tsx';
import { Table } from './table.tsx';

export interface Series {
  label: string;
  /** A colour of the style sheet, such as `--accent`. */
  color: string;
  /** One value for each time; `null` if there is none. */
  values: readonly (number | null)[];
  format: (value: number) => string;
}

interface ChartProps {
  /** What the chart shows, for screen readers and as the title of its table. */
  label: string;
  /** Start times of the periods, in milliseconds since 1970. */
  times: readonly number[];
  unit: 'hour' | 'day';
  /** Bars are stacked: the first series is at the bottom. */
  kind: 'bars' | 'lines';
  series: readonly Series[];
}

const height = 200;

/** A chart over time, and its data as a table that can be opened. */
export function Chart({ label, times, unit, kind, series }: ChartProps) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(
    () => draw(container.current as HTMLDivElement, { times, unit, kind, series }),
    [times, unit, kind, series],
  );
  const periods = times.map((time, at) => ({ time, at })).reverse();
  return (
    <figure class="chart">
      <div ref={container} role="img" aria-label={`Chart: ${label}`} />
      <details>
        <summary>{label} as a table</summary>
        <Table
          caption={label}
          rows={periods}
          keyOf={({ at }) => String(at)}
          empty={null}
          columns={[
            { label: unit === 'day' ? 'Day (UTC)' : 'Hour (UTC)', cell: ({ time }) => period(time, unit) },
            ...series.map(({ label, values, format }) => ({
              label,
              number: true,
              cell: ({ at }: { at: number }) => {
                const value = values[at] ?? null;
                return value === null ? '–' : format(value);
              },
            })),
          ]}
        />
      </details>
    </figure>
  );
}

type Drawing = Omit<ChartProps, 'label'>;

/** Draws the chart when its library is loaded, and again if the width or the colour scheme changes. Returns a function that removes it. */
function draw(container: HTMLDivElement, drawing: Drawing) {
  let plot: uPlot | undefined;
  let ended = false;
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const sizes = new ResizeObserver(() => plot?.setSize({ width: container.clientWidth, height }));
  const create = async () => {
    const { default: Plot } = await import('uplot');
    if (ended) return;
    plot?.destroy();
    const times = drawing.times.map((time) => time / 1_000);
    plot = new Plot(optionsOf(Plot, container, drawing), [times, ...columnsOf(drawing)], container);
  };
  void create();
  scheme.addEventListener('change', create);
  sizes.observe(container);
  return () => {
    ended = true;
    scheme.removeEventListener('change', create);
    sizes.disconnect();
    plot?.destroy();
  };
}

/** Returns the values to draw. Stacked bars overlap: each has the sum of its own series and the series below. The highest is drawn first. */
function columnsOf({ kind, series }: Drawing): (number | null)[][] {
  if (kind === 'lines') return series.map(({ values }) => [...values]);
  const sums = series.map((_, upTo) =>
    (series[0]?.values ?? []).map((_value, at) =>
      series.slice(0, upTo + 1).reduce((sum, { values }) => sum + (values[at] ?? 0), 0),
    ),
  );
  return sums.reverse();
}

function optionsOf(Plot: typeof uPlot, container: HTMLElement, { unit, kind, series }: Drawing): uPlot.Options {
  const isBars = kind === 'bars';
  const soft = resolved(container, '--soft');
  const axis = {
    stroke: soft,
    font: `12px ${getComputedStyle(container).fontFamily}`,
    grid: { stroke: resolved(container, '--line'), width: 1 },
    ticks: { show: false },
  };
  const half = unit === 'day' ? 43_200 : 1_800;
  const formatted = series[0]?.format ?? String;
  return {
    width: container.clientWidth,
    height,
    padding: [8, 8, 0, 0],
    cursor: { drag: { x: false, y: false }, points: { show: !isBars } },
    tzDate: (seconds) => Plot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
    scales: {
      x: { range: (_plot, low, high) => (isBars ? [low - half, high + half] : [low, high]) },
      y: { range: (_plot, _low, high) => [0, high > 0 ? high * 1.1 : 1] },
    },
    axes: [
      {
        ...axis,
        size: 32,
        grid: { show: false },
        values: (_plot, splits) => splits.map((time) => period(time * 1_000, unit)),
      },
      { ...axis, size: 64, values: (_plot, splits) => splits.map(formatted) },
    ],
    series: [
      { value: (_plot, time) => (time == null ? '' : period(time * 1_000, unit)) },
      ...(isBars ? [...series].reverse() : series).map(({ label, color, values, format }) => {
        const stroke = resolved(container, color);
        return {
          label,
          stroke,
          value: (_plot: uPlot, _sum: number | null, _series: number, at: number | null) => {
            if (at === null) return '';
            const value = values[at];
            return value == null ? '–' : format(value);
          },
          ...(isBars
            ? {
                fill: stroke,
                width: 0,
                paths: Plot.paths.bars?.({ size: [0.75, 40], radius: 0.12 }) as never,
                points: { show: false },
              }
            : { width: 2, spanGaps: false, points: { size: 5 } }),
        };
      }),
    ],
  };
}

/** Returns the computed value of a colour, because a canvas does not evaluate CSS variables and functions. */
function resolved(element: HTMLElement, color: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${color})`;
  element.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}
