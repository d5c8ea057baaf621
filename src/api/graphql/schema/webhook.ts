import { webhookDeliveries } from '../../../actions/webhook/deliveries.ts';
import { webhookDetail } from '../../../actions/webhook/detail.ts';
import { listWebhooks } from '../../../actions/webhook/list.ts';
import type { DeliveryView, WebhookView } from '../../../shared/model/webhook.ts';
import { listCall, oneCall, pageArgs } from './bind.ts';
import { builder } from './builder.ts';
import { EventTypeRef } from './event-type.ts';

export const WebhookRef = builder.objectRef<WebhookView>('Webhook');
const DeliveryRef = builder.objectRef<DeliveryView>('Delivery');

const WebhookConnection = builder.connectionObject(
  { type: WebhookRef, name: 'WebhookConnection', description: 'A page of webhooks.' },
  { name: 'WebhookEdge', description: 'A webhook of a list, with its cursor.' },
);

const DeliveryConnection = builder.connectionObject(
  { type: DeliveryRef, name: 'DeliveryConnection', description: 'A page of deliveries.' },
  { name: 'DeliveryEdge', description: 'A delivery of a list, with its cursor.' },
);

builder.node(WebhookRef, {
  description: "An address that gets an actor's activity.",
  id: { resolve: (webhook) => webhook.id },
  fields: (t) => ({
    webhookId: t.exposeString('id', { description: 'Its id, as REST has it.' }),
    url: t.exposeString('url', { description: 'Where events are sent.' }),
    valid: t.exposeBoolean('valid', { description: 'True once the receiver has passed the CRC handshake.' }),
    events: t.field({
      type: [EventTypeRef],
      nullable: true,
      description: 'Types to deliver; null for all.',
      resolve: (webhook) => webhook.events,
    }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it was registered.' }),
    hasEncryptionCode: t.exposeBoolean('has_encryption_code', { description: 'True where it gets message events.' }),
    lastValidatedAt: t.expose('last_validated_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the CRC last passed.',
    }),
    lastDeliveryAt: t.expose('last_delivery_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When an event was last delivered.',
    }),
    lastError: t.exposeString('last_error', { nullable: true, description: 'What is wrong with it, for people.' }),
    deliveries: t.field({
      type: DeliveryConnection,
      args: pageArgs,
      description: 'What was delivered in the last 24 hours, newest first.',
      ...listCall<WebhookView, DeliveryView, DeliveryView>({
        action: webhookDeliveries,
        items: 'deliveries',
        input: ({ id }) => ({ id }),
        read: (delivery) => delivery,
      }),
    }),
  }),
});

builder.objectType(DeliveryRef, {
  description: 'An event on its way to a webhook, as of its last attempt.',
  fields: (t) => ({
    eventId: t.exposeString('event_id', { description: 'The same on every retry and replay.' }),
    type: t.exposeString('type', { description: 'Kind of the event, such as `tweet.like`.' }),
    attempt: t.exposeInt('attempt', { description: 'Attempts made.' }),
    at: t.expose('at', { type: 'DateTime', nullable: true, description: 'When the last one was.' }),
    outcome: t.exposeString('outcome', { description: '`waiting`, `retrying`, `delivered` or `given_up`.' }),
    responseCode: t.exposeInt('response_code', { nullable: true, description: "Status of the receiver's answer." }),
    durationMs: t.exposeInt('duration_ms', { nullable: true, description: 'Milliseconds until it answered.' }),
    error: t.exposeString('error', { nullable: true, description: 'Why it was not delivered.' }),
    nextAttemptAt: t.expose('next_attempt_at', {
      type: 'DateTime',
      nullable: true,
      description: 'When the next attempt is.',
    }),
  }),
});

builder.queryFields((t) => ({
  webhook: t.field({
    type: WebhookRef,
    description: 'A webhook of the account, by its id. Needs no actor. A call.',
    args: { webhookId: t.arg.string({ required: true, description: 'Its id.' }) },
    ...oneCall<unknown, { webhookId: string }, WebhookView, WebhookView>({
      action: webhookDetail,
      input: (_root, { webhookId }) => ({ id: webhookId }),
      read: (webhook) => webhook,
    }),
  }),
  webhooks: t.field({
    type: WebhookConnection,
    description: 'The webhooks of the account, newest first. Needs no actor. A call.',
    args: pageArgs,
    ...listCall<unknown, WebhookView, WebhookView>({
      action: listWebhooks,
      items: 'webhooks',
      input: () => ({}),
      read: (webhook) => webhook,
    }),
  }),
}));
