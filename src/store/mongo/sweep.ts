import { Long } from 'mongodb';
import { commitTtlMs } from '../port.ts';
import { lockAccount } from './account-lock.ts';
import { verbLimitMs } from './link.ts';
import type { Parts } from './parts.ts';

/** Holds in one transaction: MongoDB advises to change at most a thousand documents in one. */
const batchSize = 500;

/**
 * Holds past their time, given back account by account: each batch is deleted and its sum returned in one transaction,
 * behind the account's lock, so that of any number of sweepers one ends a hold.
 */
export function mongoSweep(parts: Parts): () => Promise<number> {
  const { turns, transact, clock } = parts;
  const { accounts, holds, commits } = parts.collections;

  const sweepAccount = (account: string, until: Date): Promise<number> =>
    transact(async (session) => {
      const locked = await lockAccount(parts, session, account);
      const due = await holds.find({ account, until: { $lte: until } }, { session, limit: batchSize }).toArray();
      if (due.length === 0) return 0;
      const ids = due.map(({ _id }) => _id);
      await holds.deleteMany({ account, _id: { $in: ids } }, { session });
      const open = due.reduce((total, hold) => total + Number(hold.open), 0);
      if (locked) await accounts.updateOne({ _id: account }, { $inc: { avail: Long.fromNumber(open) } }, { session });
      return due.length;
    });

  return async () => {
    const now = await clock.read();
    const until = new Date(now);
    let ended = 0;
    for (;;) {
      const due = await holds.find({ until: { $lte: until } }, { sort: { until: 1 }, limit: batchSize }).toArray();
      if (due.length === 0) break;
      for (const account of new Set(due.map((hold) => hold.account))) {
        ended += await turns.take(account, verbLimitMs, () => sweepAccount(account, until));
      }
    }
    // MongoDB removes them by itself, when it comes to it.
    await commits.deleteMany({ at: { $lte: new Date(now - commitTtlMs) }, expiresAt: { $lte: until } });
    return ended;
  };
}
