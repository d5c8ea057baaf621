import { Long } from 'mongodb';
import { lockAccount } from './account-lock.ts';
import { verbLimitMs } from './link.ts';
import type { Parts } from './parts.ts';

/** Documents at once: enough to be quick, few enough that each step stays far from every time limit. */
const batchSize = 200;

/**
 * Holds past their time, given back account by account: each batch is deleted and its sum returned in one transaction,
 * behind the account's lock, so that of any number of sweepers one ends a hold.
 */
export function mongoSweep(parts: Parts): () => Promise<number> {
  const { turns, transact, sessions, clock } = parts;
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

  /** MongoDB removes them by itself when it comes to it, so there is seldom one left. */
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
    const until = new Date(await clock.read());
    let ended = 0;
    // A round that ends nothing met holds that other sweepers are ending.
    for (let before = -1; before !== ended; ) {
      before = ended;
      const due = await holds.find({ until: { $lte: until } }, { sort: { until: 1 }, limit: batchSize }).toArray();
      for (const account of new Set(due.map((hold) => hold.account))) {
        ended += await turns.take(account, verbLimitMs, () => sweepAccount(account, until));
      }
    }
    await dropOutcomes(until);
    return ended;
  };
}
