import { webhookDeliveries } from '../../../actions/webhook/deliveries.ts';
import { webhookDetail } from '../../../actions/webhook/detail.ts';
import { listWebhooks } from '../../../actions/webhook/list.ts';
import { type DeliveryView, delivery, type WebhookView, webhook } from '../../../shared/model/webhook.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { connectionOf } from './refs.ts';
import { descriptionOf, fieldsOf, objectOf } from './zod-types.ts';

export const WebhookRef = builder.objectRef<WebhookView>('Webhook');
const WebhookConnection = connectionOf('Webhook', WebhookRef);
const DeliveryConnection = connectionOf('Delivery', objectOf('Delivery', delivery));

builder.node(WebhookRef, {
  description: descriptionOf(webhook),
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
  webhooks: t.field({
    type: WebhookConnection,
    ...listCall({ action: listWebhooks, items: 'webhooks', read: (each: WebhookView) => each }),
  }),
}));
