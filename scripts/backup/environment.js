import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { withDatabase, withPatience } from '../bench/mongo-server.js';
import { start, startGateway, stop, temporaryFolder } from '../bench/processes.js';

const postern = join(import.meta.dirname, '../postern.js');
const commandLimitMs = 300_000;
const maxTries = 5;

/**
 * A sandbox, and stores of one kind for gateways. `server` is a MongoDB server (`findServer`), or `null` for the embedded store. `isPatient` gives
 * MongoDB more time to answer.
 */
export async function startEnvironment(server, isPatient) {
  const folder = temporaryFolder();
  const sandbox = await start('postern.js', ['sandbox'], {
    DATA_DIR: join(folder, 'sandbox'),
    SANDBOX_PORT: '0',
    SANDBOX_ACTIVITY: '0',
  });
  const gateways = new Set();
  const databases = [];
  return {
    kind: server === null ? 'sqlite' : 'mongodb',
    folder,
    sandboxUrl: sandbox.url,
    /** Returns settings with an empty store, as on a new machine. */
    emptyStore(secretKey = newSecretKey()) {
      const name = randomBytes(6).toString('hex');
      const settings = { SECRET_KEY: secretKey, DATA_DIR: join(folder, name) };
      if (server === null) return settings;
      const url = withDatabase(server.url, `postern_backup_${name}`);
      const MONGODB_URL = isPatient ? withPatience(url) : url;
      databases.push(MONGODB_URL);
      return { ...settings, MONGODB_URL };
    },
    async startGateway(settings) {
      const gateway = await startGateway({ ...serviceSettings(sandbox.url), ...settings });
      gateways.add(gateway);
      return gateway;
    },
    async stopGateway(gateway, signal) {
      gateways.delete(gateway);
      await stop(gateway, signal);
    },
    /** Starts a gateway that cannot start with these settings. Returns its outcome. */
    refusedGateway: (settings) => runPostern(['serve'], { ...serviceSettings(sandbox.url), ...settings }),
    async stop() {
      await Promise.all([...gateways, sandbox].map((each) => stop(each)));
      await Promise.all(databases.map(dropDatabase));
    },
  };
}

async function dropDatabase(url) {
  const client = new MongoClient(url);
  try {
    await client.db().dropDatabase();
  } finally {
    await client.close();
  }
}

export function newSecretKey() {
  return randomBytes(32).toString('base64');
}

function serviceSettings(sandboxUrl) {
  return {
    PORT: '0',
    PLATFORM_URL: sandboxUrl,
    PLATFORM_KIND: 'sandbox',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    FAILED_CALL_RATE_LIMIT: '0',
    UNAUTHENTICATED_RATE_LIMIT: '0',
    // A busy machine must not make gateways refuse calls as overloaded.
    MAX_EVENT_LOOP_DELAY_MS: '600000',
  };
}

/**
 * Runs a command of `postern`, again if a busy database did not answer. Returns its exit code (`null` after a signal), its output, and when
 * it was started and ended, in milliseconds of `performance.now()`. `onError` gets the standard error so far and the process.
 */
export async function runPostern(args, settings, onError) {
  for (let tries = 1; ; tries++) {
    const outcome = await runOnce(args, settings, onError);
    const isBusy =
      /MongoDB (took too long|has no reachable primary|cannot be used now)|connection to MongoDB failed/.test(
        outcome.err,
      );
    if (outcome.code !== 1 || !isBusy || tries === maxTries) return outcome;
  }
}

function runOnce(args, settings, onError = () => {}) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [postern, ...args], {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: commandLimitMs,
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
    onError(err, child);
  });
  return new Promise((resolve) => {
    child.once('close', (code) => resolve({ code, out, err, startedAt, endedAt: performance.now() }));
  });
}

/** Runs a command with `--json`, and returns its result. Throws if it fails. */
export async function askPostern(args, settings) {
  const { code, out, err } = await runPostern([...args, '--json'], settings);
  if (code !== 0) throw new Error(`postern ${args.join(' ')} ended with ${code}: ${err}`);
  return JSON.parse(out);
}

/** Creates an account with credit in dollars, and a key. */
export async function createAccount(name, dollars, settings) {
  const { id } = await askPostern(['account', 'create', '--name', name, '--credits', String(dollars)], settings);
  const { key } = await askPostern(['key', 'create', '--account', id], settings);
  return { name, id, key };
}
