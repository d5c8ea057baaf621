import { z } from 'zod';
import { webhookTest } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';
import { webhookId } from './fields.ts';

export const testWebhook = accountAction({
  name: 'webhooks/test',
  method: 'POST',
  path: '/webhooks/{id}/test',
  summary: 'Send a signed `webhook.test` event now',
  price: webhookPrice,
  effect: 'once',
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: webhookTest,
  run: ({ account, webhooks }, { id }) => webhooks.test(account, id),
});
