#!/usr/bin/env node
// Copies into dist/ what the compiler leaves: the sandbox's video, and into dist/viewer/ the viewer of /docs and GraphiQL.
// Their packages bring many others along that the bundled files do not need, so they are development dependencies, and what
// is published carries the files.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes('--help')) {
  process.stdout.write(
    "Usage: node scripts/copy-assets.js\n\nCopies the sandbox's video, the viewer of /docs and GraphiQL into dist/.\n",
  );
  process.exit(0);
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = join(root, 'node_modules');
const target = join(root, 'dist', 'viewer');

const video = join('sandbox', 'media', 'clip.mp4');
mkdirSync(dirname(join(root, 'dist', video)), { recursive: true });
copyFileSync(join(root, 'src', video), join(root, 'dist', video));

const explorer = join(packages, 'openapi-explorer');
mkdirSync(target, { recursive: true });
copyFileSync(join(explorer, 'dist', 'browser', 'openapi-explorer.min.js'), join(target, 'openapi-explorer.min.js'));
copyFileSync(join(explorer, 'LICENSE'), join(target, 'LICENSE'));

// Its package holds the files as strings, made to be written into one page; a strict Content-Security-Policy wants files.
const graphiql = await import('@graphql-yoga/render-graphiql/graphiql');
const graphiqlFiles = {
  'graphiql.js': graphiql.js,
  'graphiql.css': graphiql.css,
  'editorWorkerService.worker.js': graphiql.editorWorkerService,
  'graphql.worker.js': graphiql.graphqlWorker,
  'json.worker.js': graphiql.jsonWorker,
};
mkdirSync(join(target, 'graphiql'), { recursive: true });
for (const [name, content] of Object.entries(graphiqlFiles)) writeFileSync(join(target, 'graphiql', name), content);
copyFileSync(join(packages, '@graphql-yoga', 'render-graphiql', 'LICENSE'), join(target, 'graphiql', 'LICENSE'));
