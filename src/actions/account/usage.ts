import { z } from 'zod';
import { accountUsage, granularity } from '../../shared/model/account.ts';
import { accountAction } from '../action.ts';
import { moment, momentPattern as pattern } from '../input/input.ts';

export const usage = accountAction({
  name: 'account/usage',
  method: 'GET',
  path: '/account/usage',
  summary: 'Successful calls and their cost, by hour or day',
  price: 0,
  effect: 'read',
  input: z.object({
    from: moment.optional().meta({
      description:
        'Start, rounded down to the hour, ISO 8601; 30 days before `to` if left out. At most 400 days before `to`, or 31 with `hour`.',
      pattern,
      examples: ['2026-11-01T00:00:00Z', '2026-11-01'],
    }),
    to: moment.optional().meta({
      description: 'End, ISO 8601; now if left out.',
      pattern,
      examples: ['2026-12-01T00:00:00Z', '2026-12-01'],
    }),
    granularity: granularity.default('day').meta({ description: 'Period of each row.' }),
  }),
  example: { granularity: 'day' },
  output: accountUsage,
  run: ({ account, accounts }, input) => accounts.usage(account, input),
});
