import { z } from 'zod';
import { accountAction, webhookPrice } from '../action.ts';
import { webhookId } from './fields.ts';

export const rotateWebhookSecret = accountAction({
  name: 'webhooks/rotate-secret',
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  summary: 'Replace the secret of a webhook',
  description:
    'For 24 hours `webhook-signature` has a signature of each secret. `x-platform-webhooks-signature` uses the new secret as soon as a CRC handshake with it has passed.',
  price: webhookPrice,
  effect: 'once',
  handlesCredentials: true,
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: z.object({
    id: webhookId,
    secret: z.string().meta({ description: 'The new secret. Only this response contains it.' }),
  }),
  run: ({ account, author, webhooks }, { id }) => webhooks.rotateSecret(account, id, author),
});
