import { createWebhook } from '../../../actions/webhook/create.ts';
import { deleteWebhook } from '../../../actions/webhook/delete.ts';
import { webhookDetail } from '../../../actions/webhook/detail.ts';
import { replayEvents, replayedWebhook } from '../../../actions/webhook/replay.ts';
import { rotateWebhookSecret } from '../../../actions/webhook/rotate-secret.ts';
import { testWebhook } from '../../../actions/webhook/test.ts';
import { updateWebhook } from '../../../actions/webhook/update.ts';
import { validateWebhook } from '../../../actions/webhook/validate.ts';
import type { WebhookView } from '../../../shared/model/webhook.ts';
import { oneCall } from './bind.ts';
import { builder } from './builder.ts';
import { mutation } from './mutation.ts';
import { WebhookRef } from './webhook.ts';
import { objectOf } from './zod-types.ts';

const names = { id: 'webhookId' };
const oneWebhook = { type: 'WebhookInput', description: 'Names a webhook.', names };

/** The webhook of a payload that does not have all of it. */
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
      description: 'The webhook as it is now.',
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

objectOf('ReplayedWebhook', replayedWebhook, { names });
mutation('replayWebhookEvents', replayEvents);
