import { z } from 'zod';
import { count } from '../../shared/model/scalars.ts';
import { accountAction, replayPrice } from '../action.ts';
import { webhookId } from './fields.ts';

const replayed = count.meta({ description: 'Number of events queued again.' });

export const replayedWebhook = z
  .object({ id: webhookId, replayed })
  .meta({ description: 'Events that were queued again for one webhook.' });

export const replayEvents = accountAction({
  name: 'webhooks/replay',
  method: 'POST',
  path: '/webhooks/replay',
  summary: 'Deliver the events of the last 24 hours again',
  description:
    'Delivers them to one webhook, or to all valid webhooks, with the same ids and bytes. New events do not wait for them.',
  price: replayPrice,
  effect: 'once',
  input: z.object({
    webhook_id: webhookId.optional().meta({ description: 'Id of the webhook; all valid webhooks if left out.' }),
  }),
  example: {},
  output: z.object({
    replayed: replayed.meta({ description: 'Number of events queued again for all webhooks.' }),
    webhooks: z.array(replayedWebhook).meta({ description: 'The number for each webhook.' }),
  }),
  run: ({ account, webhooks }, { webhook_id = null }) => webhooks.replay(account, webhook_id),
});
