import { z } from 'zod';
import { webhook } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';
import { anyOf } from '../input/input.ts';
import { receiverUrl, wantedEvents, webhookId } from './fields.ts';

export const updateWebhook = accountAction({
  name: 'webhooks/update',
  method: 'PATCH',
  path: '/webhooks/{id}',
  summary: 'Change the address or the event types of a webhook',
  description:
    'The CRC handshake with a new address runs at once; the webhook is not valid until it has passed. `events: null` means all types.',
  price: webhookPrice,
  effect: 'idempotent',
  input: z
    .object({ id: webhookId, url: receiverUrl.optional(), events: wantedEvents.optional() })
    .check(anyOf('url', 'events')),
  example: { id: 'wh_Q5bX2m', events: ['tweet.like', 'user.follow'] },
  output: webhook,
  run: ({ account, webhooks }, { id, url, events }) => webhooks.update(account, id, { url, events }),
});
