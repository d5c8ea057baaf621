import { z } from 'zod';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { webhook } from '../../shared/model/webhook.ts';
import { accountAction } from '../action.ts';

export const accountWebhooks = accountAction({
  name: 'account/webhooks',
  method: 'GET',
  summary: 'The webhooks of the account, newest first',
  description: 'A restricted key needs the group `webhooks`.',
  keyGroup: 'webhooks',
  paged: true,
  input: z.object(pageInput),
  example: { count: 5 },
  output: z.object({ webhooks: z.array(webhook), ...pageOutput }),
  async run({ account, webhooks }, { count, cursor = null }) {
    const page = await webhooks.list(account, count, cursor);
    return { webhooks: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});
