import { z } from 'zod';
import { webhook } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';
import { webhookId } from './fields.ts';

export const validateWebhook = accountAction({
  name: 'webhooks/validate',
  method: 'PUT',
  path: '/webhooks/{id}',
  summary: 'Run the CRC handshake again',
  description:
    'If `auth_token` with `proxy`, or `encryption_code`, is given, it replaces the stored one, unless the platform refuses it.',
  price: webhookPrice,
  handlesCredentials: true,
  keepsActor: true,
  code: 'optional',
  input: z.object({ id: webhookId }),
  example: { id: 'wh_Q5bX2m' },
  output: webhook,
  run: ({ account, author, webhooks, credentials: { authToken, proxy, encryptionCode } }, { id }) =>
    webhooks.validate(
      account,
      id,
      {
        credentials: authToken ? { authToken: authToken.expose(), proxy: proxy?.expose() ?? null } : undefined,
        encryptionCode: encryptionCode?.expose(),
      },
      author,
    ),
});
