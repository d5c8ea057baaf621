import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, realpathSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoClient } from 'mongodb';
import { temporaryFolder } from './processes.ts';

const project = join(import.meta.dirname, '..', '..');

/**
 * Returns an available MongoDB server: that of MONGODB_URL, or a `mongod` or a `secantusd-py` that it starts on loopback with its own data.
 * Returns `null` if there is none. `callers` is the number of concurrent requests that the server can answer in time. `stop` stops a server
 * that was started.
 */
export interface FoundServer {
  url: string;
  what: string;
  callers: number;
  isSecantus?: boolean;
  stop: () => Promise<void>;
}

export async function findServer(): Promise<FoundServer | null> {
  const url = process.env['MONGODB_URL'];
  if (url) return { url, what: 'the server of MONGODB_URL', callers: 200, stop: async () => {} };
  const mongod = onPath('mongod');
  if (mongod) return startMongod(mongod);
  const secantus = onPath('secantusd-py') ?? executable(join(project, '.venv', 'bin', 'secantusd-py'));
  return secantus ? startSecantus(secantus) : null;
}

async function startMongod(command: string): Promise<FoundServer> {
  const folder = temporaryFolder();
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = ['--replSet', 'rs0', '--bind_ip', '127.0.0.1', '--port', `${port}`, '--dbpath', folder, '--quiet'];
  const stop = startServer(command, args, folder);
  const members = [{ _id: 0, host: address }];
  await whenReady(address, stop, (admin) => admin.command({ replSetInitiate: { _id: 'rs0', members } }));
  return {
    url: `mongodb://${address}/?replicaSet=rs0`,
    what: 'a mongod of its own, a replica set of one',
    callers: 200,
    stop,
  };
}

async function startSecantus(command: string): Promise<FoundServer> {
  const folder = temporaryFolder();
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const options = ['--host', '127.0.0.1', '--port', `${port}`, '--storage-path', ':memory:', '--log-level', 'ERROR'];
  const python = executable(join(dirname(realpathSync(command)), 'python3'));
  const stop = python
    ? startServer(python, [join(import.meta.dirname, 'secantusd.py'), ...options], folder)
    : startServer(command, options, folder);
  await whenReady(address, stop);
  return {
    url: `mongodb://${address}/?directConnection=true`,
    what: 'SecantusDB in memory, which speaks MongoDB’s protocol and is slower than MongoDB',
    // More concurrent requests would only be refused, because they would exceed the ledger's limit of five seconds.
    callers: 32,
    isSecantus: true,
    stop,
  };
}

/** Starts a server that stores all its files in `folder`. Returns a function that stops it. */
function startServer(command: string, args: string[], folder: string): () => Promise<void> {
  const environment = { PATH: process.env['PATH'], HOME: folder, TMPDIR: folder };
  const child = spawn(command, args, { cwd: folder, env: environment, stdio: 'ignore' });
  const ended = once(child, 'exit').catch(() => {});
  const kill = () => child.kill('SIGKILL');
  // The server must stop before the folder is deleted.
  process.prependOnceListener('exit', kill);
  // If this process is killed, no other process would end the server.
  const words = ['-c', 'read -r _; kill -9 "$0"; rm -rf "$1"', `${child.pid}`, folder];
  const watchdog = spawn('/bin/sh', words, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watchdog.unref();
  return async () => {
    watchdog.kill('SIGKILL');
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      const late = setTimeout(kill, 5_000);
      await ended;
      clearTimeout(late);
    }
    process.off('exit', kill);
  };
}

async function whenReady(
  address: string,
  stop: () => Promise<void>,
  initiate: (admin: Db) => Promise<unknown> = async () => {},
): Promise<void> {
  const url = `mongodb://${address}/?directConnection=true`;
  const until = performance.now() + 30_000;
  for (;;) {
    // A client whose first connection failed does not retry.
    const client = new MongoClient(url, { serverSelectionTimeoutMS: 1_000 });
    let fault: unknown = new Error(`the server at ${address} did not become a primary in 30 s`);
    try {
      const admin = client.db('admin');
      const hello = await admin.command({ hello: 1 });
      if (hello.isWritablePrimary && hello.setName) return;
      if (!hello.setName) await initiate(admin);
    } catch (error) {
      fault = error;
    } finally {
      await client.close();
    }
    if (performance.now() > until) {
      await stop();
      throw fault;
    }
    await sleep(100);
  }
}

/** Returns the URL with another database. The original database may be the authentication database. */
export function withDatabase(url: string, database: string): string {
  const [, server, path, query] = /^(mongodb(?:\+srv)?:\/\/[^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(url) ?? [];
  if (server === undefined) throw new Error('MONGODB_URL is not a valid MongoDB URL');
  const options = query ? [query] : [];
  if (path && server.includes('@') && !/authSource=/i.test(query ?? '')) options.push(`authSource=${path}`);
  return `${server}/${database}${options.length > 0 ? `?${options.join('&')}` : ''}`;
}

/** Returns the URL with longer time limits of the driver, unless it has its own. A server on a busy machine may need them. */
export function withPatience(url: string): string {
  const [address, query = ''] = url.split('?');
  const limits = ['connectTimeoutMS', 'serverSelectionTimeoutMS'].filter(
    (name) => !new RegExp(`\\b${name}=`, 'i').test(query),
  );
  return `${address}?${[...(query ? [query] : []), ...limits.map((name) => `${name}=30000`)].join('&')}`;
}

function onPath(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = folder && executable(join(folder, name));
    if (found) return found;
  }
  return undefined;
}

function executable(path: string): string | undefined {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
