import { z } from 'zod';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { delivery } from '../../shared/model/webhook.ts';
import { accountAction } from '../action.ts';
import { webhookId } from './fields.ts';

export const webhookDeliveries = accountAction({
  name: 'webhooks/deliveries',
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  summary: 'The deliveries of the last 24 hours, newest first',
  price: 0,
  effect: 'read',
  paged: true,
  input: z.object({ id: webhookId, ...pageInput }),
  example: { id: 'wh_Q5bX2m', count: 5 },
  output: z.object({ deliveries: z.array(delivery), ...pageOutput }),
  async run({ account, webhooks }, { id, count, cursor = null }) {
    const page = await webhooks.deliveries(account, id, count, cursor);
    return { deliveries: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});
