import { z } from 'zod';
import { eventTypes } from './event.ts';
import { count, isoTime } from './scalars.ts';

export const eventType = z.enum(eventTypes, `must be one of ${eventTypes.join(', ')}`);

const common = {
  id: z.string().meta({ description: 'Id of the webhook.' }),
  url: z.string().meta({ description: 'Address that events are sent to.' }),
  valid: z.boolean().meta({ description: 'True once the receiver has passed the CRC handshake.' }),
  created_at: isoTime.meta({ description: 'When the webhook was registered.' }),
};

const lastError = z.string().nullable().meta({
  description:
    'What is wrong with the receiver, the credentials, the code or the connection to the platform; null if nothing is.',
});

/** A webhook as `create` returns it, the only time with its secret (docs/webhooks.md, Registration). */
export const createdWebhook = z
  .object({
    ...common,
    secret: z.string().meta({ description: 'The secret that signs the deliveries. Only this response contains it.' }),
    last_error: lastError,
  })
  .meta({ id: 'CreatedWebhook', description: 'A webhook that was registered.' });

/** A webhook everywhere else (docs/webhooks.md, Webhook). */
export const webhook = z
  .object({
    ...common,
    events: z.array(eventType).nullable().meta({ description: 'Types of events to deliver; null for all types.' }),
    has_encryption_code: z.boolean().meta({ description: 'True if the webhook gets message events.' }),
    last_validated_at: isoTime.nullable().meta({ description: 'When the CRC handshake last passed.' }),
    last_delivery_at: isoTime.nullable().meta({ description: 'When an event was last delivered.' }),
    last_error: lastError,
  })
  .meta({ id: 'Webhook', description: "An address that gets an actor's activity." });

const responseCode = z.int().nullable().meta({ description: "HTTP status of the receiver's response." });
const durationMs = count.meta({ description: 'Milliseconds until the receiver responded.' });
const deliveryError = z.string().nullable().meta({ description: 'Why the event was not delivered.' });

/** How the last attempt of a delivery ended. */
export const delivery = z
  .object({
    event_id: z.string().meta({ description: 'Id of the event: the same on every retry and replay.' }),
    type: z.string().meta({ description: 'Type of the event, such as `tweet.like`.' }),
    attempt: count.meta({ description: 'Number of attempts so far.' }),
    at: isoTime.nullable().meta({ description: 'When the last attempt was made.' }),
    outcome: z
      .enum(['waiting', 'retrying', 'delivered', 'given_up'])
      .meta({ description: '`waiting`, `retrying`, `delivered` or `given_up`.' }),
    response_code: responseCode,
    duration_ms: durationMs.nullable(),
    error: deliveryError,
    next_attempt_at: isoTime.nullable().meta({ description: 'When the next attempt is due.' }),
  })
  .meta({ id: 'Delivery', description: 'The delivery of one event to a webhook, as of its last attempt.' });

export const webhookTest = z
  .object({
    delivered: z.boolean().meta({ description: 'True if the receiver responded with 2xx.' }),
    response_code: responseCode,
    duration_ms: durationMs,
    error: deliveryError,
  })
  .meta({ id: 'WebhookTest', description: 'The outcome of a test event.' });

export type WebhookView = z.infer<typeof webhook>;
export type CreatedWebhook = z.infer<typeof createdWebhook>;
export type DeliveryView = z.infer<typeof delivery>;
export type WebhookTest = z.infer<typeof webhookTest>;
