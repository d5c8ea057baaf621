import { setTimeout as sleep } from 'node:timers/promises';
import { type ClientSession, MongoError, type TransactionOptions } from 'mongodb';
import type { MongoConnection } from './connection.ts';
import { isConnectionError, isDuplicate, isTransient } from './errors.ts';
import type { Sessions } from './sessions.ts';

const limitMs = 5_000;

/**
 * With `snapshot`, all reads of a transaction see the same point in time on every shard. The client sets the other options: majority,
 * journal, primary.
 */
const options: TransactionOptions = { readConcern: { level: 'snapshot' } };

export type Transact = <T>(work: (session: ClientSession) => Promise<T>) => Promise<T>;

/**
 * Returns a function that runs `work` in a transaction. Retries the whole transaction after a write conflict, and retries its commit if the
 * outcome is unknown. The driver's `withTransaction` does the same for two minutes, which is too long here, because callers wait only
 * seconds and can send the same commit again.
 */
export function transactions(sessions: Sessions, link: MongoConnection): Transact {
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
            // The driver does not report an abort that did not reach the server.
            await session.abortTransaction();
            ended = !isConnectionError(error);
          }
          // A duplicate key that `work` did not expect means that a concurrent upsert was faster.
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
