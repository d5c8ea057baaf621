import { type Document, MongoClient, type MongoClientOptions, MongoError, MongoServerError } from 'mongodb';
import { OperatorError, type OperatorProblem } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';
import { endingConnections } from './driver-connection.ts';

const defaultDatabase = 'postern';

/**
 * Timeouts of the driver, unless the URL sets them. With the defaults, a dead server is detected within three seconds, and a new primary
 * within one.
 */
const defaultTimeouts = {
  heartbeatFrequencyMS: 1_000,
  connectTimeoutMS: 2_000,
  serverSelectionTimeoutMS: 2_000,
  waitQueueTimeoutMS: 2_000,
  socketTimeoutMS: 5_000,
} satisfies MongoClientOptions;
/**
 * The maximum of each timeout in `MONGODB_URL`. Operations of an account run one after the other, so an operation that gets no response delays
 * the next operation until its timeout.
 */
const longestTimeoutMs = 60_000;

const options: MongoClientOptions = {
  appName: 'postern',
  retryReads: true,
  retryWrites: true,
  readPreference: 'primary',
  readConcernLevel: 'majority',
  // These options are set one by one, because options in the URL could otherwise change parts of a `writeConcern` or `readConcern`.
  w: 'majority',
  journal: true,
  wtimeoutMS: 4_000,
  ...endingConnections,
};

export interface MongoAddress {
  client: MongoClient;
  database: string;
}

/** Parses the URL without connecting. Error messages never contain the URL, because it contains a password. */
export function makeClient(url: string): MongoAddress {
  let client: MongoClient;
  try {
    client = new MongoClient(url, { ...timeoutsNotIn(url), ...options });
  } catch {
    throw new OperatorError({
      detail: 'MONGODB_URL is not a valid MongoDB URL',
      advice:
        'it should look like mongodb://user:password@host1,host2/postern?replicaSet=rs0, with characters such as @ : / % in the password ' +
        'percent-encoded (https://www.mongodb.com/docs/manual/reference/connection-string/)',
    });
  }
  checkTimeouts(client);
  // The database of the URL, or `postern`. The driver's own default would be `test`.
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]+)/i.exec(url)?.[1];
  return { client, database: path === undefined ? defaultDatabase : client.options.dbName };
}

/** Returns the timeouts that the URL does not set. Names in the URL may have any case. */
function timeoutsNotIn(url: string): MongoClientOptions {
  const isSet = (name: string) => new RegExp(`[?&]${name}=`, 'i').test(url);
  return Object.fromEntries(Object.entries(defaultTimeouts).filter(([name]) => !isSet(name)));
}

/** Throws if a timeout in the URL is 0 or too long. The driver has no time limit if a timeout is 0. */
function checkTimeouts({ options: set }: MongoClient): void {
  for (const name of Object.keys(defaultTimeouts) as (keyof typeof defaultTimeouts)[]) {
    if (set[name] > 0 && set[name] <= longestTimeoutMs) continue;
    throw new OperatorError({
      detail: `${name} in MONGODB_URL is ${set[name]}`,
      advice: `it must be between 1 and ${longestTimeoutMs} milliseconds (default: ${defaultTimeouts[name]})`,
    });
  }
}

/** Connects to the database. Throws if the server does not support the guarantees of the store. */
export async function connectToMongo({ client, database }: MongoAddress): Promise<void> {
  let hello: Document;
  try {
    await client.connect();
    hello = await client.db(database).command({ hello: 1 });
  } catch (error) {
    throw explainStart(error, client.options.srvHost ?? client.options.hosts.map(String).join(', '));
  }
  const refusal = refuseTopology(hello);
  if (refusal !== null) throw new OperatorError(refusal);
}

/** Returns the reason why a server with this `hello` response is not supported, or `null` if it is. */
export function refuseTopology(hello: Document): OperatorProblem | null {
  if (hello['msg'] === 'isdbgrid') return null;
  if (typeof hello['setName'] !== 'string') {
    return {
      detail:
        'MONGODB_URL names a standalone MongoDB server, which has no transactions. It must be a replica set of one member or more',
      advice:
        'start it with `mongod --replSet rs0`, then once `mongosh --eval "rs.initiate()"`. A sharded cluster or a hosted ' +
        'MongoDB will do as well',
    };
  }
  if (hello['isWritablePrimary'] !== true) {
    const detail = 'MONGODB_URL leads to a member of the replica set that is not its primary';
    return { detail, advice: 'remove directConnection from it' };
  }
  return null;
}

function explainStart(error: unknown, hosts: string): Error {
  const cause = rootOf(error);
  if (cause instanceof MongoServerError && (cause.code === 18 || cause.code === 8_000)) {
    return new OperatorError(
      `MongoDB at ${hosts} refuses the user or the password of MONGODB_URL (users are often of the database admin: ` +
        'then add ?authSource=admin)',
    );
  }
  const why = cause instanceof Error && cause.message ? ` (${cause.message})` : '';
  return new StoreUnavailableError({
    detail: `MongoDB at ${hosts} cannot be reached${why}`,
    advice: 'check MONGODB_URL, that the server runs, and that this machine may connect to it',
  });
}

/** A failed server selection contains the errors of the servers, which are more specific. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  const reason = 'reason' in error ? error.reason : undefined;
  if (reason !== null && typeof reason === 'object' && 'servers' in reason && reason.servers instanceof Map) {
    for (const server of reason.servers.values()) if (server.error) return server.error;
  }
  return error;
}
