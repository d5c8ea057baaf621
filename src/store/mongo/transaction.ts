import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { type ClientSession, MongoError, MongoServerError, type TransactionOptions } from 'mongodb';
import { upTo } from '../../shared/runtime/lru.ts';
import type { MongoConnection } from './connection.ts';
import { isDuplicate, isTransient } from './errors.ts';
import type { Sessions } from './sessions.ts';

const limitMs = 5_000;
const longestPauseMs = 50;
/** The maximum number of documents whose conflicts are remembered. */
const rememberedDocuments = 1_000;
/** The number of remembered conflicts decreases to this share with each transaction. */
const decay = 0.9;

/**
 * With `snapshot`, all reads of a transaction see the same point in time on every shard. The client sets the other options: majority,
 * journal, primary.
 */
const options: TransactionOptions = { readConcern: { level: 'snapshot' } };

/** `document` names the document that transactions of other processes may hold, such as an account. */
export type Transact = <T>(work: (session: ClientSession) => Promise<T>, document?: string) => Promise<T>;

/**
 * Returns a function that runs `work` in a transaction. Retries the whole transaction after a write conflict, and retries its commit if the
 * outcome is unknown. The driver's `withTransaction` does the same for two minutes, which is too long here, because callers wait only
 * seconds and can send the same commit again.
 *
 * After a transaction with conflicts, the next transactions on its document begin with a pause as long as those after conflicts. Otherwise the
 * process that holds the document would take it again at once, and those that pause would wait for seconds.
 */
export function transactions(sessions: Sessions, link: MongoConnection): Transact {
  const conflicts = new LRUCache<string, number>(upTo(rememberedDocuments));
  const remember = (document: string, count: number) => {
    if (count > 0) conflicts.set(document, count);
    else conflicts.delete(document);
  };
  return async (work, document) => {
    const until = performance.now() + limitMs;
    const before = document === undefined ? 0 : (conflicts.get(document) ?? 0);
    if (before > 0) await sleep(pauseMs(before));
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
          if (document !== undefined) remember(document, conflictsAfter(before, attempt));
          return result;
        } catch (error) {
          if (session.inTransaction() && link.usable) {
            // The driver does not report an abort that did not reach the server. After an error of its own the server has aborted already.
            await session.abortTransaction();
            ended = isFromServer(error);
          }
          // A duplicate key that `work` did not expect means that a concurrent upsert was faster.
          if (!(isTransient(error) || isDuplicate(error)) || !goesOn()) throw error;
        }
        await sleep(pauseMs(attempt));
      }
    } finally {
      if (ended) sessions.give(session);
      else sessions.discard(session);
    }
  };
}

function isFromServer(error: unknown): boolean {
  return error instanceof MongoServerError || (error instanceof Error && error.cause instanceof MongoServerError);
}

/** Returns a pause in milliseconds after this number of conflicts. `chance` is in [0, 1). */
export function pauseMs(conflicts: number, chance = Math.random()): number {
  return chance * Math.min(longestPauseMs, 4 * 1.5 ** conflicts);
}

/** Returns the number of conflicts to remember after a transaction with this number of attempts, if it was `before` earlier. */
export function conflictsAfter(before: number, attempts: number): number {
  const count = Math.max(attempts - 1, before * decay);
  return count < 1 ? 0 : count;
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
