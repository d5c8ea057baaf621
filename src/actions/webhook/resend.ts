import { z } from 'zod';
import { delivery } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';
import { deliveredEventId, webhookId } from './fields.ts';

export const resendDelivery = accountAction({
  name: 'webhooks/resend',
  method: 'POST',
  path: '/webhooks/{id}/deliveries/{event_id}/resend',
  summary: 'Deliver one event of the last 24 hours again',
  description:
    'Delivers the event with the same id and bytes, even if it was delivered or given up before. The CRC handshake runs first, as for a replay.',
  price: webhookPrice,
  effect: 'once',
  input: z.object({ id: webhookId, event_id: deliveredEventId }),
  example: { id: 'wh_Q5bX2m', event_id: 'evt_3xY0Zk5mQeT9uVbN1cLrPd7s' },
  output: delivery,
  run: ({ account, webhooks }, { id, event_id }) => webhooks.resend(account, id, event_id),
});
