#!/usr/bin/env node
// The command `postern`. It is checked in, so that it works in a fresh checkout. It builds dist/ if that is missing or older
// than the sources.
import './node-version.js';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** An installed package has no sources. */
const isCheckout = existsSync(`${root}src`);

if (isCheckout) {
  const changedMs = lastChange();
  const isOld = (output) => !(timeOf(`dist/.stamps/${output}`) > changedMs);
  const names = ['service', 'viewer', 'console', 'kit'].filter(isOld);
  const builder = ['--import', 'tsx', 'scripts/build.ts'];
  if ((names.length > 0 || isOld('graphiql')) && !['rolldown', 'tsx'].every(isInstalled)) {
    process.stderr.write('postern: not built, and the bundler is not installed. Run `npm ci` first.\n');
    process.exit(1);
  }
  if (names.length > 0) {
    // The build runs in its own process, so that its memory is freed. Its output goes to standard error, because standard output belongs to
    // the command.
    const { status } = spawnSync(process.execPath, [...builder, ...names], { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) process.exit(status ?? 1);
  }
  // GraphiQL takes longer to build than all others together, so the service does not wait for it. Its page does (api/pages/built-files.ts).
  if (isOld('graphiql')) {
    spawn(process.execPath, [...builder, 'graphiql'], { cwd: root, stdio: 'ignore', detached: true }).unref();
  }
}

/** Returns the time of the last change of an input of the build. The build itself then compares the inputs of each output. */
function lastChange() {
  const inFolder = (folder) => readdirSync(root + folder, { recursive: true }).map((path) => `${folder}/${path}`);
  const files = ['node_modules/.package-lock.json', 'package.json', 'tsconfig.kit.json', 'src', 'scripts/build'];
  return Math.max(...[...files, ...inFolder('src'), ...inFolder('scripts/build')].map((path) => timeOf(path) ?? 0));
}

function timeOf(path) {
  return statSync(root + path, { throwIfNoEntry: false })?.mtimeMs;
}

function isInstalled(name) {
  return existsSync(`${root}node_modules/${name}`);
}

// Node 22.8 and newer cache compiled code, which makes later starts faster. The cache is beside the code, because other users can write to
// the default folder, which is that of temporary files.
nodeModule.enableCompileCache?.(fileURLToPath(new URL('../dist/.compile-cache', import.meta.url)));
await import('../dist/service/postern.js');
