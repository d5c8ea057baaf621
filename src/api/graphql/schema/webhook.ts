import { webhookDeliveries } from '../../../actions/webhook/deliveries.ts';
import { webhookDelivery } from '../../../actions/webhook/delivery.ts';
import { webhookDetail } from '../../../actions/webhook/detail.ts';
import { listWebhooks } from '../../../actions/webhook/list.ts';
import {
  type AttemptView,
  type DeliveryView,
  delivery,
  deliveryAttempt,
  type WebhookView,
  webhook,
} from '../../../shared/model/webhook.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { connectionOf } from './refs.ts';
import { fieldsOf, schemaDescription } from './zod-types.ts';

export const WebhookRef = builder.objectRef<WebhookView>('Webhook');
const WebhookConnection = connectionOf('Webhook', WebhookRef);

interface RequestHeader {
  name: string;
  value: string;
}

const RequestHeaderRef = builder.objectRef<RequestHeader>('RequestHeader').implement({
  description: 'A header of a request.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'The name in lower case.' }),
    value: t.exposeString('value', { description: 'The value.' }),
  }),
});

const DeliveryAttemptRef = builder.objectRef<AttemptView>('DeliveryAttempt').implement({
  description: schemaDescription(deliveryAttempt),
  fields: (t) => ({
    ...fieldsOf(t, deliveryAttempt, { omit: ['request_headers'] }),
    requestHeaders: t.field({
      type: [RequestHeaderRef],
      description: schemaDescription(deliveryAttempt.shape.request_headers),
      resolve: ({ request_headers }) => Object.entries(request_headers).map(([name, value]) => ({ name, value })),
    }),
  }),
});

export const DeliveryRef = builder.objectRef<DeliveryView>('Delivery').implement({
  description: schemaDescription(delivery),
  fields: (t) => ({
    ...fieldsOf(t, delivery),
    attempts: t.field({
      type: [DeliveryAttemptRef],
      ...oneCall({
        action: webhookDelivery,
        about: 'The last 10 attempts, oldest first.',
        input: ({ webhook_id: id, event_id }: DeliveryView) => ({ id, event_id }),
        read: ({ attempts }) => attempts,
      }),
    }),
  }),
});
const DeliveryConnection = connectionOf('Delivery', DeliveryRef);

builder.node(WebhookRef, {
  description: schemaDescription(webhook),
  id: { resolve: ({ id }) => id },
  fields: (t) => ({
    ...fieldsOf(t, webhook, { names: { id: 'webhookId' } }),
    deliveries: t.field({
      type: DeliveryConnection,
      ...listCall({
        action: webhookDeliveries,
        items: 'deliveries',
        input: ({ id }: WebhookView) => ({ id }),
        read: (each: DeliveryView) => each,
      }),
    }),
  }),
});

builder.queryFields((t) => ({
  webhook: t.field({ type: WebhookRef, ...oneCall({ action: webhookDetail, names: { id: 'webhookId' } }) }),
  webhookDelivery: t.field({ type: DeliveryRef, ...oneCall({ action: webhookDelivery, names: { id: 'webhookId' } }) }),
  webhooks: t.field({
    type: WebhookConnection,
    ...listCall({ action: listWebhooks, items: 'webhooks', read: (each: WebhookView) => each }),
  }),
}));
