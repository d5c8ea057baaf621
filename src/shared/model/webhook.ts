import { z } from 'zod';
import { eventTypes, webhookEventTypes } from './event.ts';
import { count, isoTime } from './scalars.ts';

export const eventType = z.enum(eventTypes, `must be one of ${eventTypes.join(', ')}`);
export const webhookEventType = z.enum(webhookEventTypes, `must be one of ${webhookEventTypes.join(', ')}`);

const common = {
  id: z.string().meta({ description: 'Id of the webhook.' }),
  url: z.string().meta({ description: 'Address that events are sent to.' }),
  valid: z.boolean().meta({ description: 'True once the receiver has passed the CRC handshake.' }),
  created_at: isoTime.meta({ description: 'When the webhook was registered.' }),
};

const lastError = z.string().nullable().meta({
  description:
    'The problem with the receiver, the credentials, the code or the connection to the platform; null if there is none.',
});

/** A webhook in the response of `create`, the only response with its secret (docs/webhooks.md, Registration). */
export const createdWebhook = z
  .object({
    ...common,
    secret: z.string().meta({ description: 'The secret that signs the deliveries. Only this response contains it.' }),
    last_error: lastError,
  })
  .meta({ id: 'CreatedWebhook', description: 'A webhook that was registered.' });

/** A webhook in all other responses (docs/webhooks.md, Shapes). */
export const webhook = z
  .object({
    ...common,
    events: z
      .array(webhookEventType)
      .nullable()
      .meta({ description: 'Types of events to deliver; null for all types but those of account events.' }),
    has_encryption_code: z.boolean().meta({ description: 'True if the webhook gets message events.' }),
    last_validated_at: isoTime.nullable().meta({ description: 'When the CRC handshake last passed.' }),
    last_delivery_at: isoTime.nullable().meta({ description: 'When an event was last delivered.' }),
    last_error: lastError,
    paused: z.boolean().meta({ description: 'True while nothing is delivered, by choice of the account.' }),
    state: z.enum(['active', 'pending', 'invalid', 'paused', 'stalled']).meta({
      description:
        '`active`: events are delivered. `pending`: the first handshake has not ended. `invalid`: the handshake failed, or the receiver ' +
        'responded with 410. `paused`: the account paused it. `stalled`: it is valid, but something keeps events from being delivered.',
    }),
    state_reason: z.string().nullable().meta({
      description: 'Why the webhook is not active, how many events wait, and what to do; null if it is active.',
    }),
  })
  .meta({ id: 'Webhook', description: "An address that gets an actor's activity." });

const responseCode = z.int().nullable().meta({ description: "HTTP status of the receiver's response." });
const durationMs = count.meta({ description: 'Milliseconds until the receiver responded.' });
const deliveryError = z.string().nullable().meta({ description: 'Why the event was not delivered.' });

/** The result of the last attempt of a delivery. */
export const delivery = z
  .object({
    webhook_id: z.string().meta({ description: 'Id of the webhook.' }),
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

export const deliveryAttempt = z
  .object({
    attempt: count.meta({ description: 'Number of the attempt, from 1. A replay begins with 1 again.' }),
    at: isoTime.meta({ description: 'When the request was sent.' }),
    outcome: z.enum(['delivered', 'failed']).meta({ description: '`delivered` or `failed`.' }),
    response_code: responseCode,
    duration_ms: durationMs,
    error: deliveryError,
    request_headers: z.record(z.string(), z.string()).meta({
      description: 'The headers of the request, with its signatures; empty if no request was sent.',
    }),
    response_excerpt: z.string().nullable().meta({
      description:
        'The first 1 KiB of the response body; null if there was no response. Bytes that are not text are replaced with U+FFFD.',
    }),
  })
  .meta({ id: 'DeliveryAttempt', description: 'One request that tried to deliver an event.' });

/** A delivery with its attempts. */
export const deliveryDetail = delivery
  .extend({ attempts: z.array(deliveryAttempt).meta({ description: 'The last 10 attempts, oldest first.' }) })
  .meta({ id: 'DeliveryDetail', description: 'The delivery of one event to a webhook, with its attempts.' });

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
export type DeliveryDetailView = z.infer<typeof deliveryDetail>;
export type AttemptView = z.infer<typeof deliveryAttempt>;
export type WebhookTest = z.infer<typeof webhookTest>;
