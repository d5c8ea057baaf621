import { createWebhook } from '../../../actions/webhook/create.ts';
import { resendDelivery, webhookDeliveries, webhookDelivery } from '../../../actions/webhook/deliveries.ts';
import { accountWebhooks, listWebhooks } from '../../../actions/webhook/list.ts';
import { replayEvents, replayedWebhook } from '../../../actions/webhook/replay.ts';
import { updateWebhook } from '../../../actions/webhook/update.ts';
import { validateWebhook } from '../../../actions/webhook/validate.ts';
import { deleteWebhook, rotateWebhookSecret, testWebhook, webhookDetail } from '../../../actions/webhook/webhooks.ts';
import {
  type AttemptView,
  type DeliveryView,
  delivery,
  deliveryAttempt,
  type WebhookView,
  webhook,
} from '../../../shared/model/webhook.ts';
import { AccountRef } from './account.ts';
import { listCall, oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';
import { connectionOf, nodeType } from './refs.ts';
import { fieldsOf, objectOf, schemaDescription } from './zod-types.ts';

const WebhookRef = builder.objectRef<WebhookView>('Webhook');
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

const DeliveryRef = builder.objectRef<DeliveryView>('Delivery').implement({
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

nodeType(WebhookRef, {
  description: schemaDescription(webhook),
  id: ({ id }) => id,
  fields: (t) => ({
    ...fieldsOf(t, webhook, { names: { id: 'webhookId' } }),
    deliveries: t.field({
      type: DeliveryConnection,
      ...listCall({
        action: webhookDeliveries,
        items: 'deliveries',
        input: ({ id }: WebhookView) => ({ id }),
      }),
    }),
  }),
});

builder.queryFields((t) => ({
  webhook: t.field({ type: WebhookRef, ...oneCall({ action: webhookDetail, names: { id: 'webhookId' } }) }),
  webhookDelivery: t.field({ type: DeliveryRef, ...oneCall({ action: webhookDelivery, names: { id: 'webhookId' } }) }),
  webhooks: t.field({
    type: WebhookConnection,
    ...listCall({ action: listWebhooks, items: 'webhooks' }),
  }),
}));

builder.objectField(AccountRef, 'webhooks', (t) =>
  t.field({ type: WebhookConnection, ...listCall({ action: accountWebhooks, items: 'webhooks' }) }),
);

const names = { id: 'webhookId' };
const oneWebhook = { type: 'WebhookInput', description: 'Identifies a webhook.', names };

/** The `webhook` field of payloads that contain only the webhook's id. */
const theWebhook = {
  type: WebhookRef,
  ...oneCall({ action: webhookDetail, about: 'The webhook.', input: ({ id }: { id: string }) => ({ id }) }),
};

mutation('createWebhook', createWebhook, {
  payload: { fields: (t) => ({ webhook: t.field(theWebhook) }) },
});

const WebhookPayload = builder.objectRef<WebhookView>('WebhookPayload').implement({
  description: 'A webhook that was changed or validated.',
  fields: (t) => ({
    webhook: t.field({
      type: WebhookRef,
      nullable: true,
      description: 'The webhook after the change.',
      resolve: (found) => found,
    }),
  }),
});

mutation('updateWebhook', updateWebhook, { input: { names }, payload: WebhookPayload });
mutation('validateWebhook', validateWebhook, { input: oneWebhook, payload: WebhookPayload });
mutation('deleteWebhook', deleteWebhook, { input: oneWebhook, payload: { names } });
mutation('testWebhook', testWebhook, { input: oneWebhook });
mutation('rotateWebhookSecret', rotateWebhookSecret, {
  input: oneWebhook,
  payload: { names, fields: (t) => ({ webhook: t.field(theWebhook) }) },
});

const ResendPayload = builder.objectRef<DeliveryView>('ResendWebhookDeliveryPayload').implement({
  description: 'The result of `resendWebhookDelivery`.',
  fields: (t) => ({
    delivery: t.field({
      type: DeliveryRef,
      nullable: true,
      description: 'The delivery, which waits for its next attempt.',
      resolve: (found) => found,
    }),
  }),
});

mutation('resendWebhookDelivery', resendDelivery, { input: { names }, payload: ResendPayload });
objectOf('ReplayedWebhook', replayedWebhook, { names });
mutation('replayWebhookEvents', replayEvents);
