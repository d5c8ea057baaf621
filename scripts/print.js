#!/usr/bin/env node
// Generates the files in schema/ and the generated parts of documents from the code in dist/.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { printSchema } from 'graphql';
import { stringify } from 'yaml';
import { actions, streams } from '../dist/actions/registry.js';
import { schema } from '../dist/api/graphql/schema/schema.js';
import { asyncApiDocument } from '../dist/api/rest/openapi/async-api.js';
import { clientSource, errorTableSource } from '../dist/api/rest/openapi/client-source.js';
import { openApiDocument } from '../dist/api/rest/openapi/document.js';
import { errorReference } from '../dist/api/rest/openapi/error-reference.js';
import { eventsSchema, eventTypesSource } from '../dist/api/rest/openapi/events.js';
import { contractDocument } from '../dist/sandbox/contract/document.js';
import { cliTables } from './cli-tables.js';
import { endpointTable } from './endpoint-tables.js';
import { exampleResults } from './example-results.js';
import { moduleTables } from './module-tables.js';
import { performAll } from './openapi/performed.js';
import { platformTables } from './platform-tables.js';
import { shapeTable } from './shape-tables.js';
import { toolTable } from './tool-table.js';

const calls = [...actions, ...streams];
const openApi = JSON.parse(JSON.stringify(openApiDocument(calls, await performAll(calls))));
const results = await exampleResults();
const shapes = (page) => shapeTable(openApi, page);
const documents = {
  'schema/openapi.json': () => `${JSON.stringify(openApi, null, 2)}\n`,
  'schema/events.json': () => `${JSON.stringify(eventsSchema(), null, 2)}\n`,
  'schema/asyncapi.yaml': () => stringify(asyncApiDocument(), { aliasDuplicateObjects: false }),
  'src/client/webhooks/events.ts': () => eventTypesSource(),
  'src/client/endpoints.ts': () => clientSource(calls),
  'src/client/error-table.ts': () => errorTableSource(),
  'src/api/demo/example-results.json': () => `${JSON.stringify(results, null, 2)}\n`,
  'schema/platform.openapi.json': () => `${JSON.stringify(contractDocument(), null, 2)}\n`,
  'schema/schema.graphql': () => `${printSchema(schema)}\n`,
  'docs/errors.md': () => errorReference(),
  'docs/rest.md': () => withSections('docs/rest.md', { endpoints: endpointTable(openApi), shapes: shapes('shapes') }),
  'docs/direct-messages.md': () =>
    withSections('docs/direct-messages.md', { 'message-shapes': shapes('message-shapes') }),
  'docs/webhooks.md': () => withSections('docs/webhooks.md', { 'webhook-shapes': shapes('webhook-shapes') }),
  'docs/cli.md': () => withSections('docs/cli.md', cliTables()),
  'ARCHITECTURE.md': () => withSections('ARCHITECTURE.md', { modules: moduleTables() }),
  'docs/agents.md': () => withSections('docs/agents.md', { tools: toolTable() }),
  'docs/platforms.md': () => withSections('docs/platforms.md', platformTables()),
};

const help = `Usage: node scripts/print.js [--check]

Writes the files that derive from the code: schema/openapi.json, schema/platform.openapi.json, schema/events.json, schema/asyncapi.yaml
and schema/schema.graphql, the types of src/client/webhooks/events.ts, the files
src/client/endpoints.ts and src/client/error-table.ts, the results of src/api/demo/example-results.json, docs/errors.md and the printed tables of the other pages in docs/.
It reads the code in dist/ (run \`npm run print\`, which builds first). The examples of openapi.json are the answers of a service that runs for a moment in
this process.

  --check   write nothing; exit 1 if a file differs from what would be written
  --help    this text
`;

const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } });
if (values.help) {
  process.stdout.write(help);
  process.exit(0);
}

for (const [name, print] of Object.entries(documents)) {
  const file = new URL(`../${name}`, import.meta.url);
  const text = print();
  if (!values.check) writeFileSync(file, text);
  else if (read(file) !== text) {
    const difference = firstDifference(read(file), text);
    process.stderr.write(`${name} is out of date: ${difference}\nRun \`npm run print\`.\n`);
    process.exitCode = 1;
  }
}

/** Replaces each text between the comments `printed: name` and `end: name` of a document. */
function withSections(file, sections) {
  let document = read(new URL(`../${file}`, import.meta.url));
  for (const [name, text] of Object.entries(sections)) {
    const start = `<!-- printed: ${name} -->\n`;
    const end = `<!-- end: ${name} -->`;
    const from = document.indexOf(start);
    const to = document.indexOf(end);
    if (from < 0 || to < from)
      throw new Error(`${file} has no section for ${name}: put ${start.trim()} and ${end} around its place`);
    document = `${document.slice(0, from)}${start}${text}${document.slice(to)}`;
  }
  return document;
}

function read(url) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return '';
  }
}

/** Returns the first line that differs. */
function firstDifference(old, fresh) {
  const oldLines = old.split('\n');
  const freshLines = fresh.split('\n');
  const at = freshLines.findIndex((line, i) => line !== oldLines[i]);
  return `line ${at + 1} is\n  ${oldLines[at] ?? '(missing)'}\nand would be\n  ${freshLines[at] ?? '(missing)'}`;
}
