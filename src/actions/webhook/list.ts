import { z } from 'zod';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { webhook } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';

export const listWebhooks = accountAction({
  name: 'webhooks/list',
  method: 'GET',
  path: '/webhooks',
  summary: 'The webhooks of the account, newest first',
  price: webhookPrice,
  effect: 'read',
  paged: true,
  input: z.object(pageInput),
  example: { count: 5 },
  output: z.object({ webhooks: z.array(webhook), ...pageOutput }),
  async run({ account, webhooks }, { count, cursor = null }) {
    const page = await webhooks.list(account, count, cursor);
    return { webhooks: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});
