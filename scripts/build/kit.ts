import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { licences } from './licences.ts';
import { root } from './outputs.ts';

const source = join(root, 'src', 'client');
const target = join(root, 'dist', 'client');

/**
 * Builds the package postern-client in dist/client: the client and the webhook kit, bundled with the packages that they import, with type
 * declarations beside them. The package `postern` exports the same files. Fails if an import is left, such as a module of Node.
 */
export async function buildKit(): Promise<void> {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.kit.json')], { stdio: ['ignore', 2, 2] });
  const output = [await bundle('index'), await bundle('webhooks/index')];
  writeFileSync(join(target, 'LICENSES.txt'), licences(output));
  writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
  copyFileSync(join(source, 'README.md'), join(target, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
}

/** Bundles one entry and returns its chunk. */
async function bundle(name: string) {
  const build = await rolldown({ input: join(source, `${name}.ts`), platform: 'neutral', cwd: root });
  const options = { file: join(target, `${name}.js`), comments: { jsdoc: false } };
  const [chunk] = (await build.generate(options)).output;
  const imports = [...chunk.imports, ...chunk.dynamicImports];
  if (imports.length > 0) throw new Error(`client/${name} must run everywhere, but imports ${imports.join(', ')}`);
  await build.write(options);
  await build.close();
  return chunk;
}

function manifest() {
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entry = (name: string) => ({ types: `./${name}.d.ts`, default: `./${name}.js` });
  return {
    name: 'postern-client',
    version,
    description: 'The client of Postern, and the kit for receivers of its webhooks.',
    license,
    type: 'module',
    sideEffects: false,
    exports: { '.': entry('index'), './webhooks': entry('webhooks/index'), './package.json': './package.json' },
    files: ['index.js', '*.d.ts', 'webhooks/index.js', 'webhooks/*.d.ts', 'LICENSES.txt'],
  };
}
