#!/usr/bin/env node
// The command `postern`. It is checked in, so that `npx postern` works in a fresh checkout. It builds dist/ if that is missing or older
// than the sources.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { fileURLToPath } from 'node:url';

/** An installed package has no sources. */
const isCheckout = existsSync(new URL('../src/', import.meta.url));

if (isCheckout) {
  const { isCurrent, root } = await import('./build/outputs.js');
  const names = ['service', 'viewer', 'console', 'kit'].filter((name) => !isCurrent(name));
  const isGraphiqlCurrent = isCurrent('graphiql');
  const script = fileURLToPath(new URL('build.js', import.meta.url));
  if (names.length > 0 || !isGraphiqlCurrent) {
    if (!existsSync(new URL('../node_modules/rolldown/', import.meta.url))) {
      process.stderr.write('postern: not built, and the bundler is not installed. Run `npm ci` first.\n');
      process.exit(1);
    }
  }
  if (names.length > 0) {
    // The build runs in its own process, so that its memory is freed. Its output goes to standard error, because standard output belongs to
    // the command.
    const { status } = spawnSync(process.execPath, [script, ...names], { cwd: root, stdio: ['ignore', 2, 2] });
    if (status !== 0) process.exit(status ?? 1);
  }
  // GraphiQL takes longer to build than all others together, so the service does not wait for it. Its page does (api/pages/built-files.ts).
  if (!isGraphiqlCurrent) {
    spawn(process.execPath, [script, 'graphiql'], { cwd: root, stdio: 'ignore', detached: true }).unref();
  }
}

// Node 22.8 and newer cache compiled code, which makes later starts faster. The cache is beside the code, because other users can write to
// the default folder, which is that of temporary files.
nodeModule.enableCompileCache?.(fileURLToPath(new URL('../dist/.compile-cache', import.meta.url)));
await import('../dist/service/postern.js');
