#!/usr/bin/env node
// The command `postern`. It is a checked-in file, so that `npx postern` works in a fresh checkout: what it runs is
// built into dist/ when that is missing or older than the sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src');
const stamp = join(root, 'dist', '.tsbuildinfo');
const entry = join(root, 'dist', 'cli', 'main.js');

/** An installed package has no sources; a checkout is built when a source is newer than the last build. */
function isBuilt() {
  if (!existsSync(source)) return true;
  if (!existsSync(entry) || !existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  return readdirSync(source, { recursive: true }).every((name) => statSync(join(source, name)).mtimeMs <= builtAt);
}

if (!isBuilt()) {
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(compiler)) {
    process.stderr.write('postern: not built, and the compiler is not installed. Run `npm ci` first.\n');
    process.exit(1);
  }
  // Standard output belongs to the command's own answer.
  const build = spawnSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], {
    stdio: ['ignore', 2, 2],
  });
  if (build.status !== 0) process.exit(build.status ?? 1);
  await import('./copy-assets.js');
}

await import(entry);
