import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './outputs.ts';
import { bundleForBrowser, PageFiles } from './pages.ts';

const source = join(root, 'src', 'api', 'pages');
const packages = join(root, 'node_modules');

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
  const collectStyles = (id: string) => {
    styles.add(id);
    return { code: '', moduleType: 'js', moduleSideEffects: false };
  };
  const transform = { define: { 'process.env.NODE_ENV': '"production"' } };
  const { chunks: main, entry: script } = await bundleForBrowser({
    input: { graphiql: join(source, 'graphiql.js') },
    plugins: [{ name: 'style-sheets', load: { filter: { id: /\.css$/ }, handler: collectStyles } }],
    transform,
  });
  const output = [...main];
  const names: Record<string, string> = {};
  for (const [label, file] of Object.entries(workers)) {
    const { chunks, entry } = await bundleForBrowser({ input: { [label]: join(packages, file) }, transform });
    names[label] = entry;
    output.push(...chunks);
  }
  const files = new PageFiles(output);
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
      const icons = readFileSync(join(path, '..', font));
      return `url(${files.add('icons', 'ttf', icons)})`;
    });
  });
  files.write('graphiql', { script, style: files.add('graphiql', 'css', style.join('\n')), workers: names });
}
