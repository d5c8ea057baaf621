import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoServerError } from 'mongodb';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { processTtlMs } from '../port.ts';
import { assertCompatible, assertNoneRuns, type NamedStore } from '../upgrade.ts';
import type { ServerClock } from './clock.ts';
import { type Collections, indexes } from './collections.ts';
import { isDuplicate } from './errors.ts';
import { live } from './parts.ts';

/**
 * The migrations, in order. `schema` in the collection `meta` counts the applied ones. A released migration must never be edited. A
 * migration may find its work half done, because a process may die in the middle of it.
 */
const migrations: readonly ((db: Db, collections: Collections) => Promise<void>)[] = [
  makeCollections,
  // Creates the collections of webhooks. Creating a collection that exists has no effect.
  makeCollections,
  clearCopiedErrors,
  // Creates the collection of platform state. The other collections already exist.
  makeCollections,
  // Creates the collection of identifiers.
  makeCollections,
  // Creates the collection of call statistics.
  makeCollections,
  // Creates the collection for the daily charges of API keys.
  makeCollections,
  // Creates the collection for low credit events.
  makeCollections,
  // Creates the collection of audit entries.
  makeCollections,
  // Creates the collection for the size of kept responses.
  makeCollections,
  // Creates the collections of connections and of account events.
  makeCollections,
];

export const schemaVersion = migrations.length;

/**
 * The oldest schema version whose processes can use a store with all migrations, so that they may run side by side with this version. A
 * migration that changes or removes what they use sets it to its own number.
 */
const compatibleSince = 9;

const lockMs = 30_000;
const pauseMs = 100;

/** Migrates the database to the newest schema. One process migrates at a time; others wait for it. */
export async function migrateMongo(
  db: Db,
  collections: Collections,
  clock: ServerClock,
  runtime: Runtime,
): Promise<void> {
  const owner = runtime.randomBytes(9).toString('base64url');
  while (!(await isNewest(db, collections))) {
    if (await lock(collections, clock, owner)) {
      const renewal = setInterval(() => void lock(collections, clock, owner).catch(() => false), lockMs / 3);
      try {
        await takeSteps(db, collections, await clock.read());
      } finally {
        clearInterval(renewal);
        await collections.meta.deleteOne({ _id: 'lock', owner });
      }
    } else {
      await sleep(pauseMs);
    }
  }
}

async function isNewest(db: Db, { meta }: Collections): Promise<boolean> {
  const schema = await meta.findOne({ _id: 'schema' });
  const version = schema?.version ?? 0;
  if (version > schemaVersion) assertCompatible(named(db), version, schemaVersion, schema?.compatibleSince ?? version);
  return version >= schemaVersion;
}

function named({ databaseName }: Db): NamedStore {
  return { name: `database ${databaseName}`, alternative: 'database in MONGODB_URL' };
}

async function takeSteps(db: Db, collections: Collections, now: number): Promise<void> {
  const { meta, processes } = collections;
  const from = (await meta.findOne({ _id: 'schema' }))?.version ?? 0;
  if (from < compatibleSince) {
    assertNoneRuns(named(db), await processes.countDocuments({ expiresAt: live(now, processTtlMs) }));
  }
  // A function that is several migrations has done all of their work when it ran once.
  for (const step of new Set(migrations.slice(from))) await step(db, collections);
  // `$max` never decreases the version, because a process that was suspended and lost the lock may run this late.
  const $max = { version: schemaVersion, compatibleSince };
  await meta.updateOne({ _id: 'schema' }, { $set: { v: 1 }, $max }, { upsert: true });
}

/** Takes or renews the lock. The lock expires if its owner dies. */
async function lock({ meta }: Collections, clock: ServerClock, owner: string): Promise<boolean> {
  const now = await clock.read();
  const free = { _id: 'lock' as const, $or: [{ owner }, { until: { $lte: new Date(now) } }] };
  try {
    await meta.updateOne(free, { $set: { v: 1, owner, until: new Date(now + lockMs) } }, { upsert: true });
    return true;
  } catch (error) {
    if (isDuplicate(error)) return false;
    throw error;
  }
}

/** Creates the collections that have no indexes. At every start, `makeIndexes` creates the others if they are missing. */
async function makeCollections(db: Db, collections: Collections): Promise<void> {
  for (const name of Object.keys(collections) as (keyof Collections)[]) {
    if (indexes[name].length > 0) continue;
    await db.createCollection(collections[name].collectionName).catch((error: unknown) => {
      // NamespaceExists: the collection was created before, or sharded by the operator.
      if (!(error instanceof MongoServerError && error.code === 48)) throw error;
    });
  }
}

/**
 * Deletes errors that earlier releases copied into `lastError`. They are now read from `PollerDocument.stopped` and from the refused code
 * of the webhook.
 */
async function clearCopiedErrors(_db: Db, { webhooks }: Collections): Promise<void> {
  const copied = { $regex: '^(Not polled any more|Messages are not opened any more): ' };
  await webhooks.updateMany({ lastError: copied }, { $set: { lastError: null } });
}

/** Creates missing indexes. This is cheap if all indexes exist. */
export async function makeIndexes(collections: Collections): Promise<void> {
  for (const [name, wanted] of Object.entries(indexes) as [keyof Collections, (typeof indexes)[keyof Collections]][]) {
    if (wanted.length > 0) await collections[name].createIndexes([...wanted]);
  }
}

/** Returns the names of missing indexes, such as `holds.by_until`. */
export async function missingIndexes(collections: Collections): Promise<string[]> {
  const missing: string[] = [];
  for (const [name, wanted] of Object.entries(indexes) as [keyof Collections, (typeof indexes)[keyof Collections]][]) {
    if (wanted.length === 0) continue;
    const { collectionName } = collections[name];
    const there = new Set((await collections[name].indexes()).map((index) => index.name));
    for (const index of wanted) if (!there.has(index.name)) missing.push(`${collectionName}.${index.name}`);
  }
  return missing;
}
