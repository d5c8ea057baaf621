import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { MongoClient } from 'mongodb';

/** An available MongoDB server: one that is already running, or a program that can be started. */
export type FoundMongo =
  | { kind: 'running'; url: string }
  | { kind: 'mongod'; program: string }
  | { kind: 'secantus'; program: string };

export interface MongoServer {
  /** Returns the URL of a database on the server. */
  url(database: string): string;
  readonly port: number;
  readonly pid: number;
  /** Sends SIGKILL and resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGSTOP: connections stay open, but nothing responds. */
  pause(): void;
  resume(): void;
  /** Starts the server again with the same port and data, and resolves when it responds. */
  restart(): Promise<void>;
  /** Stops the server and deletes its data. */
  stop(): Promise<void>;
}

export interface MongoOptions {
  /** Stores the data on disk, so that it survives `kill`. */
  durable?: boolean;
  /** The folder for the data, such as one on a small disk. The default is a new folder for temporary files. */
  parent?: string;
  /** Additional environment variables of the program. */
  env?: Record<string, string>;
  /** Additional arguments of the program. */
  args?: readonly string[];
}

/**
 * Returns the first available server: `MONGODB_URL`, `mongod`, or `secantusd-py` (`.ci/requirements.txt`). Returns `null` if there is none.
 */
export function findMongo(): FoundMongo | null {
  const url = process.env['MONGODB_URL'];
  if (url) return { kind: 'running', url };
  const mongod = findProgram('mongod');
  if (mongod) return { kind: 'mongod', program: mongod };
  const secantus = findProgram('secantusd-py');
  return secantus ? { kind: 'secantus', program: secantus } : null;
}

export const noMongo =
  'skipped: no MongoDB here. Set MONGODB_URL, install mongod, or: python3 -m venv .venv && ' +
  '.venv/bin/pip install -r .ci/requirements.txt';

/** Programs that this process has started. They end when this process ends for any reason. */
const running = new Set<ChildProcess>();
const directories = new Set<string>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const directory of directories) rmSync(directory, { recursive: true, force: true });
});

/** Starts a server on a free port of loopback. A server that was already running is used as it is and cannot be stopped. */
export async function startMongo(found: FoundMongo, options: MongoOptions = {}): Promise<MongoServer> {
  if (found.kind === 'running') return runningServer(found.url);
  const directory = mkdtempSync(join(options.parent ?? tmpdir(), 'postern-mongo-'));
  directories.add(directory);
  const port = await freePort();
  let child = await launch(found, port, directory, options);
  const kill = async () => {
    if (!running.has(child)) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url: (database) => `mongodb://127.0.0.1:${port}/${database}`,
    port,
    get pid() {
      return child.pid ?? 0;
    },
    kill,
    pause: () => {
      child.kill('SIGSTOP');
      waitUntilStopped(child.pid ?? 0);
    },
    resume: () => void child.kill('SIGCONT'),
    async restart() {
      await kill();
      child = await launch(found, port, directory, options);
    },
    async stop() {
      await kill();
      directories.delete(directory);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

async function launch(
  found: Exclude<FoundMongo, { kind: 'running' }>,
  port: number,
  directory: string,
  { durable = false, args = [], env = {} }: MongoOptions,
): Promise<ChildProcess> {
  const data = join(directory, 'data');
  mkdirSync(data, { recursive: true });
  const own =
    found.kind === 'mongod'
      ? ['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--dbpath', data]
      : [
          // Without `--sync-on-commit`, it would lose writes that it acknowledged with `w: majority, j: true` when it is killed.
          ...(durable ? ['--storage-path', data, '--sync-on-commit'] : ['--storage-path', ':memory:']),
          '--cache-size',
          '256M',
          '--log-level',
          'ERROR',
        ];
  const child = spawn(found.program, ['--port', String(port), ...own, ...args], {
    env: { ...process.env, TMPDIR: directory, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.add(child);
  let complaint = '';
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-2_000);
  });
  const watchdog = guard(child, directory);
  child.once('exit', () => {
    running.delete(child);
    watchdog.kill('SIGKILL');
  });
  child.once('error', (error) => {
    complaint = String(error);
    running.delete(child);
  });
  await answers(port, found.kind === 'mongod', () => {
    if (!running.has(child)) throw new Error(`${found.program} ended: ${complaint}`);
  });
  return child;
}

/** Ends the program and deletes its data if this process ends without running its exit handlers. */
function guard({ pid }: ChildProcess, directory: string): ChildProcess {
  const watchdog = spawn('/bin/sh', ['-c', 'read -r _; kill -9 "$0"; sleep 1; rm -rf "$1"', String(pid), directory], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  watchdog.unref();
  return watchdog;
}

async function answers(port: number, initiate: boolean, check: () => void): Promise<void> {
  const deadline = performance.now() + 600_000;
  for (;;) {
    check();
    const client = new MongoClient(`mongodb://127.0.0.1:${port}/?directConnection=true`, {
      serverSelectionTimeoutMS: 1_000,
    });
    try {
      const admin = client.db('admin');
      const hello = await admin.command({ hello: 1 });
      if (!initiate || hello['isWritablePrimary']) return;
      const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
      if (!hello['setName']) await admin.command({ replSetInitiate: { _id: 'rs0', members } });
    } catch (error) {
      if (performance.now() > deadline) throw error;
    } finally {
      await client.close();
    }
    await sleep(50);
  }
}

export function runningServer(address: string): MongoServer {
  const refuse = () => {
    throw new Error('the server of MONGODB_URL is not this test’s to stop');
  };
  return {
    // `new URL` is not used, because it does not support lists of hosts.
    url: (database) => address.replace(/^(mongodb(?:\+srv)?:\/\/[^/?]+)(?:\/[^?]*)?/, `$1/${database}`),
    port: 0,
    pid: 0,
    kill: refuse,
    pause: refuse,
    resume: refuse,
    restart: refuse,
    stop: async () => undefined,
  };
}

/** The signal takes effect after a short delay, in which another request may be answered. */
function waitUntilStopped(pid: number): void {
  const isStopped = () => / T /.test(readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/\(.*\)/, ''));
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; process.platform === 'linux' && waited < 1_000 && !isStopped(); waited++) {
    Atomics.wait(pause, 0, 0, 1);
  }
}

function findProgram(name: string): string | null {
  const virtual = fileURLToPath(new URL('../../.venv/bin', import.meta.url));
  for (const folder of [...(process.env['PATH'] ?? '').split(delimiter), virtual]) {
    if (folder === '') continue;
    try {
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // The program may be in another folder.
    }
  }
  return null;
}
