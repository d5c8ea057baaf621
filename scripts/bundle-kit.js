#!/usr/bin/env node
// Bundles src/client/webhooks, and the packages that it imports, into dist/client/webhooks/index.js. Fails if an import is left,
// such as a module of Node.
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

if (process.argv.includes('--help')) {
  process.stdout.write(
    'Usage: node scripts/bundle-kit.js\n\nBundles src/client/webhooks into dist/client/webhooks, with the packages that it imports.\n',
  );
  process.exit(0);
}

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const target = join(root, 'dist', 'client', 'webhooks');

const bundle = await rolldown({
  input: join(root, 'src', 'client', 'webhooks', 'index.ts'),
  platform: 'neutral',
  cwd: root,
});
const options = { file: join(target, 'index.js'), comments: { jsdoc: false } };
const [chunk] = (await bundle.generate(options)).output;
const imports = [...chunk.imports, ...chunk.dynamicImports];
if (imports.length > 0) throw new Error(`postern/webhooks must run everywhere, but imports ${imports.join(', ')}`);
await bundle.write(options);
await bundle.close();
copyFileSync(join(root, 'node_modules', '@noble', 'hashes', 'LICENSE'), join(target, 'LICENSE-noble-hashes'));
