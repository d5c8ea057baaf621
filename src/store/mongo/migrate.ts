import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, MongoServerError } from 'mongodb';
import { OperatorError } from '../../shared/errors/operator-error.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { ServerClock } from './clock.ts';
import { type Collections, indexes } from './collections.ts';
import { isDuplicate } from './errors.ts';

/**
 * The steps that led to the newest shape, as `schema` in the collection `meta` counts them. A step that has been
 * released is never edited, and may find its work half done: a process may die in the middle of one.
 */
const migrations: readonly ((db: Db, collections: Collections) => Promise<void>)[] = [
  makeCollections,
  // Those of webhooks; to make what is there costs nothing.
  makeCollections,
  clearCopiedErrors,
];

export const schemaVersion = migrations.length;

const lockMs = 30_000;
const pauseMs = 100;

/** Brings the database to the newest shape, one process at a time; whoever comes meanwhile waits for it. */
export async function migrate(db: Db, collections: Collections, clock: ServerClock, runtime: Runtime): Promise<void> {
  const owner = runtime.randomBytes(9).toString('base64url');
  while (!(await isNewest(db, collections))) {
    if (await lock(collections, clock, owner)) {
      const renewal = setInterval(() => void lock(collections, clock, owner).catch(() => false), lockMs / 3);
      try {
        await takeSteps(db, collections);
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
  const version = (await meta.findOne({ _id: 'schema' }))?.version ?? 0;
  if (version > schemaVersion) {
    throw new OperatorError({
      detail: `The database ${db.databaseName} was written by a newer Postern (its schema is ${version}, this one knows ${schemaVersion})`,
      advice: 'use the newer Postern, or name another database in MONGODB_URL',
    });
  }
  return version === schemaVersion;
}

async function takeSteps(db: Db, collections: Collections): Promise<void> {
  const { meta } = collections;
  const from = (await meta.findOne({ _id: 'schema' }))?.version ?? 0;
  for (const [index, step] of migrations.entries()) {
    if (index < from) continue;
    await step(db, collections);
    // Never back: a process that lost the lock while it slept may be late.
    await meta.updateOne({ _id: 'schema' }, { $set: { v: 1 }, $max: { version: index + 1 } }, { upsert: true });
  }
}

/** Takes the lock or renews it. It ends by itself, should its owner die. */
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

async function makeCollections(db: Db, collections: Collections): Promise<void> {
  const names = Object.values(collections).map(({ collectionName }) => collectionName);
  for (const name of names) {
    await db.createCollection(name).catch((error: unknown) => {
      // NamespaceExists: made before, or sharded by the operator.
      if (!(error instanceof MongoServerError && error.code === 48)) throw error;
    });
  }
  await makeIndexes(collections);
}

/** Earlier releases copied what is now read from `PollerDocument.stopped`, and from the webhook's refused code, into `lastError`. */
async function clearCopiedErrors(_db: Db, { webhooks }: Collections): Promise<void> {
  const copied = { $regex: '^(Not polled any more|Messages are not opened any more): ' };
  await webhooks.updateMany({ lastError: copied }, { $set: { lastError: null } });
}

/** Makes those that are not there; costs next to nothing where all are. */
export async function makeIndexes(collections: Collections): Promise<void> {
  for (const [name, wanted] of Object.entries(indexes) as [keyof Collections, (typeof indexes)[keyof Collections]][]) {
    if (wanted.length > 0) await collections[name].createIndexes([...wanted]);
  }
}

/** Names of indexes that should be there and are not, such as `holds.by_until`. */
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
