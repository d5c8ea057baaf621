import { z } from 'zod';
import { restrictionsView } from './key-restrictions.ts';
import { parseDollars } from './money.ts';
import { count, dollars, isoTime } from './scalars.ts';

const createdAt = isoTime.meta({ description: 'Time of creation.' });

export const apiKeyId = z
  .string()
  .min(1)
  .max(64, { error: 'must be at most 64 characters', abort: true })
  .meta({ description: 'Id of the key.' });

export const apiKey = z
  .object({
    id: z.string().meta({ description: 'Id of the key.' }),
    name: z.string().meta({ description: 'Name of the key.' }),
    prefix: z.string().meta({ description: 'The readable beginning of the key.', examples: ['pstn_Q5bX2m'] }),
    ...restrictionsView,
    created_at: createdAt,
    last_used_at: isoTime.nullable().meta({ description: 'Approximate time of the last use.' }),
    revoked_at: isoTime.nullable().meta({ description: 'When the key was revoked.' }),
    revocable: z
      .boolean()
      .meta({ description: 'False for the demo key of the sandbox, which cannot be revoked over the API.' }),
  })
  .meta({ id: 'ApiKey', description: 'A key of the account, without its secret.' });

export const createdApiKey = apiKey
  .extend({ key: z.string().meta({ description: 'The key. Only this response contains it.' }) })
  .meta({ id: 'CreatedApiKey', description: 'A new key of the account.' });

export const currency = z.literal('USD').meta({ description: 'Always `USD`.' });

const balance = dollars.meta({ description: 'Credit that can be spent.' });

export const thresholdInput = z
  .string()
  .regex(/^\d{1,10}(\.\d{1,6})?$/, 'must be dollars as a decimal string, such as "1.5", or null')
  .refine((text) => (parseDollars(text) ?? 0) > 0, 'must be more than 0 and at most 1000000000')
  .meta({
    description: 'Dollars of credit below which `account.low_credit` is sent, an exact decimal; null for no event.',
    examples: ['1.5'],
  });

export const accountDetails = z
  .object({
    id: z.string().meta({ description: 'Id of the account.' }),
    name: z.string().meta({ description: 'Name of the account.' }),
    created_at: createdAt,
    balance,
    currency,
    low_credit_threshold: dollars
      .nullable()
      .meta({ description: 'Dollars of credit below which `account.low_credit` is sent; null for no event.' }),
    api_keys: z.array(apiKey).meta({ description: 'The keys of the account, including revoked ones.' }),
  })
  .meta({ id: 'Account', description: 'The API account that pays.' });

export const accountBalance = z
  .object({
    balance,
    held: dollars.meta({
      description:
        'Credit that calls in flight have reserved. While the store cannot be written, it also contains the reservations of failed calls, until the store can release them.',
    }),
    currency,
  })
  .meta({ id: 'Balance' });

export const granularity = z.enum(['hour', 'day'], 'must be hour or day');

const calls = count.meta({ description: 'Number of successful calls that were charged.' });
const charged = dollars.meta({ description: 'Cost of the calls.' });
const platformCost = dollars.meta({
  description:
    'Estimated price of the calls at the platform, an upper bound; 0 if the platform has no prices. It is not charged.',
});

/** Percentiles of durations in milliseconds. */
export const durations = z
  .object({
    p50: z.number().meta({ description: 'The duration in milliseconds that half of the calls did not exceed.' }),
    p95: z.number().meta({ description: 'The duration that 95 % of the calls did not exceed.' }),
    p99: z.number().meta({ description: 'The duration that 99 % of the calls did not exceed.' }),
  })
  .meta({
    id: 'Durations',
    description: 'Percentiles of the durations of successful calls, with an error of at most 9 %.',
  });

export const usageRow = z
  .object({
    period: isoTime.meta({ description: 'When the hour or day begins.' }),
    endpoint: z.string().meta({
      description:
        'Name of the action, such as `user/info`. `graphql` for GraphQL requests that were refused as a whole.',
    }),
    calls,
    charged,
    platform_cost: platformCost,
    errors: z
      .record(z.string(), count)
      .meta({ description: 'Number of failed calls by error code, such as `rate_limited`.' }),
    duration_ms: durations
      .nullable()
      .meta({ description: 'Time that the calls took inside the service; null if it is not known.' }),
  })
  .meta({ id: 'UsageRow', description: 'The calls of one action in one hour or day.' });

export const accountUsage = z
  .object({
    from: isoTime,
    to: isoTime,
    granularity,
    total: z.object({ calls, charged, platform_cost: platformCost }),
    usage: z.array(usageRow),
  })
  .meta({ id: 'Usage' });

export const payment = z
  .object({
    id: z.string().meta({ description: 'Id of the payment.' }),
    amount: dollars.meta({ description: 'Amount that was paid in.' }),
    currency,
    created_at: isoTime.meta({ description: 'Time of the payment.' }),
    description: z.string().meta({ description: 'Text of the payment.' }),
  })
  .meta({ id: 'Payment', description: 'Credit that was paid in.' });

export type ApiKey = z.infer<typeof apiKey>;
export type CreatedApiKey = z.infer<typeof createdApiKey>;
export type AccountDetails = z.infer<typeof accountDetails>;
export type AccountBalance = z.infer<typeof accountBalance>;
export type AccountUsage = z.infer<typeof accountUsage>;
export type Granularity = z.infer<typeof granularity>;
export type Payment = z.infer<typeof payment>;
