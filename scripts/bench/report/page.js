import { short } from './charts.js';

/** A change of the median below this fraction is not reported. */
const noise = 0.05;

/** Writes docs/performance.md from a recorded run. `previous` contains the metrics of the run before it. */
export function writePage({ at, commit, machine, seconds, results, previous }, budgets, fileOf) {
  const before = new Map((previous?.metrics ?? []).map((metric) => [metric.id, metric]));
  const lines = [
    '# Performance',
    '',
    '`npm run bench` runs all benchmarks and writes this page, its charts and [performance/run.json](performance/run.json), which contains',
    'the figures. Each subject and its bare equivalents are measured in alternation (A B C, B C A, …), so the ratios mean more than the',
    'absolute figures. `processor time` is that of all threads of the server. The range is that of the lowest and highest round.',
    '',
    `Recorded ${at.slice(0, 10)} at commit \`${commit}\` on ${machine}. All benchmarks together take ${seconds} s.`,
    previous
      ? `The column "before" has the run of ${previous.at.slice(0, 10)} at commit \`${previous.commit}\`. "Change" is shown above ${noise * 100} %.`
      : 'There is no earlier run to compare with.',
    '',
  ];
  for (const { name, title, commit: ownCommit = commit, seconds: duration, metrics, charts } of results) {
    const facts = [
      `\`npm run bench:${name}\``,
      ...(duration ? [`${duration} s`] : []),
      ...(ownCommit === commit ? [] : [`measured at commit \`${ownCommit}\``]),
    ];
    lines.push(`## ${title}`, '', facts.join(', '), '');
    lines.push('| figure | now | range | before | change | budget |', '| --- | ---: | ---: | ---: | ---: | ---: |');
    for (const metric of metrics) lines.push(row(metric, before.get(metric.id), budgets[metric.id]));
    lines.push('');
    for (const [index, chart] of charts.entries()) lines.push(`![${chart.title}](${fileOf(name, index)})`, '');
  }
  return lines.join('\n');
}

function row(metric, before, budget) {
  const { label, value, low, high } = metric;
  const range = low === undefined ? '' : `${short(low)} to ${short(high)}`;
  const cells = [
    label,
    figure(value, metric),
    range,
    before ? figure(before.value, metric) : '',
    change(metric, before),
  ];
  return `| ${[...cells, budgetCell(metric, budget)].join(' | ')} |`;
}

function figure(value, { unit }) {
  return unit === 'ratio' ? short(value) : `${short(value)} ${unit}`;
}

function change({ value, better }, before) {
  if (!before || before.value === 0) return '';
  const share = value / before.value - 1;
  if (Math.abs(share) < noise) return '';
  const isBetter = share > 0 === (better === 'higher');
  return `${share > 0 ? '+' : ''}${(share * 100).toFixed(0)} % ${isBetter ? 'better' : 'worse'}`;
}

/** A budget is the worst accepted value. The report shows if it is missed, but no test fails. */
function budgetCell(metric, budget) {
  if (budget === undefined) return '';
  const isKept = metric.better === 'higher' ? metric.value >= budget : metric.value <= budget;
  return `${figure(budget, metric)}${isKept ? '' : ' **missed**'}`;
}
