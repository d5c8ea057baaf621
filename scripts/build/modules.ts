import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './outputs.ts';

const source = join(root, 'src');
const target = join(root, 'dist');

/** Strips the types of each module of src/ into dist/. Type checking is `npm run typecheck`. */
export async function buildModules(): Promise<void> {
  // These have bundles of their own.
  const others = [`client${sep}`, `console${sep}`];
  const files = readdirSync(source, { encoding: 'utf8', recursive: true }).filter(
    (path) => !others.some((other) => path.startsWith(other)),
  );
  const modules = files.filter((path) => path.endsWith('.ts'));
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(modules.map((path) => [path.slice(0, -'.ts'.length), join(source, path)])),
    platform: 'node',
    // Packages are external, and so is the kit.
    external: (id) => !/^[./]/.test(id),
    treeshake: false,
  });
  await bundle.write({ dir: target, preserveModules: true, preserveModulesRoot: source, sourcemap: true });
  await bundle.close();
  // Copies files that modules read at run time. JSON files are imported, so they are part of the modules.
  const assets = files.filter((path) => /\.(?:css|js|html|mp4)$/.test(path));
  for (const path of assets) {
    mkdirSync(dirname(join(target, path)), { recursive: true });
    copyFileSync(join(source, path), join(target, path));
  }
}
