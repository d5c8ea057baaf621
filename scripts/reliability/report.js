// The report of the checks of endurance: recorded results in docs/reliability/*.json, and docs/reliability.md, which shows them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { drawChart } from '../bench/report/charts.js';
import { describeRun, rounded } from '../bench/report/recorded.js';
import { checks } from './checks.js';

const docs = join(import.meta.dirname, '../../docs');

/**
 * Records the results of a check, with the date, the commit and the machine, in docs/reliability/NAME.json. They replace earlier results
 * with this name. A check that is run for each store records under `NAME-STORE`.
 *
 * `title`: the heading of its section.
 * `notes`: paragraphs of Markdown, shown below the heading.
 * `rows`: one for each test: `{ test, fault, promised, measured, met, command }`. All are texts, except for `met`: true if the promise is
 *   kept.
 * `charts`: as `drawChart` takes them.
 */
export function record(name, { title, notes = [], rows, charts = [] }, folder = docs) {
  const path = join(folder, 'reliability', `${name}.json`);
  mkdirSync(join(folder, 'reliability'), { recursive: true });
  const result = { name, title, ...describeRun(), notes, rows, charts };
  writeFileSync(path, `${JSON.stringify(rounded(result), null, 2)}\n`);
  process.stdout.write(`recorded in ${relative('.', path)}\n`);
}

/** Writes docs/reliability.md and its charts from the recorded results. */
export function renderReport(folder = docs) {
  const recorded = join(folder, 'reliability');
  const files = existsSync(recorded) ? readdirSync(recorded) : [];
  const results = files
    .filter((file) => file.endsWith('.json'))
    .map((file) => ({ ...JSON.parse(readFileSync(join(recorded, file), 'utf8')), name: basename(file, '.json') }))
    .sort((a, b) => position(a.name) - position(b.name) || (a.name < b.name ? -1 : 1));
  for (const file of files) if (file.endsWith('.svg')) rmSync(join(recorded, file));
  for (const { name, charts } of results) {
    for (const [index, chart] of charts.entries()) {
      writeFileSync(join(folder, fileOf(name, index)), drawChart(chart));
    }
  }
  const textOf = (file) =>
    files.includes(file) ? readFileSync(join(recorded, file), 'utf8').trim() : 'Nothing so far.';
  const texts = { limits: textOf('limits.md'), found: textOf('found.md') };
  writeFileSync(join(folder, 'reliability.md'), writePage(results, texts));
}

function writePage(results, { limits, found }) {
  const lines = [
    '# Reliability',
    '',
    '`npm run reliability -- --run --long --record` runs these checks and records their results in [reliability/](reliability).',
    '`npm run reliability` writes this page. Each check prints its seed, and `--seed` repeats it.',
    '',
    '## Results',
    '',
    '| test | load or fault | promised | measured | command |',
    '| --- | --- | --- | --- | --- |',
    ...results.flatMap(({ rows }) => rows.map(row)),
    '',
    '## What the figures do not show',
    '',
    limits,
    '',
  ];
  for (const { name, title, at, commit, machine, notes, charts } of results) {
    lines.push(`## ${title}`, '', `Recorded ${at.slice(0, 10)} at commit \`${commit}\` on ${machine}.`, '');
    for (const note of notes) lines.push(note, '');
    for (const [index, chart] of charts.entries()) lines.push(`![${chart.title}](${fileOf(name, index)})`, '');
  }
  lines.push('## What was found and fixed', '', found, '');
  return lines.join('\n');
}

function row({ test, fault, promised, measured, met, command }) {
  const cells = [test, fault, promised, met ? measured : `${measured} **missed**`, `\`${command}\``];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
}

function fileOf(name, index) {
  return `reliability/${name}-${index + 1}.svg`;
}

/** Returns the position of results in the page. A name that belongs to no check is at the end. */
function position(name) {
  const index = checks.findIndex((check) => name === check.name || name.startsWith(`${check.name}-`));
  return index < 0 ? checks.length : index;
}
