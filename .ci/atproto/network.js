#!/usr/bin/env node
// Runs the AT Protocol's own server software on this machine: a PLC directory, a PDS and an AppView, with PostgreSQL and Redis,
// and a Jetstream of its own (jetstream.js).
// Prints one line of JSON with the addresses when all servers are ready. Stops the servers and deletes their data when standard input
// closes or on SIGTERM. All servers listen on 127.0.0.1 only.
//
//   node .ci/atproto/network.js [--rate-limits]
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const readyMs = 60_000;
const folder = mkdtempSync(join(tmpdir(), 'postern-atproto-'));
const children = [];
let network;
let jetstream;
let ending;

function end(code) {
  ending ??= (async () => {
    await Promise.race([jetstream?.close().catch(() => {}), sleep(5_000)]);
    await Promise.race([network?.close().catch(() => {}), sleep(5_000)]);
    for (const child of children) child.kill('SIGINT');
    await Promise.race([Promise.all(children.map((child) => child.ended)), sleep(5_000)]);
    for (const child of children) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    process.exit(code);
  })();
}

process.stdin.resume().on('end', () => end(0));
process.on('SIGTERM', () => end(0));
process.on('SIGINT', () => end(0));
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`);
  end(1);
});

/** The servers of the package listen on all interfaces by default. */
const { listen } = net.Server.prototype;
net.Server.prototype.listen = function listenOnLoopback(port, ...rest) {
  if (typeof port === 'number' && typeof rest[0] !== 'string') return listen.call(this, port, '127.0.0.1', ...rest);
  return listen.call(this, port, ...rest);
};

function start(program, args, options) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  child.ended = new Promise((resolve) => child.once('exit', resolve));
  child.once('exit', (code) => {
    if (!ending) throw new Error(`${program} ended with ${code}`);
  });
  children.push(child);
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = net.createServer().on('error', reject);
    server.listen(0, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function accepts(port) {
  const deadline = Date.now() + readyMs;
  while (Date.now() < deadline) {
    const open = await new Promise((resolve) => {
      const socket = net.connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (open) return;
    await sleep(20);
  }
  throw new Error(`nothing listens on port ${port} after ${readyMs} ms`);
}

/** Returns the folder with the programs of the newest installed PostgreSQL. Debian does not add them to the PATH. */
function postgresPrograms() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  if (versions.length === 0) throw new Error('PostgreSQL is not installed: apt-get install postgresql redis-server');
  return join(root, versions[0], 'bin');
}

async function startPostgres() {
  const programs = postgresPrograms();
  const data = join(folder, 'postgres');
  mkdirSync(data);
  // PostgreSQL refuses to run as root.
  const idOf = (flag) => Number(execFileSync('id', [flag, 'postgres']).toString());
  const as = process.getuid() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (as.uid !== undefined) {
    chownSync(data, as.uid, as.gid);
    chownSync(folder, as.uid, as.gid);
  }
  const options = { ...as, cwd: data, stdio: ['ignore', 'ignore', 'inherit'] };
  execFileSync(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'postern', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
    options,
  );
  const port = await freePort();
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${data}`,
  ];
  const args = settings.flatMap((setting) => ['-c', setting]);
  start(join(programs, 'postgres'), ['-D', data, '-p', String(port), '-c', 'log_min_messages=fatal', ...args], options);
  await accepts(port);
  const url = `postgres://postern@127.0.0.1:${port}/postgres`;
  await createDatabase(join(programs, 'createdb'), port);
  return url.replace(/postgres$/, 'dev');
}

/** Creates the database `dev`. PostgreSQL accepts connections before it has started and refuses commands until then, so this is retried. */
async function createDatabase(program, port) {
  const args = ['-h', '127.0.0.1', '-p', String(port), '-U', 'postern', 'dev'];
  for (const deadline = Date.now() + readyMs; ; await sleep(50)) {
    try {
      return execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

async function startRedis() {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', folder];
  start('redis-server', args);
  await accepts(port);
  return `127.0.0.1:${port}`;
}

const [postgresUrl, redisHost] = await Promise.all([startPostgres(), startRedis()]);
const temporary = join(folder, 'tmp');
mkdirSync(temporary);
Object.assign(process.env, {
  TMPDIR: temporary,
  DB_POSTGRES_URL: postgresUrl,
  REDIS_HOST: redisHost,
  LOG_ENABLED: 'false',
  NODE_ENV: 'test',
});
const { default: devEnv } = await import('@atproto/dev-env');
const { startJetstream } = await import('./jetstream.js');
network = await devEnv.TestNetwork.create({
  dbPostgresSchema: 'dev',
  pds: {
    hostname: 'localhost',
    enableDidDocWithSession: true,
    rateLimitsEnabled: process.argv.includes('--rate-limits'),
  },
  bsky: { dbPostgresSchema: 'bsky' },
  ozone: { dbPostgresSchema: 'ozone' },
});
const urls = { pdsUrl: network.pds.url, plcUrl: network.plc.url, appViewUrl: network.bsky.url };
jetstream = await startJetstream(urls);
process.stdout.write(`${JSON.stringify({ ...urls, postgresUrl, jetstreamUrl: jetstream.url })}\n`);
