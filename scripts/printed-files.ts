import { readFileSync } from 'node:fs';
import { printSchema } from 'graphql';
import { stringify } from 'yaml';
import { actions, streams } from '../src/actions/registry.ts';
import { schema } from '../src/api/graphql/schema/schema.ts';
import { cliTables } from './cli-tables.ts';
import { endpointTable } from './endpoint-tables.ts';
import { exampleResults } from './example-results.ts';
import { asyncApiDocument } from './openapi/async-api.ts';
import { clientSource, errorTableSource } from './openapi/client-source.ts';
import { contractDocument } from './openapi/contract.ts';
import { openApiDocument } from './openapi/document.ts';
import { errorReference } from './openapi/error-reference.ts';
import { eventsSchema, eventTypesSource } from './openapi/events.ts';
import { performAll } from './openapi/performed.ts';
import { platformTables } from './platform-tables.ts';
import { type Page, shapeTable } from './shape-tables.ts';
import { moduleTables, toolTable } from './tables.ts';

const calls = [...actions, ...streams];
const openApi = JSON.parse(JSON.stringify(openApiDocument(calls, await performAll(calls))));
const results = await exampleResults();
const shapes = (page: Page) => shapeTable(openApi, page);
/** The text of each printed file by its name. The examples of openapi.json are real responses of a service in this process. */
export const printedFiles: Readonly<Record<string, () => string>> = {
  'schema/openapi.json': () => `${JSON.stringify(openApi, null, 2)}\n`,
  'schema/events.json': () => `${JSON.stringify(eventsSchema(), null, 2)}\n`,
  'schema/asyncapi.yaml': () => stringify(asyncApiDocument(), { aliasDuplicateObjects: false }),
  'src/client/webhooks/events.ts': () => eventTypesSource(),
  'src/client/endpoints.ts': () => clientSource(calls),
  'src/client/error-table.ts': () => errorTableSource(),
  'src/api/demo/example-results.json': () => `${JSON.stringify(results, null, 2)}\n`,
  'schema/sandbox.openapi.json': () => `${JSON.stringify(contractDocument(), null, 2)}\n`,
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

/** Replaces each text between the comments `printed: name` and `end: name` of a document. */
function withSections(file: string, sections: Record<string, string>): string {
  let document = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
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
