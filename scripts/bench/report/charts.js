import { BarChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';

use([BarChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

const width = 760;

/** Draws a chart of `recordResults` as grouped bars. Returns the text of an SVG file. */
export function drawChart({ title, unit, categories, series }) {
  const bars = categories.length * series.length;
  const chart = init(null, null, {
    renderer: 'svg',
    ssr: true,
    width,
    height: 130 + 22 * bars + 10 * categories.length,
  });
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: { text: `${title} (${unit})`, left: 'center', textStyle: { fontSize: 15 } },
    legend: { bottom: 4, data: series.map(({ name }) => name) },
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
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}

/** Formats a number with three significant digits. */
export function short(value) {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
