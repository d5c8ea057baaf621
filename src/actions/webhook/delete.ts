import { z } from 'zod';
import { accountAction, webhookPrice } from '../action.ts';
import { webhookId } from './fields.ts';

export const deleteWebhook = accountAction({
  name: 'webhooks/delete',
  method: 'DELETE',
  path: '/webhooks/{id}',
  summary: 'Delete a webhook',
  price: webhookPrice,
  effect: 'once',
  destructive: true,
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: z.object({
    id: webhookId,
    deleted: z.literal(true).meta({ description: 'Always true. A failed request returns an error instead.' }),
  }),
  run: ({ account, author, webhooks }, { id }) => webhooks.remove(account, id, author),
});
