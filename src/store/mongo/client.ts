import { type Document, MongoClient, type MongoClientOptions, MongoError, MongoServerError } from 'mongodb';
import { type Fault, OperatorError } from '../../shared/errors/operator-error.ts';
import { StoreUnavailableError } from '../port.ts';

const defaultDatabase = 'postern';

/** How long the driver waits: a dead server is noticed in three seconds, a new primary within one. */
const options: MongoClientOptions = {
  appName: 'postern',
  heartbeatFrequencyMS: 1_000,
  connectTimeoutMS: 2_000,
  serverSelectionTimeoutMS: 2_000,
  waitQueueTimeoutMS: 2_000,
  socketTimeoutMS: 5_000,
  retryReads: true,
  retryWrites: true,
  readPreference: 'primary',
  readConcernLevel: 'majority',
  // One by one: the URL could change parts of a `writeConcern` or `readConcern`.
  w: 'majority',
  journal: true,
  wtimeoutMS: 4_000,
};

export interface MongoAddress {
  client: MongoClient;
  database: string;
}

/** Reads the URL; nothing is connected yet. No message of ours quotes it: it holds a password. */
export function makeClient(url: string): MongoAddress {
  let client: MongoClient;
  try {
    client = new MongoClient(url, options);
  } catch {
    throw new OperatorError({
      detail: 'MONGODB_URL is not an address that MongoDB understands',
      advice:
        'it should look like mongodb://user:password@host1,host2/postern?replicaSet=rs0, with signs such as @ : / % in the password ' +
        'percent-encoded (https://www.mongodb.com/docs/manual/reference/connection-string/)',
    });
  }
  // The driver's own default would be `test`.
  const path = /^mongodb(?:\+srv)?:\/\/[^/?]*\/([^?]+)/i.exec(url)?.[1];
  return { client, database: path === undefined ? defaultDatabase : client.options.dbName };
}

/** Connects, and refuses what Postern cannot keep its promises on. */
export async function connect({ client, database }: MongoAddress): Promise<void> {
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

/** Why a server that answers `hello` like this will not do, or `null`. */
export function refuseTopology(hello: Document): Fault | null {
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
    return { detail, advice: 'leave directConnection out of it' };
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

/** Server selection fails with what every server failed with; that says more. */
function rootOf(error: unknown): unknown {
  if (!(error instanceof MongoError)) return error;
  const reason = 'reason' in error ? error.reason : undefined;
  if (reason !== null && typeof reason === 'object' && 'servers' in reason && reason.servers instanceof Map) {
    for (const server of reason.servers.values()) if (server.error) return server.error;
  }
  return error;
}
