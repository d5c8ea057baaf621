// Runs the plugins with the core of GraphQL Code Generator, because its CLI cannot be installed everywhere.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { codegen } from '@graphql-codegen/core';
import * as typedDocumentNode from '@graphql-codegen/typed-document-node';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildSchema, parse } from 'graphql';

const sdl = readFileSync(process.env['GRAPHQL_SCHEMA'] ?? '', 'utf8');
const schema = buildSchema(sdl);
const document = parse(readFileSync(new URL('operations.graphql', import.meta.url), 'utf8'));
const text = await codegen({
  filename: 'generated/graphql.ts',
  schema: parse(sdl),
  schemaAst: schema,
  documents: [{ location: 'operations.graphql', document }],
  config: { useTypeImports: true },
  plugins: [{ typescriptOperations: {} }, { typedDocumentNode: {} }],
  pluginMap: { typescriptOperations, typedDocumentNode },
});
mkdirSync('generated', { recursive: true });
writeFileSync('generated/graphql.ts', text);
