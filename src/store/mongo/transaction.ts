import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, MongoError, type TransactionOptions } from 'mongodb';
import { isDuplicate, isOfTheWay, isTransient } from './errors.ts';
import type { MongoLink } from './link.ts';
import type { Sessions } from './sessions.ts';

const limitMs = 5_000;

/** Snapshot: one moment for all that is read, on every shard. The rest is the client's: majority, journal, primary. */
const options: TransactionOptions = { readConcern: { level: 'snapshot' } };

export type Transact = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Runs `work` in one transaction: again from the start where the database says that it lost a race, its commit again
 * where the outcome is not known. The driver's `withTransaction` does the same, for two minutes; callers here wait
 * seconds, and send the same commit again if they must.
 */
export function transactions(sessions: Sessions, link: MongoLink): Transact {
  return async (work) => {
    const until = performance.now() + limitMs;
    const session = await sessions.take();
    let ended = false;
    const goesOn = () => link.usable && performance.now() < until;
    try {
      for (let attempt = 1; ; attempt++) {
        ended = false;
        session.startTransaction(options);
        try {
          const result = await work(session);
          await commit(session, goesOn);
          ended = true;
          return result;
        } catch (error) {
          if (session.inTransaction() && link.usable) {
            // The driver says nothing of an abort that did not arrive.
            await session.abortTransaction();
            ended = !isOfTheWay(error);
          }
          // A duplicate that `work` did not expect is an upsert that somebody else made first.
          if (!(isTransient(error) || isDuplicate(error)) || !goesOn()) throw error;
        }
        await sleep(Math.random() * Math.min(200, 4 * 1.5 ** attempt));
      }
    } finally {
      if (ended) sessions.give(session);
      else sessions.discard(session);
    }
  };
}

async function commit(session: ClientSession, goesOn: () => boolean): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      const unknown = error instanceof MongoError && error.hasErrorLabel('UnknownTransactionCommitResult');
      if (!unknown || !goesOn()) throw error;
      await sleep(20);
    }
  }
}
