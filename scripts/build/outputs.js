import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The installed packages. npm writes this file at the end of each installation. */
const packages = 'node_modules/.package-lock.json';

/**
 * The outputs in dist/. `inputs` are files and folders; an output is built again if one of them changes. `result` is a file that exists
 * after the build. `make` loads the bundler only if the output must be built.
 */
export const outputs = {
  service: {
    about: 'dist/service: the service and the commands, bundled with the packages that they use',
    inputs: ['src', packages, 'scripts/build/service.js', 'scripts/build/undici.js'],
    result: 'dist/service/postern.js',
    make: async () => (await import('./service.js')).buildService(),
  },
  viewer: {
    about: 'dist/viewer: the viewer of /docs',
    inputs: [packages, 'scripts/build/viewer.js', 'scripts/build/compressed.js'],
    result: 'dist/viewer/reference.js',
    make: async () => (await import('./viewer.js')).copyViewer(),
  },
  graphiql: {
    about: 'dist/graphiql: GraphiQL with its editor, compressed',
    inputs: ['src/api/pages', packages, 'scripts/build/graphiql.js', 'scripts/build/compressed.js'],
    result: 'dist/graphiql/manifest.json',
    make: async () => (await import('./graphiql.js')).buildGraphiql(),
  },
  console: {
    about: 'dist/console: the program and the style sheet of /console, compressed',
    inputs: [
      'src/console',
      'src/shared/rich-text',
      'src/api/pages',
      packages,
      'scripts/build/console.js',
      'scripts/build/compressed.js',
    ],
    result: 'dist/console/manifest.json',
    make: async () => (await import('./console.js')).buildConsole(),
  },
  kit: {
    about: 'dist/client: the package postern-client, which postern/client and postern/webhooks export',
    inputs: ['src/client', packages, 'package.json', 'scripts/build/kit.js', 'tsconfig.kit.json'],
    result: 'dist/client/package.json',
    make: async () => (await import('./kit.js')).buildKit(),
  },
  modules: {
    about: 'dist/*: each module of src/ as JavaScript, for scripts/ and tests',
    inputs: ['src', packages, 'scripts/build/modules.js'],
    result: 'dist/main/serve.js',
    make: async () => (await import('./modules.js')).buildModules(),
  },
};

/** Builds the named outputs, except those that are current. */
export async function build(names) {
  for (const name of names) {
    if (isCurrent(name)) continue;
    // The fingerprint is computed before the build, so that a change during the build causes another build.
    const fingerprint = fingerprintOf(name);
    await outputs[name].make();
    const path = stampOf(name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, fingerprint);
  }
}

export function isCurrent(name) {
  if (!existsSync(join(root, outputs[name].result)) || !existsSync(stampOf(name))) return false;
  return readFileSync(stampOf(name), 'utf8') === fingerprintOf(name);
}

function stampOf(name) {
  return join(root, 'dist', '.stamps', name);
}

/** Returns a digest of the names, sizes and times of all inputs. */
function fingerprintOf(name) {
  const hash = createHash('sha256');
  for (const input of outputs[name].inputs) {
    if (!input.startsWith('src')) hash.update(stateOf(input));
    // Outputs share the sources, so their state is read once.
    sources ??= readdirSync(join(root, 'src'), { recursive: true }).map((path) => stateOf(join('src', path)));
    for (const state of sources) if (state.startsWith(`${input}/`)) hash.update(state);
  }
  return hash.digest('hex');
}

let sources;

function stateOf(path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  return `${path.replaceAll('\\', '/')}\0${found?.size}\0${found?.mtimeMs}\n`;
}
