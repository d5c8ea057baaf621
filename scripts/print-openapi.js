#!/usr/bin/env node
// Prints schema/openapi.json from the actions in dist/.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { actions } from '../dist/core/actions/registry.js';
import { openApiDocument } from '../dist/rest/openapi/document.js';
import { performAll } from './openapi-performed.js';

const help = `Usage: node scripts/print-openapi.js [--check | --stdout]

Writes schema/openapi.json, the description of the REST API. It is made of the actions in dist/ (run \`npm run print\`,
which builds first); its examples are the answers of a service that runs for a moment in this process.

  --check   write nothing; exit 1 if the file differs from what would be written
  --stdout  write to standard output instead
  --help    this text
`;

const { values } = parseArgs({
  options: { check: { type: 'boolean' }, stdout: { type: 'boolean' }, help: { type: 'boolean' } },
});
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

const file = new URL('../schema/openapi.json', import.meta.url);
const text = `${JSON.stringify(openApiDocument(actions, await performAll(actions)), null, 2)}\n`;
if (values.stdout) {
  process.stdout.write(text);
} else if (!values.check) {
  writeFileSync(file, text);
} else if (read(file) !== text) {
  process.stderr.write(
    `schema/openapi.json is out of date: ${firstDifference(read(file), text)}\nRun \`npm run print\`.\n`,
  );
  process.exit(1);
}

function read(url) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return '';
  }
}

/** The first line that differs, for people. */
function firstDifference(old, fresh) {
  const oldLines = old.split('\n');
  const freshLines = fresh.split('\n');
  const at = freshLines.findIndex((line, i) => line !== oldLines[i]);
  return `line ${at + 1} is\n  ${oldLines[at] ?? '(missing)'}\nand would be\n  ${freshLines[at] ?? '(missing)'}`;
}
