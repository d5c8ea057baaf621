import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve as resolvePath } from 'node:path';
import { rolldown } from 'rolldown';
import { AccountAdmin } from '../../src/billing/account-admin.ts';
import { openStore } from '../../src/main/open-store.ts';
import { readConfig } from '../../src/shared/config/config.ts';
import { systemRuntime } from '../../src/shared/runtime/runtime.ts';
import { readDemo } from '../../test/support/demo.ts';

export type Settings = Record<string, string | undefined>;

/** A program that `start` has started. */
export interface Started {
  url: string;
  child: ChildProcess;
}

const scripts = join(import.meta.dirname, '..');
const running = new Set<ChildProcess>();
const folders = new Set<string>();
const programs = new Map<string, Promise<string>>();
/** The maximum length of the output that the error of a failed start quotes. */
const longestOutput = 10_000;
// A failed benchmark must not leave running processes or folders.
process.once('exit', () => {
  for (const child of running) child.kill();
  // A process that writes into a folder may still be ending, so the deletion is retried.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
});

/** Creates a folder that is deleted when the benchmark ends. */
export function temporaryFolder(parent = tmpdir()): string {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, 'postern-bench-'));
  folders.add(folder);
  return folder;
}

/**
 * Returns the path of a script as JavaScript. TypeScript is bundled, because a loader in a measured process would take time and memory. The
 * bundle is in the checkout, because it imports its packages.
 */
export function programOf(script: string): Promise<string> {
  if (script.endsWith('.js')) return Promise.resolve(resolvePath(scripts, script));
  const program = programs.get(script) ?? bundle(script);
  programs.set(script, program);
  return program;
}

async function bundle(script: string): Promise<string> {
  const file = join(temporaryFolder(join(scripts, '..', 'dist')), `${basename(script, '.ts')}.js`);
  const made = await rolldown({ input: join(scripts, script), platform: 'node', external: /^[^./]/ });
  await made.write({ file });
  await made.close();
  return file;
}

/**
 * Starts a script, named by its path below scripts/, and waits until it prints its URL. Its log is appended to the file `log`. `ipc` opens
 * an IPC channel.
 */
export async function start(
  script: string,
  args: string[],
  env: Settings = {},
  { execArgv = [], ipc = false, log }: { execArgv?: string[]; ipc?: boolean; log?: string } = {},
): Promise<Started> {
  const logFile = log === undefined ? undefined : openSync(log, 'a');
  const child = spawn(process.execPath, [...execArgv, await programOf(script), ...args], {
    // A benchmark with many callers measures throughput, so none of them is refused to keep response times short.
    env: {
      PATH: process.env['PATH'],
      LOG_LEVEL: 'info',
      MAX_REQUESTS_IN_FLIGHT: '100000',
      MAX_CONCURRENT_REQUESTS: '0',
      ...env,
    },
    // The log of every request would cost this process time, so only errors are read.
    stdio: [
      'ignore',
      'pipe',
      logFile ?? (env['LOG_LEVEL'] === 'error' ? 'pipe' : 'ignore'),
      ...(ipc ? (['ipc'] as const) : []),
    ],
  });
  if (logFile !== undefined) closeSync(logFile);
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
    child.stdout?.on('data', (chunk) => {
      output += chunk;
      const url = /listening on (http:\S+)/.exec(output)?.[1];
      if (url) resolve({ url, child });
    });
  });
}

/** Starts a sandbox on a free port, without the activity simulator. */
export function startSandbox(settings: Settings = {}): Promise<Started> {
  const env = { DATA_DIR: temporaryFolder(), SANDBOX_PORT: '0', SANDBOX_ACTIVITY: '0', ...settings };
  return start('postern.js', ['sandbox'], env);
}

/** Starts a sandbox and a gateway. `headers` has the key of an account with enough credit for a benchmark, and the token of ada. */
export async function startGateway(settings: Settings = {}) {
  const dataDir = temporaryFolder();
  const sandbox = await startSandbox(settings);
  const own = { DATA_DIR: dataDir, PORT: '0', PLATFORM_URL: sandbox.url, PLATFORM_KIND: 'sandbox' };
  const gateway = await start('postern.js', ['serve'], { ...own, ...settings });
  const [key = ''] = await makeKeys(dataDir, [100_000]);
  const { accounts } = readDemo(dataDir);
  const headers = { authorization: `Bearer ${key}`, 'x-auth-token': accounts[0].authToken };
  return { sandbox, gateway, headers, dataDir };
}

/** Creates an account for each entry of `dollars`, also while a gateway uses the store. Returns a key of each account. */
export async function makeKeys(dataDir: string, dollars: readonly number[]): Promise<string[]> {
  const store = await openStore(readConfig({ DATA_DIR: dataDir }), systemRuntime);
  const admin = new AccountAdmin(store, systemRuntime);
  const keys: string[] = [];
  for (const credit of dollars) {
    const account = await admin.createAccount('Bench', credit * 1_000_000);
    keys.push((await admin.createKey(account, 'Bench')).key.expose());
  }
  await store.close();
  return keys;
}

/** The clock ticks per second of the times in /proc (USER_HZ). It is 100 on all architectures that Node supports. */
const ticksPerSecond = 100;

/** Returns the processor seconds of all threads of a process (Linux only). */
export function processorSeconds({ child }: Pick<Started, 'child'>): number {
  const stat = readFileSync(`/proc/${pidOf(child)}/stat`, 'utf8');
  // The second field is the name in parentheses, which may contain spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/** Returns the resident memory of a process (Linux only), or 0 if the process has ended. */
export function mebibytes({ child }: Pick<Started, 'child'>): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pidOf(child)}/status`, 'utf8'))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

export function pidOf({ pid }: { pid?: number | undefined }): number {
  if (pid === undefined) throw new Error('a process did not start');
  return pid;
}

/** Ends a process that `start` has started. */
export async function stop({ child }: Pick<Started, 'child'>, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise((resolve) => {
    child.once('exit', resolve);
    child.kill(signal);
  });
}

/** Ends all processes that `start` has started. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map((child) => stop({ child })));
}
