// The processes of the soak test: gateway, sandbox, receiver, the proxy of callers, and the store.
import { randomBytes } from 'node:crypto';
import { makeAccounts } from '../bench/accounts.ts';
import { findServer, withDatabase, withPatience } from '../bench/mongo-server.ts';
import { start, startGateway, temporaryFolder } from '../bench/processes.ts';

/** `maxPoolSize` of the MongoDB driver. SecantusDB is slower with many concurrent requests; with 8 connections the others wait in the driver. */
const mongoPool = { byDefault: 100, secantus: 8 };

export const secret = 'a-secret-for-the-soak';

/** A process that can be killed and started again on the same port. */
export class Restartable {
  #start;
  #running;

  /** `start` receives the port, `0` at first, and starts the process. */
  static async start(start) {
    const process = new Restartable();
    process.#start = start;
    process.#running = await start('0');
    process.url = process.#running.url;
    return process;
  }

  async kill() {
    const { child } = this.#running;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async startAgain() {
    this.#running = await this.#start(new URL(this.url).port);
  }
}

/**
 * Starts everything. `store` is `sqlite` or `mongodb`. `env` has further settings of the gateway. `isPatient` gives MongoDB more time to answer.
 */
export async function startStack({ store, actors, credit, env, isPatient }) {
  const sandboxDir = temporaryFolder();
  const sandbox = await Restartable.start((port) =>
    start('postern.js', ['sandbox'], { DATA_DIR: sandboxDir, SANDBOX_PORT: port, SANDBOX_ACTIVITY: '0' }),
  );
  const proxy = await Restartable.start((port) => start('soak/forward-proxy.ts', [port]));
  const receiver = await start('soak/receiver.ts', [secret]);
  const dataDir = temporaryFolder();
  const database = store === 'mongodb' ? await startDatabase(isPatient) : null;
  const settings = {
    DATA_DIR: dataDir,
    PORT: '0',
    PLATFORM_URL: sandbox.url,
    PLATFORM_KIND: 'sandbox',
    OUTBOUND_ALLOW: '127.0.0.0/8',
    LOG_LEVEL: 'error',
    RATE_LIMIT: '0',
    FAILED_CALL_RATE_LIMIT: '0',
    UNAUTHENTICATED_RATE_LIMIT: '0',
    // The defaults.
    MAX_REQUESTS_IN_FLIGHT: '',
    MAX_CONCURRENT_REQUESTS: '',
    ...database?.settings,
    ...env,
  };
  const gateway = await startGateway(settings);
  const accounts = await makeAccounts(settings, actors, credit);
  return {
    sandbox,
    proxy,
    receiver,
    gateway,
    accounts,
    dataDir,
    pooled: database?.pooled ?? 0,
    relay: database?.relay ?? null,
    stop: async () => database?.stop(),
  };
}

/** Starts MongoDB behind a relay, so that the store is away while the relay is. */
async function startDatabase(isPatient) {
  const server = await findServer();
  if (!server) throw new Error('MONGODB_URL is not set, and neither mongod nor secantusd-py is installed');
  const url = new URL(withDatabase(server.url, `soak_${randomBytes(4).toString('hex')}`));
  const target = url.host;
  const relay = await Restartable.start((port) => start('soak/relay.ts', [target, port]));
  url.host = new URL(relay.url).host;
  // Otherwise the driver would learn the server's own address, and bypass the relay.
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  const pooled = server.isSecantus ? mongoPool.secantus : mongoPool.byDefault;
  url.searchParams.set('maxPoolSize', pooled);
  return {
    relay,
    pooled,
    settings: {
      MONGODB_URL: isPatient ? withPatience(url.href) : url.href,
      SECRET_KEY: randomBytes(32).toString('base64'),
    },
    stop: server.stop,
  };
}
