import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const scripts = fileURLToPath(new URL('../../scripts', import.meta.url));

function render(
  results: Record<string, unknown>,
  texts: { limits?: string; found?: string } = {},
): { page: string; files: string[]; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'postern-reliability-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = `
    import { record } from ${JSON.stringify(join(scripts, 'reliability/report.js'))};
    for (const [name, result] of Object.entries(${JSON.stringify(results)})) record(name, result, ${JSON.stringify(folder)});
  `;
  execFileSync(process.execPath, ['--input-type=module', '--eval', program]);
  mkdirSync(join(folder, 'reliability'), { recursive: true });
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, `reliability/${name}.md`), text);
  execFileSync(process.execPath, [join(scripts, 'reliability.js'), '--docs', folder]);
  return {
    folder,
    page: readFileSync(join(folder, 'reliability.md'), 'utf8'),
    files: readdirSync(join(folder, 'reliability')).sort(),
  };
}

const row = {
  test: 'calls',
  fault: 'none',
  promised: '0 errors',
  measured: '0 of 12',
  met: true,
  command: 'npm run soak',
};

test('the page has the rows, notes and curves of all results in the order of the checks, their limits, and what was found', () => {
  const lines = {
    title: 'Memory',
    unit: 'MiB',
    x: 'keys',
    log: ['x'],
    series: [
      {
        name: 'gateway',
        points: [
          [10, 1.23456],
          [1_000, 2],
        ],
      },
    ],
  };
  const bars = { title: 'Start', unit: 'ms', categories: ['cold'], series: [{ name: 'gateway', values: [468.31] }] };
  const { page, files, folder } = render(
    {
      'kills-sqlite': { title: 'Kills on SQLite', rows: [{ ...row, test: 'kills', measured: '1 lost', met: false }] },
      soak: { title: 'Soak', notes: ['A note.'], rows: [row], charts: [lines, bars] },
    },
    { limits: '- One machine.\n', found: '- A fault, fixed.\n' },
  );
  const cells = page.split('\n').filter((line) => line.startsWith('| '));
  expect(cells.slice(2)).toEqual([
    '| calls | none | 0 errors | 0 of 12 | `npm run soak` |',
    '| kills | none | 0 errors | 1 lost **missed** | `npm run soak` |',
  ]);
  const headings = page.split('\n').filter((line) => line.startsWith('## '));
  expect(headings).toEqual([
    '## Results',
    '## What the figures do not show',
    '## Soak',
    '## Kills on SQLite',
    '## What was found and fixed',
  ]);
  expect(page).toContain('\nA note.\n');
  expect(page).toContain('![Memory](reliability/soak-1.svg)');
  expect(page).toContain('\n- One machine.\n');
  expect(page).toContain('\n- A fault, fixed.\n');
  expect(files).toEqual(['found.md', 'kills-sqlite.json', 'limits.md', 'soak-1.svg', 'soak-2.svg', 'soak.json']);
  expect(readFileSync(join(folder, 'reliability/soak-1.svg'), 'utf8')).toContain('Memory (MiB)');
  const recorded = JSON.parse(readFileSync(join(folder, 'reliability/soak.json'), 'utf8')) as typeof lines & {
    commit: string;
    charts: (typeof lines)[];
  };
  expect(recorded.commit).toMatch(/^\w+(-dirty)?$/);
  expect(recorded.charts[0]?.series[0]?.points).toEqual([
    [10, 1.235],
    [1_000, 2],
  ]);
});

test('a page without results says so', () => {
  const { page, files } = render({});
  expect(page).toContain('Nothing so far.');
  expect(files).toEqual([]);
});
