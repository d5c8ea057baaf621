import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { writeCompressed } from './compressed.ts';
import { chunksOf, licences } from './licences.ts';
import { root } from './outputs.ts';

const source = join(root, 'src', 'console');
const richText = join(root, 'src', 'shared', 'rich-text');
const target = join(root, 'dist', 'console');
const packages = join(root, 'node_modules');

/**
 * Bundles src/console into dist/console. The name of each file contains the hash of its content, and each file is also written as brotli
 * and gzip. `manifest.json` has the names of all files, of the program and of the style sheet.
 */
export async function buildConsole(): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { console: join(source, 'main.tsx') },
    platform: 'browser',
    tsconfig: join(source, 'tsconfig.json'),
    onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
  });
  const { output } = await bundle.generate({
    format: 'esm',
    minify: true,
    comments: { legal: false },
    entryFileNames: '[name]-[hash].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  const { chunks, entry: script } = chunksOf(output);
  const foreign = chunks
    .flatMap((chunk) => chunk.moduleIds)
    .find((id) => !id.startsWith(source) && !id.startsWith(richText) && !/\/node_modules\/|^\0/.test(id));
  if (foreign !== undefined) throw new Error(`src/console may import types and shared/rich-text, but not ${foreign}`);
  const files = new Map(chunks.map((chunk) => [chunk.fileName, chunk.code]));
  const style = styleSheet();
  const styleName = `console-${createHash('sha256').update(style).digest('base64url').slice(0, 8)}.css`;
  files.set(styleName, style);

  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const [name, content] of files) writeCompressed(join(target, name), content);
  writeFileSync(join(target, 'LICENSES.txt'), licences(output));
  writeFileSync(
    join(target, 'manifest.json'),
    JSON.stringify({ script, style: styleName, files: [...files.keys()] }, null, 2),
  );
}

/** Returns the style sheet: colors.css, that of the charts, and the files of src/console in the order of their paths. */
function styleSheet(): string {
  const own = readdirSync(source, { encoding: 'utf8', recursive: true })
    .filter((path) => path.endsWith('.css'))
    .sort()
    .map((path) => join(source, path));
  return [join(root, 'src', 'api', 'pages', 'colors.css'), join(packages, 'uplot', 'dist', 'uPlot.min.css'), ...own]
    .map((path) => readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/\n?/g, ''))
    .join('\n');
}
