import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './outputs.ts';
import { bundleForBrowser, PageFiles } from './pages.ts';

const source = join(root, 'src', 'console');
const richText = join(root, 'src', 'shared', 'rich-text');

/**
 * Bundles src/console into dist/console. The name of each file contains the hash of its content, and each file is also written as brotli
 * and gzip. `manifest.json` has the names of all files, of the program and of the style sheet.
 */
export async function buildConsole(): Promise<void> {
  const { chunks, entry: script } = await bundleForBrowser({
    input: { console: join(source, 'main.tsx') },
    tsconfig: join(source, 'tsconfig.json'),
  });
  const foreign = chunks
    .flatMap((chunk) => chunk.moduleIds)
    .find((id) => !id.startsWith(source) && !id.startsWith(richText) && !/\/node_modules\/|^\0/.test(id));
  if (foreign !== undefined) throw new Error(`src/console may import types and shared/rich-text, but not ${foreign}`);
  const files = new PageFiles(chunks);
  files.write('console', { script, style: files.add('console', 'css', styleSheet()) });
}

/** Returns the style sheet: colors.css, that of the charts, and the files of src/console in the order of their paths. */
function styleSheet(): string {
  const own = readdirSync(source, { encoding: 'utf8', recursive: true })
    .filter((path) => path.endsWith('.css'))
    .sort()
    .map((path) => join(source, path));
  const charts = join(root, 'node_modules', 'uplot', 'dist', 'uPlot.min.css');
  return [join(root, 'src', 'api', 'pages', 'colors.css'), charts, ...own]
    .map((path) => readFileSync(path, 'utf8').replace(/\/\*[\s\S]*?\*\/\n?/g, ''))
    .join('\n');
}
