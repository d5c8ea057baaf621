import { z } from 'zod';
import { eventTypes } from './event.ts';
import { count, isoTime } from './scalars.ts';

export const eventType = z.enum(eventTypes, `must be one of ${eventTypes.join(', ')}`);

const common = {
  id: z.string(),
  url: z.string(),
  valid: z.boolean().meta({ description: 'True once the receiver has passed the CRC handshake.' }),
  created_at: isoTime,
};

const lastError = z.string().nullable().meta({
  description:
    'What is wrong: of the receiver, the credentials, the code, or the way to the platform; null if nothing.',
});

/** A webhook, as create answers it: the only time that its secret is shown (SPEC.md, Webhooks). */
export const createdWebhook = z
  .object({ ...common, secret: z.string(), last_error: lastError })
  .meta({ id: 'CreatedWebhook' });

/** A webhook everywhere else (DECISIONS.md). */
export const webhook = z
  .object({
    ...common,
    events: z.array(eventType).nullable().meta({ description: 'Types to deliver; null for all.' }),
    has_encryption_code: z.boolean(),
    last_validated_at: isoTime.nullable(),
    last_delivery_at: isoTime.nullable(),
    last_error: lastError,
  })
  .meta({ id: 'Webhook' });

/** How the last attempt of a delivery ended. */
export const delivery = z
  .object({
    event_id: z.string(),
    type: z.string(),
    attempt: count,
    at: isoTime.nullable(),
    outcome: z.enum(['waiting', 'retrying', 'delivered', 'given_up']),
    response_code: z.int().nullable(),
    duration_ms: count.nullable(),
    error: z.string().nullable(),
    next_attempt_at: isoTime.nullable(),
  })
  .meta({ id: 'Delivery' });

export const webhookTest = z
  .object({
    delivered: z.boolean(),
    response_code: z.int().nullable(),
    duration_ms: count,
    error: z.string().nullable(),
  })
  .meta({ id: 'WebhookTest' });

export type WebhookView = z.infer<typeof webhook>;
export type CreatedWebhook = z.infer<typeof createdWebhook>;
export type DeliveryView = z.infer<typeof delivery>;
export type WebhookTest = z.infer<typeof webhookTest>;
