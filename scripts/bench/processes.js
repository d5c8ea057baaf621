import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { usageOf } from './process-tree.js';

const scripts = dirname(dirname(fileURLToPath(import.meta.url)));
const running = new Set();
const folders = new Set();
/** The number of characters of the output that are kept for the message of a process that does not start. */
const longestOutput = 10_000;
const maxStarts = 5;
// A failed benchmark must not leave running processes or folders.
process.once('exit', () => {
  for (const child of running) child.kill();
  // A process that writes into a folder may still be ending, so the deletion is retried.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** Creates a folder that is deleted when the benchmark ends. */
export function temporaryFolder(parent = tmpdir()) {
  const folder = mkdtempSync(join(parent, 'postern-bench-'));
  folders.add(folder);
  return folder;
}

/** Starts a script of this repository and waits until it prints its URL. */
export function start(script, args, env = {}) {
  const child = spawn(process.execPath, [join(scripts, script), ...args], {
    // A benchmark with many callers measures throughput, so none of them is refused to keep response times short.
    env: {
      PATH: process.env.PATH,
      LOG_LEVEL: 'info',
      MAX_REQUESTS_IN_FLIGHT: '100000',
      MAX_CONCURRENT_REQUESTS: '0',
      ...env,
    },
    // The log of every request would cost this process time, so only errors are read.
    stdio: ['ignore', 'pipe', env.LOG_LEVEL === 'error' ? 'pipe' : 'ignore'],
  });
  running.add(child);
  return new Promise((resolve, reject) => {
    let output = '';
    child.stderr?.on('data', (chunk) => {
      if (output.length < longestOutput) output += chunk;
    });
    child.once('exit', (code) => {
      running.delete(child);
      reject(new Error(`${script} ended with ${code}: ${output}`));
    });
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /listening on (http:\S+)/.exec(output);
      if (found) resolve({ url: found[1], child });
    });
  });
}

/** Starts a gateway, up to five times as a service manager does, because a busy database may exceed the time limit of the start. */
export async function startGateway(settings) {
  for (let tries = 1; ; tries++) {
    try {
      return await start('postern.js', ['serve'], settings);
    } catch (error) {
      if (!settings.MONGODB_URL || tries === maxStarts) throw error;
    }
  }
}

/** Returns the processor seconds of a process that `start` has started, with all its threads and children (Linux only). */
export function processorSeconds({ child }) {
  return usageOf(child.pid).cpuSeconds;
}

/** Creates an account with enough credit for a benchmark, and a key. */
export function makeRichAccount(dataDir, credits = '100000') {
  const run = (...args) => {
    const command = [join(scripts, 'postern.js'), ...args, '--json'];
    const { stdout } = spawnSync(process.execPath, command, { env: { ...process.env, DATA_DIR: dataDir } });
    return JSON.parse(stdout);
  };
  const { id: account } = run('account', 'create', '--name', 'Bench', '--credits', credits);
  return { account, key: run('key', 'create', '--account', account).key };
}

/** Ends a process that `start` has started. */
export function stop({ child }, signal = 'SIGTERM') {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill(signal);
  });
}

/** Ends all processes that `start` has started. */
export async function stopAll() {
  await Promise.all([...running].map((child) => stop({ child })));
}
