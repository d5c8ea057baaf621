import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type PluginContext, rolldown } from 'rolldown';
import { licences } from './licences.ts';
import { root } from './outputs.ts';

const source = join(root, 'src');
const target = join(root, 'dist', 'service');
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * The `dependencies` of package.json are not bundled: native code, packages that load files by their path, and the MongoDB driver, which is
 * large and optional. Bundled packages are `devDependencies`.
 */
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const external = [/^node:/, new RegExp(`^(${Object.keys(dependencies).join('|')})(/|$)`)];

/** Matches `new URL('./worker.js', import.meta.url)`, the URL of a file next to the module. */
const fileUrl = /new URL\('(\.[^']+)', import\.meta\.url\)/g;

type Emitter = Pick<PluginContext, 'emitFile'>;

/** Bundles the service into dist/service. Type checking is `npm run typecheck`. */
export async function buildService(): Promise<void> {
  const bundle = await rolldown({
    cwd: root,
    input: { postern: 'src/cli/main.ts' },
    platform: 'node',
    external,
    // Rolldown would keep an unresolved import, which would fail only at run time.
    onLog: (level, log, handle) => handle(log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log),
    resolve: { alias: { undici$: join(root, 'scripts', 'build', 'undici.ts') } },
    plugins: [
      { name: 'file-urls', transform: { filter: { id: /\/src\/.*\.ts$/, code: fileUrl }, handler: moveFileUrls } },
    ],
  });
  const { output } = await bundle.generate({
    format: 'esm',
    // Comments are removed, because they are a quarter of the code that each start must read.
    comments: { jsdoc: false, annotation: false, legal: false },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  mkdirSync(target, { recursive: true });
  const previous = timeOf('postern.js');
  const now = new Date();
  const contents = output.map(
    (file) => [file.fileName, file.type === 'chunk' ? asAscii(file.code) : file.source] as const,
  );
  for (const [name, content] of [...contents, ['LICENSES.txt', licences(output)]]) write(name, content, now);
  removeOld(now, previous);
}

/**
 * Rewrites relative file URLs, because modules move to dist/service. A module that runs in a worker thread becomes an entry of the bundle.
 * Other files of src/ are copied to dist/service. URLs of files outside src/ become relative to dist/service.
 */
function moveFileUrls(this: Emitter, code: string, id: string): string {
  return code.replace(fileUrl, (_all, path: string) => {
    const file = join(dirname(id), path);
    // `relative` removes the slash at the end, which a URL of a folder needs.
    const moved = file.startsWith(source)
      ? emit(this, file)
      : `${relative(target, file)}${file.endsWith('/') ? '/' : ''}`;
    return `new URL('${moved}', import.meta.url)`;
  });
}

function emit(context: Emitter, file: string): string {
  const fileName = relative(source, file).replaceAll('/', '-');
  if (file.endsWith('.js') && !existsSync(file))
    context.emitFile({ type: 'chunk', id: file.replace(/js$/, 'ts'), fileName });
  else context.emitFile({ type: 'asset', source: readFileSync(file), fileName });
  return `./${fileName}`;
}

/** Escapes characters outside of Latin-1, because V8 stores source text with two bytes per character if it contains any of them. */
function asAscii(code: string): string {
  if (/\\[^\0-\x7f]/.test(code))
    throw new Error('an escaped character is not ASCII: it cannot be written as an escape');
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Replaces a file atomically, because a process may be starting from the files of the previous build. */
function write(name: string, content: string | Uint8Array, now: Date): void {
  const path = join(target, name);
  writeFileSync(`${path}.new`, content);
  utimesSync(`${path}.new`, now, now);
  renameSync(`${path}.new`, path);
}

/**
 * Keeps replaced files for a day, because running services may still load parts of them. All files of a build have the same modification
 * time. Files of the build before this one get the current time, when their day begins.
 */
function removeOld(now: Date, previous: number | undefined): void {
  const current = timeOf('postern.js');
  for (const name of readdirSync(target)) {
    const time = timeOf(name);
    if (time === current) continue;
    if (time === previous) utimesSync(join(target, name), now, new Date(now.getTime() - 1));
    else if (time !== undefined && time < now.getTime() - dayMs) unlinkSync(join(target, name));
  }
}

function timeOf(name: string): number | undefined {
  return statSync(join(target, name), { throwIfNoEntry: false })?.mtimeMs;
}
