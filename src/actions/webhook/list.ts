import { accountWebhooks } from '../account/webhooks.ts';
import { webhookPrice } from '../action.ts';

export const listWebhooks: typeof accountWebhooks = {
  ...accountWebhooks,
  name: 'webhooks/list',
  path: '/webhooks',
  description: '`GET /account/webhooks` returns the same list for free.',
  price: webhookPrice,
};
