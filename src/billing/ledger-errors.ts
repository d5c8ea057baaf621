import { PosternError } from '../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../shared/model/money.ts';

/**
 * Returns the error for a caller without enough credit. The log shows operators `credit_reserved` if calls in flight hold
 * the credit.
 */
export function insufficientCredits(
  micros: Micros,
  reason: 'credit_short' | 'credit_reserved' = 'credit_short',
): PosternError {
  return new PosternError(
    reason,
    `Not enough credit: this needs ${formatDollars(micros)} dollars and the account has less to spend. ` +
      'Add credit and ask again; /account/balance shows what is left',
  );
}

/** The errors of the ledger. */
export const ledgerErrors = {
  short: insufficientCredits,
  noAccount: (account: string) => new PosternError('account_gone', `There is no account ${account}`),
  away: (cause?: unknown) =>
    new PosternError('store_away', 'The store is away; nothing was charged, ask again', {
      cause,
      retryAfterSeconds: 1,
    }),
  stopping: () => new PosternError('stopping', 'The gateway is stopping; nothing was charged, ask again'),
  unrecorded: (cause?: unknown) =>
    new PosternError('charge_unrecorded', 'The call was performed, but its charge could not be recorded in time', {
      cause,
    }),
  creditGone: () =>
    new PosternError(
      'reservation_lost',
      'The call was performed, but the credit reserved for it had run out of time and was spent meanwhile; it was not charged',
    ),
};
