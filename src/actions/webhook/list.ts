import { webhook } from '../../shared/model/webhook.ts';
import { webhookPrice } from '../action.ts';
import { accountList } from '../paging/account-list.ts';

export const accountWebhooks = accountList('webhooks', {
  name: 'account/webhooks',
  summary: 'The webhooks of the account, newest first',
  description: 'A restricted key needs the group `webhooks`.',
  keyGroup: 'webhooks',
  item: webhook,
  read: ({ account, webhooks }, count, cursor) => webhooks.list(account, count, cursor),
});

export const listWebhooks: typeof accountWebhooks = {
  ...accountWebhooks,
  name: 'webhooks/list',
  path: '/webhooks',
  description: '`GET /account/webhooks` returns the same list for free.',
  price: webhookPrice,
};
