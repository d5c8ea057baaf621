import { z } from 'zod';
import { webhook } from '../../shared/model/webhook.ts';
import { accountAction, webhookPrice } from '../action.ts';
import { anyOf } from '../input/input.ts';
import { receiverUrl, wantedEvents, webhookId } from './fields.ts';

export const updateWebhook = accountAction({
  name: 'webhooks/update',
  method: 'PATCH',
  path: '/webhooks/{id}',
  summary: 'Change the URL or the event types of a webhook, pause or resume it',
  description:
    'The CRC handshake with a new URL runs at once. The webhook is not valid until the handshake has passed. `events: null` means all types. ' +
    'While a webhook is paused nothing is delivered. Its events are kept for 24 hours and delivered after `paused: false`, oldest first.',
  price: webhookPrice,
  destructive: true,
  input: z
    .object({
      id: webhookId,
      url: receiverUrl.optional(),
      events: wantedEvents.optional(),
      paused: z.boolean().optional().meta({ description: 'True to pause the deliveries, false to resume them.' }),
    })
    .check(anyOf('url', 'events', 'paused')),
  example: { id: 'wh_Q5bX2m', events: ['tweet.like', 'user.follow'] },
  output: webhook,
  async run({ account, author, webhooks }, { id, ...change }) {
    webhooks.checkTypes(change.events);
    return webhooks.update(account, id, change, author);
  },
});
