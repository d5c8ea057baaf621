import { PosternError } from '../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../shared/model/money.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import type { KeyBudget } from '../store/port.ts';

/**
 * Returns the error for a caller without sufficient credit. The log contains `credit_reserved` for operators if running calls have reserved
 * the credit.
 */
export function insufficientCredits(
  micros: Micros,
  reason: 'credit_short' | 'credit_reserved' = 'credit_short',
): PosternError {
  return new PosternError(
    reason,
    `Not enough credit: the request needs ${formatDollars(micros)} dollars, and the account has less available credit. ` +
      'Add credit and retry. /account/balance shows the credit',
  );
}

const dayMs = 86_400_000;

/** Returns the error for a call that would exceed the budget of its API key. */
function budgetSpent(micros: Micros, { microsPerDay }: KeyBudget, now: number): PosternError {
  const resetAt = (Math.floor(now / dayMs) + 1) * dayMs;
  return new PosternError(
    'key_budget_spent',
    `This API key may be charged at most ${formatDollars(microsPerDay)} dollars a day, and the request needs ${formatDollars(micros)} dollars, ` +
      `which is more than the key has left today. The limit resets at ${formatIsoTime(resetAt)}. Retry then, or use another key`,
    { retryAfterSeconds: Math.ceil((resetAt - now) / 1_000) },
  );
}

/** Creates the errors of the ledger. */
export const ledgerErrors = {
  short: insufficientCredits,
  budgetSpent,
  noAccount: (account: string) => new PosternError('account_gone', `There is no account ${account}`),
  away: (cause?: unknown) =>
    new PosternError('store_away', 'The store is unavailable. Nothing was charged. Retry shortly', {
      cause,
      retryAfterSeconds: 1,
    }),
  stopping: () => new PosternError('stopping', 'The gateway is stopping. Nothing was charged. Retry shortly'),
  unrecorded: (cause?: unknown) =>
    new PosternError(
      'charge_unrecorded',
      'The call was performed, but its charge could not be recorded in time. It may still be charged, once',
      { cause },
    ),
  creditGone: () =>
    new PosternError(
      'reservation_lost',
      'The call was performed but not charged. Its reservation had expired, and the credit, or the daily limit of the API key, no longer covered it',
    ),
};
