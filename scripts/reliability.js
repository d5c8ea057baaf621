#!/usr/bin/env node
// Writes docs/reliability.md from the recorded results of the checks of endurance, or runs these checks.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { readArguments } from './bench/frame.js';
import { checks } from './reliability/checks.js';
import { renderReport } from './reliability/report.js';

const values = readArguments(
  `npm run reliability -- [--run] [--long] [--record] [--only NAME]

Writes docs/reliability.md and its charts from docs/reliability/*.json and the texts in docs/reliability.

  --run     first runs the checks for a short time, one after the other; exits with 1 if one of them fails
  --long    runs them at full length, which takes hours, on a machine that has nothing else to do
  --record  records their results, which replace the earlier ones
  --only    ${checks.map(({ name }) => name).join(', ')}; may be repeated
  --docs    the folder with reliability.md (default: docs)`,
  {
    run: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true },
    docs: { type: 'string' },
  },
);

if (values.run) runChecks();
renderReport(values.docs);

function runChecks() {
  const failed = [];
  for (const { name, title, script, long } of checks) {
    if (values.only && !values.only.includes(name)) continue;
    for (const chosen of values.long ? long : [[]]) {
      const args = [...chosen, ...(values.record ? ['--record'] : [])];
      process.stdout.write(`\n${title} (node scripts/${script} ${args.join(' ')})\n`);
      const path = join(import.meta.dirname, script);
      const { status } = spawnSync(process.execPath, [path, ...args], { stdio: 'inherit' });
      if (status !== 0) failed.push(name);
    }
  }
  if (failed.length === 0) return;
  process.stderr.write(`reliability: these failed: ${failed.join(', ')}\n`);
  process.exitCode = 1;
}
