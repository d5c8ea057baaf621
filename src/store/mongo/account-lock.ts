import { type ClientSession, Long } from 'mongodb';
import type { Credit } from '../ledger-rules.ts';
import type { Parts } from './parts.ts';

export interface LockedAccount {
  credit: Credit;
  /** The server's time at the lock. */
  now: number;
}

/**
 * The first operation of every transaction on an account: it writes, so that any other that comes meanwhile fails and
 * tries again, and brings the server's time along. `turn` makes sure that it does write, twice in one millisecond too.
 */
export async function lockAccount(parts: Parts, session: ClientSession, id: string): Promise<LockedAccount | null> {
  const sent = performance.now();
  const account = await parts.collections.accounts.findOneAndUpdate(
    { _id: id },
    [{ $set: { touchedAt: '$$NOW', turn: { $add: ['$turn', 1] } } }],
    { session, returnDocument: 'after' },
  );
  if (!account?.touchedAt) return null;
  const credit = { paid: Number(account.paid), charged: Number(account.charged), avail: Number(account.avail) };
  return { credit, now: parts.clock.learn(account.touchedAt, sent) };
}

export async function saveCredit(
  { collections: { accounts } }: Parts,
  session: ClientSession,
  id: string,
  before: Credit,
  after: Credit,
): Promise<void> {
  if (before.paid === after.paid && before.charged === after.charged && before.avail === after.avail) return;
  const credit = {
    paid: Long.fromNumber(after.paid),
    charged: Long.fromNumber(after.charged),
    avail: Long.fromNumber(after.avail),
  };
  await accounts.updateOne({ _id: id }, { $set: credit }, { session });
}
