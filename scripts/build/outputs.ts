import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The installed packages. npm writes this file at the end of each installation. */
const packages = 'node_modules/.package-lock.json';

const pageScripts = (name: string) => [`scripts/build/${name}.ts`, 'scripts/build/pages.ts'];

interface Output {
  about: string;
  /** Files and folders. The output is built again if one of them changes. */
  inputs: string[];
  /** A file that exists after the build. */
  result: string;
  /** Loads the bundler, so it is called only if the output must be built. */
  make: () => Promise<void>;
}

/** The outputs in dist/. scripts/postern.js has the names of those that the command needs. */
export const outputs: Record<string, Output> = {
  service: {
    about: 'dist/service: the service and the commands, bundled with the packages that they use',
    inputs: ['src', packages, 'package.json', 'scripts/build/service.ts', 'scripts/build/undici.ts'],
    result: 'dist/service/postern.js',
    make: async () => (await import('./service.ts')).buildService(),
  },
  viewer: {
    about: 'dist/viewer: the viewer of /docs',
    inputs: [packages, ...pageScripts('viewer')],
    result: 'dist/viewer/reference.js',
    make: async () => (await import('./viewer.ts')).copyViewer(),
  },
  graphiql: {
    about: 'dist/graphiql: GraphiQL with its editor, compressed',
    inputs: ['src/api/pages', packages, ...pageScripts('graphiql')],
    result: 'dist/graphiql/manifest.json',
    make: async () => (await import('./graphiql.ts')).buildGraphiql(),
  },
  console: {
    about: 'dist/console: the program and the style sheet of /console, compressed',
    inputs: ['src/console', 'src/shared/rich-text', 'src/api/pages', packages, ...pageScripts('console')],
    result: 'dist/console/manifest.json',
    make: async () => (await import('./console.ts')).buildConsole(),
  },
  kit: {
    about: 'dist/client: the package postern-client, which postern/client and postern/webhooks export',
    inputs: ['src/client', packages, 'package.json', 'scripts/build/kit.ts', 'tsconfig.kit.json'],
    result: 'dist/client/package.json',
    make: async () => (await import('./kit.ts')).buildKit(),
  },
  modules: {
    about: 'dist/*: each module of src/ as JavaScript, for worker threads of tests and the attacked service',
    inputs: ['src', packages, 'scripts/build/modules.ts'],
    result: 'dist/main/serve.js',
    make: async () => (await import('./modules.ts')).buildModules(),
  },
};

/**
 * Builds the named outputs, except those that are current. The time of a stamp is that of the last comparison with the inputs, because
 * scripts/postern.js compares only times.
 */
export async function build(names: string[]): Promise<void> {
  for (const name of names) {
    const output = outputs[name];
    if (!output) throw new Error(`There is no output ${name}: ${Object.keys(outputs).join(', ')}`);
    // Both are determined before the build, so that a change during the build causes another build.
    const now = new Date();
    const fingerprint = fingerprintOf(output);
    const stamp = join(root, 'dist', '.stamps', name);
    const isCurrent =
      existsSync(join(root, output.result)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint;
    if (!isCurrent) {
      await output.make();
      mkdirSync(dirname(stamp), { recursive: true });
      writeFileSync(stamp, fingerprint);
    }
    utimesSync(stamp, now, now);
  }
}

/** Returns a digest of the names, sizes and times of all inputs. */
function fingerprintOf({ inputs }: Output): string {
  const hash = createHash('sha256');
  for (const input of inputs) {
    if (!input.startsWith('src')) hash.update(stateOf(input));
    // Outputs share the sources, so their state is read once.
    sources ??= readdirSync(join(root, 'src'), { encoding: 'utf8', recursive: true }).map((path) =>
      stateOf(join('src', path)),
    );
    for (const state of sources) if (state.startsWith(`${input}/`)) hash.update(state);
  }
  return hash.digest('hex');
}

let sources: string[] | undefined;

function stateOf(path: string): string {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  return `${path.replaceAll('\\', '/')}\0${found?.size}\0${found?.mtimeMs}\n`;
}
