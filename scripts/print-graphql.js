#!/usr/bin/env node
// Prints schema/schema.graphql from the schema in dist/.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { printSchema } from 'graphql';
import { schema } from '../dist/graphql/schema/schema.js';

const help = `Usage: node scripts/print-graphql.js [--check | --stdout]

Writes schema/schema.graphql, the description of the GraphQL API, from the schema in dist/ (run \`npm run print\`, which
builds first).

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

const file = new URL('../schema/schema.graphql', import.meta.url);
const text = `${printSchema(schema)}\n`;
if (values.stdout) {
  process.stdout.write(text);
} else if (!values.check) {
  writeFileSync(file, text);
} else if (read(file) !== text) {
  process.stderr.write('schema/schema.graphql is out of date: run `npm run print`.\n');
  process.exit(1);
}

function read(url) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return '';
  }
}
