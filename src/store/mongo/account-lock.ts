import { type ClientSession, Long } from 'mongodb';
import type { Micros } from '../../shared/model/money.ts';
import type { Credit } from '../ledger-rules.ts';
import { thresholdOf } from './accounts.ts';
import type { Parts } from './parts.ts';

export interface LockedAccount {
  credit: Credit;
  lowCreditThreshold: Micros | null;
  /** The server's time when the lock was taken. */
  now: number;
}

/**
 * Locks an account for a transaction and returns the account with the server's time. Must be the first operation of every transaction on an
 * account: it writes to the account, so that concurrent transactions on the account fail and are retried. The counter `turn` ensures that
 * every lock changes the document, even twice within a millisecond.
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
  return { credit, lowCreditThreshold: thresholdOf(account), now: parts.clock.learn(account.touchedAt, sent) };
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
