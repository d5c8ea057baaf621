import { balance } from '../../../actions/account/balance.ts';
import type { AccountBalance } from '../../../shared/model/account.ts';
import { formatDollars } from '../../../shared/model/money.ts';
import type { Session } from '../session.ts';
import { oneCall } from './bind.ts';
import { builder } from './builder.ts';

export const RateLimitRef = builder.objectRef<Session['terms']>('RateLimit');

builder.objectType(RateLimitRef, {
  description: 'What the key and this request may use. Free.',
  fields: (t) => ({
    limit: t.int({
      nullable: true,
      description: 'Requests that the key may make in a window; null where there is no limit.',
      resolve: ({ rate }) => rate?.limit ?? null,
    }),
    remaining: t.int({
      nullable: true,
      description: 'Of them, those that are left.',
      resolve: ({ rate }) => rate?.remaining ?? null,
    }),
    windowSeconds: t.int({
      nullable: true,
      description: 'Length of a window.',
      resolve: ({ rate }) => rate?.windowSeconds ?? null,
    }),
    resetSeconds: t.int({
      nullable: true,
      description: 'Until all of them are there again.',
      resolve: ({ rate }) => rate?.resetSeconds ?? null,
    }),
    cost: t.field({
      type: 'Credits',
      description: 'What this request may cost at most.',
      resolve: ({ quoted }) => formatDollars(quoted),
    }),
    costLimit: t.field({
      type: 'Credits',
      description: 'What any one request may cost at most.',
      resolve: ({ costLimit }) => formatDollars(costLimit),
    }),
    balance: t.field({
      type: 'Credits',
      description: 'What is left to spend, without what this request has reserved.',
      ...oneCall<unknown, unknown, AccountBalance, string>({
        action: balance,
        input: () => ({}),
        read: (found) => found.balance,
      }),
    }),
  }),
});
