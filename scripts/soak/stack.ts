// The processes of the soak test: gateway, sandbox, receiver, the proxy of callers, and the store.
import { randomBytes } from 'node:crypto';
import { findMongo, noMongo, startMongo } from '../../test/support/mongo-server.ts';
import { makeAccounts } from '../bench/accounts.ts';
import { type Settings, type Started, start, startGateway, temporaryFolder } from '../bench/processes.ts';

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** `maxPoolSize` of the MongoDB driver. SecantusDB is slower with many concurrent requests, so most of them wait in the driver. */
const mongoPool = { byDefault: 100, secantus: 8 };

export const secret = 'a-secret-for-the-soak';

/** A process that can be killed and started again on the same port. */
export class Restartable {
  readonly url: string;
  readonly #start: (port: string) => Promise<Started>;
  #running: Started;

  /** `start` receives the port, `0` at first, and starts the process. */
  static async start(start: (port: string) => Promise<Started>): Promise<Restartable> {
    return new Restartable(start, await start('0'));
  }

  private constructor(start: (port: string) => Promise<Started>, running: Started) {
    this.#start = start;
    this.#running = running;
    this.url = running.url;
  }

  async kill(): Promise<void> {
    const { child } = this.#running;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async startAgain(): Promise<void> {
    this.#running = await this.#start(new URL(this.url).port);
  }
}

/** Starts all processes. `store` is `sqlite` or `mongodb`. `env` has more gateway settings. `isPatient` gives MongoDB more time. */
export async function startStack({
  store,
  actors,
  credit,
  env,
  isPatient,
}: {
  store: string;
  actors: number;
  credit: number;
  env: Settings;
  isPatient: boolean;
}) {
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
    stop: async () => await database?.stop(),
  };
}

/** Starts MongoDB behind a relay, so that the store is away while the relay is. */
async function startDatabase(isPatient: boolean) {
  const found = findMongo();
  if (!found) throw new Error(noMongo);
  const server = await startMongo(found);
  const url = new URL(server.url(`soak_${randomBytes(4).toString('hex')}`));
  const target = url.host;
  const relay = await Restartable.start((port) => start('soak/relay.ts', [target, port]));
  url.host = new URL(relay.url).host;
  // Otherwise the driver would learn the server's own address, and bypass the relay.
  url.searchParams.delete('replicaSet');
  url.searchParams.set('directConnection', 'true');
  const pooled = found.kind === 'secantus' ? mongoPool.secantus : mongoPool.byDefault;
  url.searchParams.set('maxPoolSize', String(pooled));
  if (isPatient) {
    url.searchParams.set('connectTimeoutMS', '30000');
    url.searchParams.set('serverSelectionTimeoutMS', '30000');
  }
  return {
    relay,
    pooled,
    settings: {
      MONGODB_URL: url.href,
      SECRET_KEY: randomBytes(32).toString('base64'),
    },
    stop: () => server.stop(),
  };
}
