import { balance } from '../../../actions/account/balance.ts';
import { formatDollars } from '../../../shared/model/money.ts';
import type { Session } from '../execute/session.ts';
import { oneCall } from './bind.ts';
import { builder } from './builder.ts';

export const RateLimitRef = builder.objectRef<Session['terms']>('RateLimit');

builder.objectType(RateLimitRef, {
  description: 'The limits of the key and of this request. Free.',
  fields: (t) => ({
    limit: t.int({
      nullable: true,
      description: 'Maximum number of requests of the key in a window; null if there is no limit.',
      resolve: ({ rate }) => rate?.limit ?? null,
    }),
    remaining: t.int({
      nullable: true,
      description: 'Number of remaining requests.',
      resolve: ({ rate }) => rate?.remaining ?? null,
    }),
    windowSeconds: t.int({
      nullable: true,
      description: 'Length of the window in seconds.',
      resolve: ({ rate }) => rate?.windowSeconds ?? null,
    }),
    resetSeconds: t.int({
      nullable: true,
      description: 'Seconds until all requests are available again.',
      resolve: ({ rate }) => rate?.resetSeconds ?? null,
    }),
    cost: t.field({
      type: 'Credits',
      description: 'Maximum cost of this request.',
      resolve: ({ quoted }) => formatDollars(quoted),
    }),
    costLimit: t.field({
      type: 'Credits',
      description: 'Maximum cost that a request may have.',
      resolve: ({ costLimit }) => formatDollars(costLimit),
    }),
    balance: t.field({
      type: 'Credits',
      ...oneCall({
        action: balance,
        about: 'Credit that can be spent, without the credit that this request has reserved.',
        read: (found) => found.balance,
      }),
    }),
  }),
});
