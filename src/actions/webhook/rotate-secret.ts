import { z } from 'zod';
import { accountAction, webhookPrice } from '../action.ts';
import { webhookId } from './fields.ts';

export const rotateWebhookSecret = accountAction({
  name: 'webhooks/rotate-secret',
  method: 'POST',
  path: '/webhooks/{id}/rotate-secret',
  summary: 'Make a new secret',
  description:
    'Both secrets sign for 24 hours in `webhook-signature`; `x-platform-webhooks-signature` uses the new one once a CRC with it has passed.',
  price: webhookPrice,
  effect: 'once',
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: z.object({ id: webhookId, secret: z.string().meta({ description: 'The new secret. Shown this once.' }) }),
  run: ({ account, webhooks }, { id }) => webhooks.rotateSecret(account, id),
});
