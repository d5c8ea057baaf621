import { Long } from 'mongodb';
import { holdTtlMs } from '../port.ts';
import { lockAccount } from './account-lock.ts';
import { operationTimeoutMs } from './connection.ts';
import { batchSize } from './delete-in-batches.ts';
import { expired, type Parts } from './parts.ts';

/**
 * Returns a function that returns the credit of expired holds, one account at a time. Each batch is deleted and its sum is returned in one
 * transaction that locks the account, so that only one of several sweepers ends a hold.
 */
export function mongoSweep(parts: Parts): () => Promise<number> {
  const { turns, transact, sessions, clock } = parts;
  const { accounts, holds, commits } = parts.collections;

  const endsOf = (now: number) => expired(now, holdTtlMs).map((until) => ({ until }));

  const sweepAccount = (account: string, now: number): Promise<number> =>
    transact(async (session) => {
      const locked = await lockAccount(parts, session, account);
      const due = await holds.find({ account, $or: endsOf(now) }, { session, limit: batchSize }).toArray();
      if (due.length === 0) return 0;
      const ids = due.map(({ _id }) => _id);
      await holds.deleteMany({ account, _id: { $in: ids } }, { session });
      const open = due.reduce((total, hold) => total + Number(hold.open), 0);
      if (locked) await accounts.updateOne({ _id: account }, { $inc: { avail: Long.fromNumber(open) } }, { session });
      return due.length;
    });

  /** MongoDB deletes expired outcomes itself, so there is usually nothing to delete here. */
  const dropOutcomes = async (until: Date): Promise<void> => {
    for (;;) {
      const options = { projection: { _id: 1 }, limit: batchSize };
      const ids = (await commits.find({ expiresAt: { $lte: until } }, options).toArray()).map(({ _id }) => _id);
      if (ids.length > 0) await commits.deleteMany({ _id: { $in: ids } });
      if (ids.length < batchSize) return;
    }
  };

  return async () => {
    await sessions.sweep();
    const now = await clock.read();
    let ended = 0;
    // If a round ends no holds, other sweepers are ending the remaining ones.
    for (let before = -1; before !== ended; ) {
      before = ended;
      const due = await holds.find({ $or: endsOf(now) }, { sort: { until: 1 }, limit: batchSize }).toArray();
      for (const account of new Set(due.map((hold) => hold.account))) {
        ended += await turns.take(account, operationTimeoutMs, () => sweepAccount(account, now));
      }
    }
    await dropOutcomes(new Date(now));
    return ended;
  };
}
