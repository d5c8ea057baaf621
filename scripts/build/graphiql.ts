import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { writeCompressed } from './compressed.ts';
import { chunksOf, licences } from './licences.ts';
import { root } from './outputs.ts';

const source = join(root, 'src', 'api', 'pages');
const packages = join(root, 'node_modules');
const target = join(root, 'dist', 'graphiql');

/** The programs of Monaco's worker threads, by the label under which it asks for them. */
const workers = {
  editor: 'monaco-editor/esm/vs/editor/editor.worker.js',
  graphql: 'monaco-graphql/esm/graphql.worker.js',
  json: 'monaco-editor/esm/vs/language/json/json.worker.js',
};

/**
 * Bundles GraphiQL with its editor and its workers into dist/graphiql, like the console (console.ts). Parts that are not needed at first
 * are files of their own. The fonts of GraphiQL are left out; they would be a third of the page.
 */
export async function buildGraphiql(): Promise<void> {
  const styles = new Set<string>();
  const { chunks: main, entry: script } = await bundle({ graphiql: join(source, 'graphiql.js') }, [
    {
      name: 'style-sheets',
      load: {
        filter: { id: /\.css$/ },
        handler: (id) => {
          styles.add(id);
          return { code: '', moduleType: 'js', moduleSideEffects: false };
        },
      },
    },
  ]);
  const output = [...main];
  const names: Record<string, string> = {};
  for (const [label, file] of Object.entries(workers)) {
    const { chunks, entry } = await bundle({ [label]: join(packages, file) });
    names[label] = entry;
    output.push(...chunks);
  }
  const files = new Map<string, string | Buffer>(output.map((chunk) => [chunk.fileName, chunk.code]));
  const add = (name: string, type: string, content: string | Buffer) => {
    const hashed = `${name}-${createHash('sha256').update(content).digest('base64url').slice(0, 8)}.${type}`;
    files.set(hashed, content);
    return hashed;
  };
  const ofGraphiql = ['@graphiql/react/dist/style.css', '@graphiql/plugin-doc-explorer/dist/style.css'];
  const more = [...ofGraphiql, '@graphiql/plugin-history/dist/style.css', 'graphiql/dist/graphiql.css'];
  const sheets = [
    ...[...styles].filter((id) => id.includes('/monaco-editor/')).sort(),
    ...more.map((path) => join(packages, path)),
    join(source, 'colors.css'),
    join(source, 'graphiql.css'),
  ];
  const style = sheets.map((path) => {
    const text = readFileSync(path, 'utf8')
      .replace(/\/\*[\s\S]*?\*\//g, '')
      .replace(/\n\s*/g, '\n');
    return text.replace(/url\(["']?([^"')]+\.ttf)["']?\)/g, (_all, font: string) => {
      const file = join(path, '..', font);
      return `url(${add('icons', 'ttf', readFileSync(file))})`;
    });
  });
  const styleName = add('graphiql', 'css', style.join('\n'));

  const made = `${target}-${process.pid}`;
  mkdirSync(made, { recursive: true });
  for (const [name, content] of files) writeCompressed(join(made, name), content);
  writeFileSync(join(made, 'LICENSES.txt'), licences(output));
  const manifest = { script, style: styleName, workers: names, files: [...files.keys()] };
  writeFileSync(join(made, 'manifest.json'), JSON.stringify(manifest, null, 2));
  replaceFolder(target, made);
}

/** Replaces a folder. Another process may do the same at the same time. */
function replaceFolder(folder: string, by: string): void {
  rmSync(folder, { recursive: true, force: true });
  try {
    renameSync(by, folder);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error) || !['ENOTEMPTY', 'EEXIST'].includes(String(error.code)))
      throw error;
    rmSync(by, { recursive: true });
  }
}

async function bundle(input: Record<string, string>, plugins: Plugin[] = []) {
  const made = await rolldown({
    cwd: root,
    input,
    platform: 'browser',
    plugins,
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    // Directives such as "use client" mean nothing here.
    onLog: (level, log, handle) => {
      if (log.code === 'UNRESOLVED_IMPORT') handle('error', log);
      else if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
    },
  });
  const name = '[name]-[hash].js';
  const options = {
    format: 'esm' as const,
    minify: true,
    comments: { legal: false },
    entryFileNames: name,
    chunkFileNames: name,
  };
  const { output } = await made.generate(options);
  await made.close();
  return chunksOf(output);
}
