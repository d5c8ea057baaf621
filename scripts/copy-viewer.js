#!/usr/bin/env node
// Copies the viewer of /docs into dist/viewer/. Its package brings many others along that its one bundled file does not
// need, so it is a development dependency, and what is published carries the file.
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes('--help')) {
  process.stdout.write('Usage: node scripts/copy-viewer.js\n\nCopies the viewer of /docs into dist/viewer/.\n');
  process.exit(0);
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'node_modules', 'openapi-explorer');
const target = join(root, 'dist', 'viewer');
mkdirSync(target, { recursive: true });
copyFileSync(join(source, 'dist', 'browser', 'openapi-explorer.min.js'), join(target, 'openapi-explorer.min.js'));
copyFileSync(join(source, 'LICENSE'), join(target, 'LICENSE'));
