import { PosternError } from '../shared/errors/postern-error.ts';
import { formatDollars, type Micros } from '../shared/model/money.ts';

export function insufficientCredits(micros: Micros): PosternError {
  return new PosternError(
    'insufficient_credits',
    `Not enough credit: this needs ${formatDollars(micros)} dollars and the account has less to spend. ` +
      'Add credit and ask again; /account/balance shows what is left',
  );
}

/** What callers are told where the ledger cannot serve them. */
export const refusals = {
  short: insufficientCredits,
  noAccount: (account: string) => new PosternError('unauthenticated', `There is no account ${account}`),
  away: (cause?: unknown) =>
    new PosternError('unavailable', 'The store is away; nothing was charged, ask again', {
      cause,
      retryAfterSeconds: 1,
    }),
  stopping: () => new PosternError('unavailable', 'The gateway is stopping; nothing was charged, ask again'),
  unrecorded: (cause?: unknown) =>
    new PosternError('unavailable', 'The call was performed, but its charge could not be recorded in time', { cause }),
  creditGone: () =>
    new PosternError(
      'unavailable',
      'The call was performed, but the credit reserved for it had run out of time and was spent meanwhile; it was not charged',
    ),
};
