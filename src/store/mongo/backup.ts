import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import {
  BSON,
  type ClientSession,
  type Collection,
  type Db,
  type Document,
  MongoServerError,
  ReadConcern,
} from 'mongodb';
import { OperatorError } from '../../shared/errors/operator-error.ts';
import type { BackupContent, OnProgress } from '../backup-port.ts';
import { connectToMongo, makeClient } from './client.ts';
import { type Collections, collectionsOf } from './collections.ts';
import { batchSize } from './delete-in-batches.ts';
import { isDuplicate, translateMongoError } from './errors.ts';
import { makeCollections, schemaVersion, unfinishedRestore } from './migrate.ts';
import { discardSealed } from './secret-check.ts';

export const mongoSchema = schemaVersion;

/** Collections about running processes. */
const notInBackup: readonly (keyof Collections)[] = ['processes', 'runners', 'writers', 'meta'];
/** The documents of `meta` that are in a backup. */
const metaInBackup = ['schema', 'secret_check'] as const;

/** The maximum length in characters of the lines whose documents are inserted at once. */
const batchChars = 4 * 1024 * 1024;

/** Error codes which mean that the server no longer has the data of the time at which the backup began. */
const tooOld = new Set([239, 251]);

interface DumpedLine {
  collection: string;
  document: Document;
}

type Check = (collection: string, document: Document) => void;

/**
 * Writes all documents as of one point in time into the new file `target`: gzip, one line `{ collection, document }` for each, in canonical
 * Extended JSON. Only one batch of documents is in memory, and one number for each account.
 */
export async function backupMongo(url: string, target: string, onProgress: OnProgress): Promise<BackupContent> {
  return withDatabase(url, async (db) => {
    const collections = collectionsOf(db);
    const schema = await collections.meta.findOne({ _id: 'schema' });
    if (schema?.version === undefined) {
      throw new OperatorError({
        detail: `The database ${db.databaseName} has no data of Postern`,
        advice: 'check the name of the database at the end of MONGODB_URL',
      });
    }
    if (await collections.meta.findOne({ _id: 'restore' })) throw new OperatorError(unfinishedRestore(db));
    for (const begin of [beginSnapshot, beginTransaction]) {
      const session = begin(db);
      try {
        const money = new MoneyCheck();
        let turns = 0;
        let secretCheck: string | null = null;
        const check: Check = (collection, document) => {
          money.add(collection, document);
          if (collection === collections.accounts.collectionName) turns += Number(document['turn'] ?? 0);
          if (collection === 'meta' && document['_id'] === 'secret_check') secretCheck = String(document['value']);
        };
        const lines = Readable.from(linesOf(db, session, onProgress, check));
        await pipeline(lines, createGzip(), createWriteStream(target, { mode: 0o600 }));
        const isConsistent = turns === (await turnsOf(db, session));
        if (isConsistent && money.addsUp()) return { schema: schema.version, secretCheck };
      } catch (error) {
        if (error instanceof MongoServerError && tooOld.has(Number(error.code)))
          throw new OperatorError(tooSlow, { cause: error });
        throw error;
      } finally {
        await session.endSession();
      }
    }
    throw new OperatorError({
      detail: 'The backup is not of one point in time, or its money does not add up',
      advice:
        'stop every gateway and repeat the backup. If that does not help, the database is damaged: restore an earlier backup',
    });
  });
}

const tooSlow = {
  detail: 'The backup took longer than MongoDB keeps old data for',
  advice:
    'increase minSnapshotHistoryWindowInSeconds of the server (300 by default), or use the backup of your cluster',
};

/** All reads of the session see the time of its first one (https://www.mongodb.com/docs/manual/reference/read-concern-snapshot/). */
function beginSnapshot(db: Db): ClientSession {
  return db.client.startSession({ snapshot: true });
}

/** For servers that ignore the time of a snapshot session. A transaction may last a minute. */
function beginTransaction(db: Db): ClientSession {
  const session = db.client.startSession();
  session.startTransaction({ readConcern: { level: 'snapshot' } });
  return session;
}

/** Yields the documents of a backup as lines. */
async function* linesOf(db: Db, session: ClientSession, onProgress: OnProgress, check: Check): AsyncGenerator<string> {
  const collections = collectionsOf(db);
  const names = (Object.keys(collections) as (keyof Collections)[]).filter((name) => !notInBackup.includes(name));
  const parts: [name: string, filter: Document][] = [
    ...names.map((name): [string, Document] => [collections[name].collectionName, {}]),
    ['meta', { _id: { $in: metaInBackup } }],
  ];
  let total = 0;
  for (const name of names) total += await collections[name].estimatedDocumentCount();
  let done = 0;
  for (const [collection, filter] of parts) {
    for await (const document of readIn(db, session, collection).find(filter, { session, promoteValues: false })) {
      check(collection, document);
      onProgress(++done, Math.max(total, done));
      yield `${BSON.EJSON.stringify({ collection, document }, { relaxed: false })}\n`;
    }
  }
}

/** The read concern of the client would replace that of a snapshot session, and a transaction has its own. */
function readIn(db: Db, session: ClientSession, collection: string): Collection {
  return db.collection(collection, session.inTransaction() ? {} : { readConcern: new ReadConcern('snapshot') });
}

/**
 * Returns the sum of `turn` over all accounts, which increases with every ledger transaction. If it differs from that of the documents
 * already read, the server ignores the time of the session.
 */
async function turnsOf(db: Db, session: ClientSession): Promise<number> {
  const accounts = readIn(db, session, collectionsOf(db).accounts.collectionName);
  const [sum] = await accounts.aggregate([{ $group: { _id: null, turns: { $sum: '$turn' } } }], { session }).toArray();
  return Number(sum?.['turns'] ?? 0);
}

/** Checks the invariants of money (docs/decisions.md, Money) for the documents of a backup. Keeps one number for each account. */
class MoneyCheck {
  readonly #rest = {
    held: new Map<string, number>(),
    charged: new Map<string, number>(),
    paid: new Map<string, number>(),
  };

  add(collection: string, document: Document): void {
    const { held, charged, paid } = this.#rest;
    const value = (field: string) => Number(document[field]);
    if (collection === 'accounts') {
      add(held, document['_id'], value('paid') - value('avail') - value('charged'));
      add(charged, document['_id'], value('charged'));
      add(paid, document['_id'], value('paid'));
    }
    if (collection === 'holds') add(held, document['account'], -value('open'));
    if (collection === 'usage') add(charged, document['account'], -value('micros'));
    if (collection === 'payments') add(paid, document['account'], -value('micros'));
  }

  addsUp(): boolean {
    return Object.values(this.#rest).every((rest) => [...rest.values()].every((micros) => micros === 0));
  }
}

function add(sums: Map<string, number>, account: string, micros: number): void {
  sums.set(account, (sums.get(account) ?? 0) + micros);
}

/** Throws if the database has documents, or if a gateway uses it. */
export function assertEmptyDatabase(url: string): Promise<void> {
  return withDatabase(url, async (db) => {
    if (await collectionsOf(db).meta.findOne({ _id: 'restore' })) throw new OperatorError(unfinishedRestore(db));
    await refuseData(db);
  });
}

async function refuseData(db: Db): Promise<void> {
  const { processes } = collectionsOf(db);
  if (await processes.findOne({ expiresAt: { $gt: await serverTime(db) } })) {
    throw new OperatorError({
      detail: `A gateway uses the database ${db.databaseName}`,
      advice: 'stop every gateway of this database first. A killed gateway counts as running for 30 seconds',
    });
  }
  const collections = await db.listCollections({}, { nameOnly: true }).toArray();
  for (const { name } of collections) {
    if (await db.collection(name).findOne({ _id: { $ne: 'restore' as never } }, { projection: { _id: 1 } })) {
      throw new OperatorError({
        detail: `The database ${db.databaseName} has data (in the collection ${name}), and a restore overwrites nothing`,
        advice: 'name another database at the end of MONGODB_URL, or drop this one',
      });
    }
  }
}

/** Inserts the documents of a backup into an empty database. Gateways refuse to start on it until all are inserted. */
export function restoreMongo(
  url: string,
  source: string,
  withoutSealed: boolean,
  onProgress: OnProgress,
  total: number,
): Promise<void> {
  return withDatabase(url, async (db) => {
    const collections = collectionsOf(db);
    await beginRestore(db, collections);
    await makeCollections(db, collections);
    const input = createReadStream(source);
    input.on('data', () => onProgress(input.bytesRead, total));
    await pipeline(input, createGunzip(), (content: AsyncIterable<Buffer>) => insertAll(db, collections, content));
    if (withoutSealed) await discardSealed(collections);
    await collections.meta.deleteOne({ _id: 'restore' });
  });
}

/** Marks the database as incomplete. Throws if another restore has marked it, or if it has data by now. */
async function beginRestore(db: Db, { meta }: Collections): Promise<void> {
  try {
    await meta.insertOne({ _id: 'restore', v: 1 });
  } catch (error) {
    throw isDuplicate(error) ? new OperatorError(unfinishedRestore(db)) : error;
  }
  try {
    await refuseData(db);
  } catch (error) {
    await meta.deleteOne({ _id: 'restore' });
    throw error;
  }
}

async function insertAll(db: Db, collections: Collections, content: AsyncIterable<Buffer>): Promise<void> {
  const known = new Set(Object.values(collections).map(({ collectionName }) => collectionName));
  let batch: Document[] = [];
  let name = '';
  let chars = 0;
  const flush = async () => {
    if (batch.length > 0) await db.collection(name).insertMany(batch);
    batch = [];
    chars = 0;
  };
  for await (const line of split(content)) {
    const { collection, document } = BSON.EJSON.parse(line, { relaxed: false }) as DumpedLine;
    if (!known.has(collection)) throw new OperatorError(`The backup has an unknown collection: ${collection}`);
    if (collection !== name || batch.length === batchSize || chars > batchChars) await flush();
    name = collection;
    batch.push(document);
    chars += line.length;
  }
  await flush();
}

/** Yields the lines of a text. */
async function* split(content: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function serverTime(db: Db): Promise<Date> {
  return (await db.command({ hello: 1 }))['localTime'] as Date;
}

async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const address = makeClient(url);
  try {
    await connectToMongo(address);
    return await work(address.client.db(address.database));
  } catch (error) {
    throw translateMongoError(error);
  } finally {
    await address.client.close();
  }
}
