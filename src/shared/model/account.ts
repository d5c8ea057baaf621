import { z } from 'zod';
import { count, dollars, isoTime } from './scalars.ts';

const createdAt = isoTime.meta({ description: 'When it was created.' });

export const apiKey = z
  .object({
    id: z.string().meta({ description: 'Id of the key.' }),
    name: z.string().meta({ description: 'Name of the key.' }),
    prefix: z.string().meta({ description: 'The readable beginning of the key.', examples: ['pstn_Q5bX2m'] }),
    created_at: createdAt,
    last_used_at: isoTime.nullable().meta({ description: 'Approximate time of the last use.' }),
    revoked_at: isoTime.nullable().meta({ description: 'When the key was revoked.' }),
  })
  .meta({ id: 'ApiKey', description: 'A key of the account, without its secret.' });

export const currency = z.literal('USD').meta({ description: 'Always `USD`.' });

const balance = dollars.meta({ description: 'Credit that can be spent.' });

export const accountDetails = z
  .object({
    id: z.string().meta({ description: 'Id of the account.' }),
    name: z.string().meta({ description: 'Name of the account.' }),
    created_at: createdAt,
    balance,
    currency,
    api_keys: z.array(apiKey).meta({ description: 'The keys of the account, with revoked ones.' }),
  })
  .meta({ id: 'Account', description: 'The API account that pays.' });

export const accountBalance = z
  .object({ balance, held: dollars.meta({ description: 'Credit that calls in flight have reserved.' }), currency })
  .meta({ id: 'Balance' });

export const granularity = z.enum(['hour', 'day'], 'must be hour or day');

const calls = count.meta({ description: 'Number of successful calls.' });
const charged = dollars.meta({ description: 'Cost of the calls.' });

export const usageRow = z
  .object({
    period: isoTime.meta({ description: 'When the hour or day begins.' }),
    endpoint: z.string().meta({ description: 'Name of the action, such as `user/info`.' }),
    calls,
    charged,
  })
  .meta({ id: 'UsageRow', description: 'The calls of one action in one hour or day.' });

export const accountUsage = z
  .object({
    from: isoTime,
    to: isoTime,
    granularity,
    total: z.object({ calls, charged }),
    usage: z.array(usageRow),
  })
  .meta({ id: 'Usage' });

export const payment = z
  .object({
    id: z.string().meta({ description: 'Id of the payment.' }),
    amount: dollars.meta({ description: 'Amount that was paid in.' }),
    currency,
    created_at: isoTime.meta({ description: 'When it was paid in.' }),
    description: z.string().meta({ description: 'Text of the payment.' }),
  })
  .meta({ id: 'Payment', description: 'Credit that was paid in.' });

export type AccountDetails = z.infer<typeof accountDetails>;
export type AccountBalance = z.infer<typeof accountBalance>;
export type AccountUsage = z.infer<typeof accountUsage>;
export type Granularity = z.infer<typeof granularity>;
export type Payment = z.infer<typeof payment>;
