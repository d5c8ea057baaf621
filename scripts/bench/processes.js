import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const scripts = dirname(dirname(fileURLToPath(import.meta.url)));
const running = new Set();
// A bench that fails must leave nothing running.
process.once('exit', () => {
  for (const child of running) child.kill();
});

/** A folder that goes when the bench ends. */
export function temporaryFolder(parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'postern-bench-'));
  // Whoever writes in it may be ending just now.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

/** Starts one of our scripts and waits until it prints where it listens. */
export function start(script, args, env = {}) {
  const child = spawn(process.execPath, [join(scripts, script), ...args], {
    env: { PATH: process.env.PATH, LOG_LEVEL: 'info', ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  running.add(child);
  return new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}: ${output}`)));
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /listening on (http:\S+)/.exec(output);
      if (found) resolve({ url: found[1], child });
    });
  });
}

/** Ends what `start` has started. */
export function stop({ child }) {
  running.delete(child);
  return new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill('SIGTERM');
  });
}

export async function stopAll() {
  await Promise.all([...running].map((child) => stop({ child })));
}
