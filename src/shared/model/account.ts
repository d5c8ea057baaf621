import { z } from 'zod';
import { count, dollars, isoTime } from './scalars.ts';

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().meta({ description: 'The readable beginning of the key.', examples: ['pstn_Q5bX2m'] }),
    created_at: isoTime,
    last_used_at: isoTime.nullable(),
    revoked_at: isoTime.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const currency = z.literal('USD');

export const accountDetails = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: isoTime,
    balance: dollars,
    currency,
    api_keys: z.array(apiKey),
  })
  .meta({ id: 'Account' });

export const accountBalance = z.object({ balance: dollars, held: dollars, currency }).meta({ id: 'Balance' });

export const granularity = z.enum(['hour', 'day'], 'must be hour or day');

export const usageRow = z
  .object({ period: isoTime, endpoint: z.string(), calls: count, charged: dollars })
  .meta({ id: 'UsageRow' });

export const accountUsage = z
  .object({
    from: isoTime,
    to: isoTime,
    granularity,
    total: z.object({ calls: count, charged: dollars }),
    usage: z.array(usageRow),
  })
  .meta({ id: 'Usage' });

export const payment = z
  .object({ id: z.string(), amount: dollars, currency, created_at: isoTime, description: z.string() })
  .meta({ id: 'Payment' });

export type AccountDetails = z.infer<typeof accountDetails>;
export type AccountBalance = z.infer<typeof accountBalance>;
export type AccountUsage = z.infer<typeof accountUsage>;
export type Granularity = z.infer<typeof granularity>;
export type Payment = z.infer<typeof payment>;
