// Starts the sandbox and the measured service, each as a child process, and watches the service.
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programOf } from '../processes.ts';

const children = new Set();
process.once('exit', () => {
  for (const child of children) child.kill('SIGKILL');
});

function temporaryFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'postern-hostile-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }));
  return folder;
}

/** Starts a command of the checkout and waits until it prints its URL. */
async function start(checkout, command, env, execArgv = []) {
  const folder = temporaryFolder();
  const logPath = join(folder, 'log');
  const log = openSync(logPath, 'a');
  const child = fork(join(checkout, 'dist', 'cli', 'main.js'), [command], {
    env: { PATH: process.env.PATH, NODE_ENV: 'production', DATA_DIR: folder, ...env },
    execArgv,
    stdio: ['ignore', 'pipe', log, 'ipc'],
  });
  closeSync(log);
  children.add(child);
  child.once('exit', () => children.delete(child));
  const url = await new Promise((resolve, reject) => {
    let output = '';
    child.once('exit', () =>
      reject(new Error(`${command} did not start: ${readFileSync(logPath, 'utf8').slice(-2_000)}`)),
    );
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const found = /listening on (http:\S+)/.exec(output)?.[1];
      if (found) resolve(found);
    });
  });
  return { child, url, folder, logPath };
}

export async function startSandbox(checkout) {
  return start(checkout, 'sandbox', { SANDBOX_PORT: '0', SANDBOX_ACTIVITY: '0' });
}

/** The attacked service in its own folder, with three accounts: the attacker's, one without credit, and one that must not be affected. */
export class Service {
  #waiting = new Map();
  #nextId = 0;

  static async start(checkout, platform) {
    const env = {
      PORT: '0',
      RATE_LIMIT: '0',
      FAILED_CALL_RATE_LIMIT: '0',
      OUTBOUND_ALLOW: '127.0.0.0/8',
      ALLOW_LOCALHOST_WEBHOOKS: '1',
      ...platform,
    };
    const parts = await start(checkout, 'serve', env, [
      '--expose-gc',
      '--import',
      await programOf('bench/hostile/probe.ts'),
    ]);
    const keyOf = (credits) => {
      const cli = (...args) =>
        JSON.parse(
          execFileSync(process.execPath, [join(checkout, 'dist', 'cli', 'main.js'), ...args, '--json'], {
            env: { PATH: process.env.PATH, DATA_DIR: parts.folder },
          }),
        );
      const { id } = cli('account', 'create', '--name', 'bench', '--credits', credits);
      return cli('key', 'create', '--account', id).key;
    };
    const keys = { rich: keyOf('1000'), poor: keyOf('0'), other: keyOf('1000') };
    return new Service({ ...parts, keys, platform });
  }

  constructor({ child, url, folder, logPath, keys, platform }) {
    this.child = child;
    this.folder = folder;
    this.platform = platform;
    this.url = url;
    this.keys = keys;
    const demo = join(folder, 'demo.json');
    this.demo = existsSync(demo) ? JSON.parse(readFileSync(demo, 'utf8')) : null;
    this.logPath = logPath;
    /** The reason why the service can no longer be used. */
    this.ended = null;
    child.on('message', ({ id, ...figures }) => this.#waiting.get(id)?.resolve(figures));
    child.once('exit', (code, signal) => {
      this.ended ??= `the service died (${signal ?? `exit ${code}`})`;
      for (const { reject } of this.#waiting.values()) reject(new Error(this.ended));
    });
  }

  /** The size of the service's folder in MiB. */
  get diskMiB() {
    const sizes = readdirSync(this.folder, { recursive: true }).map(
      (name) => statSync(join(this.folder, name), { throwIfNoEntry: false })?.size ?? 0,
    );
    return sizes.reduce((sum, size) => sum + size, 0) / 1024 / 1024;
  }

  /** Begins a new measurement. */
  reset() {
    return this.#ask('reset');
  }

  /** Returns the measurements since the last reset. */
  read() {
    return this.#ask('read');
  }

  async #ask(verb) {
    if (this.ended) throw new Error(this.ended);
    const id = this.#nextId++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.child.send({ id, verb }, () => {});
    return answer.finally(() => this.#waiting.delete(id));
  }

  /** Kills the service if it exceeds a limit. Returns a function that ends the watch. */
  watch({ seconds, mebibytes }) {
    const endsAt = Date.now() + seconds * 1_000;
    const watching = setInterval(() => {
      if (Date.now() > endsAt) this.kill(`stopped by the watchdog after ${seconds} s`);
      if (residentMiB(this.child.pid) > mebibytes) this.kill(`stopped by the watchdog at ${mebibytes} MiB`);
    }, 100);
    return () => clearInterval(watching);
  }

  kill(reason) {
    if (this.ended) return;
    this.ended = reason;
    this.child.kill('SIGKILL');
  }

  async stop() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const gone = once(this.child, 'exit');
    this.kill('ended');
    await gone;
  }
}

/** Returns 0 if there is no /proc. */
function residentMiB(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
