import type { Db, Document } from 'mongodb';
import type { OperatorProblem } from '../../shared/errors/operator-error.ts';
import type { StoreReport } from '../port.ts';
import { missingIndexes, schemaVersion } from './migrate.ts';
import type { Parts } from './parts.ts';

const toleratedClockMs = 60_000;
const oldestRelease = 6;

/** Returns the report on a MongoDB store for `postern doctor`. */
export async function inspectMongo(db: Db, parts: Parts): Promise<StoreReport> {
  const { collections, runtime } = parts;
  const sent = runtime.now();
  const hello = await db.command({ hello: 1 });
  const clockMs = (hello['localTime'] as Date).getTime() - (sent + runtime.now()) / 2;
  const { version } = (await db.admin().command({ buildInfo: 1 })) as Document;
  const compatibility = await featureCompatibility(db);
  const started = performance.now();
  await pingMajority(parts);
  const writeMs = performance.now() - started;

  const problems: OperatorProblem[] = [];
  if (Math.abs(clockMs) > toleratedClockMs) {
    problems.push({
      detail:
        `This machine's clock is ${seconds(Math.abs(clockMs))} ${clockMs > 0 ? 'behind' : 'ahead of'} MongoDB's. Credit and ` +
        "keys go by MongoDB's, so nothing is lost; but times in the log are wrong",
      advice: 'synchronise both with NTP',
    });
  }
  if (Number.parseInt(compatibility ?? version, 10) < oldestRelease) {
    problems.push({
      detail: `MongoDB is older than ${oldestRelease}.0${compatibility ? ' by its featureCompatibilityVersion' : ''}`,
      advice: 'upgrade it',
    });
  }
  const missing = await missingIndexes(collections);
  if (missing.length > 0) {
    problems.push({
      detail: `Indexes are missing (${missing.join(', ')}), which makes queries slow`,
      advice: 'restart Postern, which creates them',
    });
  }
  return {
    facts: [
      ['version', `MongoDB ${version}, schema ${schemaVersion}`],
      ['database', db.databaseName],
      ['topology', topologyOf(hello)],
      ['durability', 'majority, journaled: every write waits for the disks of most members'],
      ['write', `${writeMs.toFixed(1)} ms for one that a majority confirms`],
      ['clock', `this machine's differs by ${seconds(Math.abs(clockMs))} from MongoDB's`],
    ],
    problems,
  };
}

/** Makes a write that changes no data of callers. It is acknowledged by a majority, like writes of money. */
export async function pingMajority({ collections: { meta } }: Parts): Promise<void> {
  await meta.updateOne({ _id: 'ready' }, { $set: { v: 1 }, $currentDate: { at: true } }, { upsert: true });
}

/** Returns `null` if the server does not reveal it: to users without rights on the server, and through routers of a sharded cluster. */
async function featureCompatibility(db: Db): Promise<string | null> {
  try {
    const answer = await db.admin().command({ getParameter: 1, featureCompatibilityVersion: 1 });
    return String(answer['featureCompatibilityVersion'].version);
  } catch {
    return null;
  }
}

function topologyOf(hello: Document): string {
  if (hello['msg'] === 'isdbgrid') return 'sharded cluster';
  const members = Array.isArray(hello['hosts']) ? hello['hosts'].length : 1;
  return `replica set ${hello['setName']}, ${members} ${members === 1 ? 'member' : 'members'} with data`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 0)} s`;
}
