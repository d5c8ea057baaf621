import { z } from 'zod';
import { webhook, webhookTest } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';
import { webhookId } from './fields.ts';

export const webhookDetail = accountAction({
  name: 'webhooks/detail',
  method: 'GET',
  path: '/webhooks/{id}',
  summary: 'One webhook',
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: webhook,
  run: ({ account, webhooks }, { id }) => webhooks.find(account, id),
});

export const deleteWebhook = accountAction({
  name: 'webhooks/delete',
  method: 'DELETE',
  path: '/webhooks/{id}',
  summary: 'Delete a webhook',
  price: webhookPrice,
  destructive: true,
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: z.object({
    id: webhookId,
    deleted: z.literal(true).meta({ description: 'Always true. A failed request returns an error instead.' }),
  }),
  run: ({ account, author, webhooks }, { id }) => webhooks.remove(account, id, author),
});

export const testWebhook = accountAction({
  name: 'webhooks/test',
  method: 'POST',
  path: '/webhooks/{id}/test',
  summary: 'Send a signed `webhook.test` event now',
  price: webhookPrice,
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: webhookTest,
  run: ({ account, webhooks }, { id }) => webhooks.test(account, id),
});

export const rotateWebhookSecret = accountAction({
  name: 'webhooks/rotate-secret',
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  summary: 'Replace the secret of a webhook',
  description:
    'For 24 hours `webhook-signature` has a signature of each secret. `x-platform-webhooks-signature` uses the new secret as soon as a CRC handshake with it has passed.',
  price: webhookPrice,
  handlesCredentials: true,
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: z.object({
    id: webhookId,
    secret: z.string().meta({ description: 'The new secret. Only this response contains it.' }),
  }),
  run: ({ account, author, webhooks }, { id }) => webhooks.rotateSecret(account, id, author),
});
