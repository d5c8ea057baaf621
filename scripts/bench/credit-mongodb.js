import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '../../dist/store/mongo/store.js';
import { commitTtlMs } from '../../dist/store/port.js';
import { temporaryFolder } from './processes.js';

const project = join(import.meta.dirname, '..', '..');
const copied = ['payments', 'usage', 'ledger_commits'];
const collections = ['accounts', ...copied];

/** Opens the shared store in its own databases, which are dropped at the end. Returns `null` if there is no server. */
export async function mongodb() {
  const server = await findServer();
  if (!server) return null;
  const prefix = `postern_bench_${randomBytes(4).toString('hex')}`;
  // Keeps the types of numbers, because copies must not convert 64-bit integers to doubles.
  const client = new MongoClient(withDatabase(server.url, prefix), {
    promoteLongs: false,
    writeConcern: { w: 'majority', journal: true },
  });
  const made = [];
  return {
    name: 'mongodb',
    callers: server.callers,
    what: server.what,
    make: (name) => {
      made.push(`${prefix}_${name}`);
      return makeSubject(withDatabase(server.url, made.at(-1)), client.db(made.at(-1)));
    },
    bare: (load) => {
      if (!made.includes(`${prefix}_bare`)) made.push(`${prefix}_bare`);
      return bareMongo(client, client.db(`${prefix}_bare`), load);
    },
    close: async () => {
      try {
        for (const name of made) await client.db(name).dropDatabase();
      } finally {
        await client.close();
        await server.stop();
      }
    },
  };
}

async function makeSubject(url, db) {
  const store = await openMongoStore({ url });
  return {
    store,
    close: () => store.close(),
    async rows() {
      const counts = await Promise.all(collections.map((name) => db.collection(name).countDocuments()));
      return Object.fromEntries(collections.map((name, index) => [name, counts[index]]));
    },
    // The field of the time that has an index.
    forgetSince: (at) =>
      db.collection('ledger_commits').deleteMany({ expiresAt: { $gte: new Date(at + commitTtlMs) } }),
    fill: (copies, budgetMs) => fill(db, copies, budgetMs),
  };
}

/** Copies the existing data repeatedly as if it had happened earlier. The balances are correct after each copy. */
async function fill(db, copies, budgetMs) {
  const until = performance.now() + budgetMs;
  const first = {};
  for (const name of copied) first[name] = await db.collection(name).find().toArray();
  const spent = new Map();
  for (const { account, micros } of first.usage) {
    spent.set(account, micros.add(spent.get(account) ?? micros.constructor.ZERO));
  }
  const insert = async (name, documents) => {
    for (let from = 0; from < documents.length; from += 5_000) {
      await db.collection(name).insertMany(documents.slice(from, from + 5_000), { ordered: false });
    }
  };
  let done = 0;
  while (done < copies && performance.now() < until) {
    done++;
    const zero = first.usage[0].micros.constructor.ZERO;
    const paid = (one) => spent.get(one.account) ?? zero;
    await insert(
      'payments',
      first.payments.map((one) => ({ ...one, _id: `${one._id}-${done}`, micros: paid(one) })),
    );
    const back = (hour) => Number(hour) - 2 * done;
    await insert(
      'usage',
      first.usage.map((one) => ({ ...one, _id: { ...one._id, hour: back(one.hour) }, hour: back(one.hour) })),
    );
    const added = [...spent].map(([account, micros]) => ({
      updateOne: { filter: { _id: account }, update: { $inc: { paid: micros, charged: micros } } },
    }));
    await db.collection('accounts').bulkWrite(added, { ordered: false });
    await insert(
      'ledger_commits',
      first.ledger_commits.map((one) => {
        const at = new Date(one.at.getTime() - Math.random() * 3_000_000);
        return { ...one, _id: randomBytes(16).toString('hex'), at, expiresAt: new Date(at.getTime() + commitTtlMs) };
      }),
    );
  }
  return done;
}

/** Makes the simplest commit: a transaction with one update, one at a time for each account. */
async function bareMongo(client, db, { accounts, callers, durationMs }) {
  const collection = db.collection('accounts');
  const missing = accounts.map((_id) => ({
    updateOne: { filter: { _id }, update: { $setOnInsert: { avail: 0 } }, upsert: true },
  }));
  await collection.bulkWrite(missing, { ordered: false });
  const workers = Math.min(callers, accounts.length);
  let updates = 0;
  const startedAt = performance.now();
  const worker = async (_, number) => {
    const session = client.startSession();
    try {
      for (let turn = number; performance.now() - startedAt < durationMs; turn += workers) {
        await session.withTransaction(() =>
          collection.updateOne({ _id: accounts[turn % accounts.length] }, { $inc: { avail: -1 } }, { session }),
        );
        updates++;
      }
    } finally {
      await session.endSession();
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  return updates / ((performance.now() - startedAt) / 1_000);
}

async function findServer() {
  const url = process.env.MONGODB_URL;
  if (url) return { url, what: 'the server of MONGODB_URL', callers: 200, stop: async () => {} };
  const mongod = onPath('mongod');
  if (mongod) return startMongod(mongod);
  const secantus = onPath('secantusd-py') ?? executable(join(project, '.venv', 'bin', 'secantusd-py'));
  return secantus ? startSecantus(secantus) : null;
}

async function startMongod(command) {
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

async function startSecantus(command) {
  const folder = temporaryFolder();
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const args = ['--host', '127.0.0.1', '--port', `${port}`, '--storage-path', ':memory:', '--log-level', 'ERROR'];
  const stop = startServer(command, args, folder);
  await whenReady(address, stop);
  return {
    url: `mongodb://${address}/?directConnection=true`,
    what: 'SecantusDB in memory, which speaks MongoDB’s protocol and is slower than MongoDB',
    // More concurrent requests would only be refused, because they would exceed the ledger's limit of five seconds.
    callers: 32,
    stop,
  };
}

/** Starts a server that stores all its files in `folder`. Returns a function that stops it. */
function startServer(command, args, folder) {
  const environment = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
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

async function whenReady(address, stop, initiate = async () => {}) {
  const url = `mongodb://${address}/?directConnection=true`;
  const until = performance.now() + 30_000;
  for (;;) {
    // A client whose first connection failed does not retry.
    const client = new MongoClient(url, { serverSelectionTimeoutMS: 1_000 });
    let fault = new Error(`the server at ${address} did not become a primary in 30 s`);
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
function withDatabase(url, database) {
  const [, server, path, query] = /^(mongodb(?:\+srv)?:\/\/[^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/i.exec(url) ?? [];
  if (server === undefined) throw new Error('MONGODB_URL is not a valid MongoDB URL');
  const options = query ? [query] : [];
  if (path && server.includes('@') && !/authSource=/i.test(query ?? '')) options.push(`authSource=${path}`);
  return `${server}/${database}${options.length > 0 ? `?${options.join('&')}` : ''}`;
}

function onPath(name) {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const found = folder && executable(join(folder, name));
    if (found) return found;
  }
  return undefined;
}

function executable(path) {
  try {
    accessSync(path, constants.X_OK);
    return path;
  } catch {
    return undefined;
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
