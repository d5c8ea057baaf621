import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

const width = 760;

/**
 * Draws a chart and returns the text of an SVG file. `chart` has the form
 * - `{ title, unit, categories, series: [{ name, values }] }` for grouped bars, or
 * - `{ title, unit, x, log?, series: [{ name, points: [[x, y], …] }] }` for lines. `x` names the horizontal axis, and `log` lists the
 *   axes with a logarithmic scale (`'x'`, `'y'`).
 */
export function drawChart(chart) {
  const { height, ...options } = chart.categories ? barOptions(chart) : lineOptions(chart);
  const drawn = init(null, null, { renderer: 'svg', ssr: true, width, height });
  drawn.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: `${chart.title} (${chart.unit})`, left: 'center', textStyle: { fontSize: 15 } },
    legend: { bottom: 4, data: chart.series.map(({ name }) => name) },
    ...options,
  });
  const svg = drawn.renderToSVGString();
  drawn.dispose();
  return `${svg}\n`;
}

function barOptions({ categories, series }) {
  const bars = categories.length * series.length;
  return {
    height: 130 + 22 * bars + 10 * categories.length,
    grid: { left: 170, right: 70, top: 40, bottom: 64 },
    xAxis: { type: 'value' },
    // The first category is at the top.
    yAxis: { type: 'category', data: categories, inverse: true, axisLabel: { width: 150, overflow: 'break' } },
    series: series.map(({ name, values }) => ({
      type: 'bar',
      name,
      data: values,
      label: { show: true, position: 'right', formatter: ({ value }) => short(value) },
    })),
  };
}

function lineOptions({ x, log = [], series }) {
  const axis = (name) => ({ type: log.includes(name) ? 'log' : 'value', axisLabel: { formatter: compact } });
  return {
    height: 380,
    grid: { left: 80, right: 60, top: 40, bottom: 84 },
    xAxis: { ...axis('x'), name: x, nameLocation: 'middle', nameGap: 28 },
    yAxis: axis('y'),
    series: series.map(({ name, points }) => ({
      type: 'line',
      name,
      data: points,
      symbolSize: 6,
      // A label on each of many points would cover the line.
      label: { show: points.length <= 8, formatter: ({ value }) => short(value[1]) },
    })),
  };
}

function compact(value) {
  return value.toLocaleString('en-US', { notation: 'compact' });
}

/** Formats a number with three significant digits. */
export function short(value) {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
