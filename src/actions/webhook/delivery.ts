import { z } from 'zod';
import { deliveryDetail } from '../../shared/model/webhook.ts';
import { accountAction } from '../action.ts';
import { deliveredEventId, webhookId } from './fields.ts';

export const webhookDelivery = accountAction({
  name: 'webhooks/delivery',
  method: 'GET',
  path: '/webhooks/{id}/deliveries/{event_id}',
  summary: 'One delivery of the last 24 hours, with its attempts',
  description: 'Each attempt has the headers of its request and the first 1 KiB of the response body.',
  price: 0,
  effect: 'read',
  input: z.object({ id: webhookId, event_id: deliveredEventId }),
  example: { id: 'wh_Q5bX2m', event_id: 'evt_3xY0Zk5mQeT9uVbN1cLrPd7s' },
  output: deliveryDetail,
  run: ({ account, webhooks }, { id, event_id }) => webhooks.delivery(account, id, event_id),
});
