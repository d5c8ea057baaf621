import { z } from 'zod';
import { webhook } from '../../../model/webhook.ts';
import { accountAction, webhookPrice } from '../../action.ts';
import { webhookId } from './fields.ts';

export const validateWebhook = accountAction({
  name: 'webhooks/validate',
  method: 'PUT',
  path: '/webhooks/{id}',
  summary: 'Run the CRC handshake again',
  description: '`auth_token` and `proxy`, where given, take the place of those that are kept.',
  price: webhookPrice,
  effect: 'idempotent',
  keepsActor: true,
  notBuilt: ['encryption_code'],
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: webhook,
  run: ({ account, webhooks, credentials: { authToken, proxy } }, { id }) =>
    webhooks.validate(
      account,
      id,
      authToken ? { authToken: authToken.expose(), proxy: proxy?.expose() ?? null } : undefined,
    ),
});
