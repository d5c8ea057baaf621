import { z } from 'zod';
import { pageInput, pageOutput } from '../../shared/model/page.ts';
import { delivery, deliveryDetail } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';
import { deliveredEventId, webhookId } from './fields.ts';

export const webhookDeliveries = accountAction({
  name: 'webhooks/deliveries',
  method: 'GET',
  path: '/webhooks/{id}/deliveries',
  summary: 'The deliveries of the last 24 hours, newest first',
  paged: true,
  input: z.object({ id: webhookId, ...pageInput }),
  example: { id: 'wh_Q5bX2m', count: 5 },
  output: z.object({ deliveries: z.array(delivery), ...pageOutput }),
  async run({ account, webhooks }, { id, count, cursor = null }) {
    const page = await webhooks.deliveries(account, id, count, cursor);
    return { deliveries: page.items, has_more: page.cursor !== null, next_cursor: page.cursor };
  },
});

export const webhookDelivery = accountAction({
  name: 'webhooks/delivery',
  method: 'GET',
  path: '/webhooks/{id}/deliveries/{event_id}',
  summary: 'One delivery of the last 24 hours, with its attempts',
  description: 'Each attempt has the headers of its request and the first 1 KiB of the response body.',
  input: z.object({ id: webhookId, event_id: deliveredEventId }),
  example: { id: 'wh_Q5bX2m', event_id: 'evt_3xY0Zk5mQeT9uVbN1cLrPd7s' },
  output: deliveryDetail,
  run: ({ account, webhooks }, { id, event_id }) => webhooks.delivery(account, id, event_id),
});

export const resendDelivery = accountAction({
  name: 'webhooks/resend',
  method: 'POST',
  path: '/webhooks/{id}/deliveries/{event_id}/resend',
  summary: 'Deliver one event of the last 24 hours again',
  description:
    'Delivers the event with the same id and bytes, even if it was delivered or given up before. The CRC handshake runs first, as for a replay.',
  price: webhookPrice,
  input: z.object({ id: webhookId, event_id: deliveredEventId }),
  example: { id: 'wh_Q5bX2m', event_id: 'evt_3xY0Zk5mQeT9uVbN1cLrPd7s' },
  output: delivery,
  run: ({ account, webhooks }, { id, event_id }) => webhooks.resend(account, id, event_id),
});
