import { createWebhook } from '../../../actions/webhook/create.ts';
import { deleteWebhook } from '../../../actions/webhook/delete.ts';
import { webhookDetail } from '../../../actions/webhook/detail.ts';
import { replayEvents, replayedWebhook } from '../../../actions/webhook/replay.ts';
import { resendDelivery } from '../../../actions/webhook/resend.ts';
import { rotateWebhookSecret } from '../../../actions/webhook/rotate-secret.ts';
import { testWebhook } from '../../../actions/webhook/test.ts';
import { updateWebhook } from '../../../actions/webhook/update.ts';
import { validateWebhook } from '../../../actions/webhook/validate.ts';
import type { DeliveryView, WebhookView } from '../../../shared/model/webhook.ts';
import { oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';
import { DeliveryRef, WebhookRef } from './webhook.ts';
import { objectOf } from './zod-types.ts';

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
