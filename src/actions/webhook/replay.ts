import { z } from 'zod';
import { count } from '../../shared/model/scalars.ts';
import { accountAction, replayPrice } from '../action.ts';
import { moment, momentPattern } from '../input/input.ts';
import { webhookId } from './fields.ts';

const replayed = count.meta({ description: 'Number of events queued again.' });

export const replayedWebhook = z
  .object({ id: webhookId, replayed })
  .meta({ description: 'Events that were queued again for one webhook.' });

export const replayEvents = accountAction({
  name: 'webhooks/replay',
  method: 'POST',
  summary: 'Deliver the events of the last 24 hours again',
  description:
    'Delivers them to one webhook, or to all valid webhooks that are not paused, with the same ids and bytes. New events do not wait for a ' +
    'replay. With `only: failed` it delivers the events that were given up or wait for another attempt.',
  price: replayPrice,
  input: z.object({
    webhook_id: webhookId.optional().meta({ description: 'Id of the webhook; all valid webhooks if left out.' }),
    only: z
      .enum(['failed'], 'must be failed, or be left out for all events')
      .optional()
      .meta({
        description: '`failed` for the events whose last attempt failed; all events if left out.',
        examples: ['failed'],
      }),
    since: moment.optional().meta({
      description: 'Only events since this time, ISO 8601; all of the last 24 hours if left out.',
      pattern: momentPattern,
      examples: ['2026-11-21T09:00:00Z'],
    }),
  }),
  example: {},
  output: z.object({
    replayed: replayed.meta({ description: 'Number of events queued again for all webhooks.' }),
    webhooks: z.array(replayedWebhook).meta({ description: 'The number of events for each webhook.' }),
  }),
  run: ({ account, webhooks }, { webhook_id = null, only, since }) =>
    webhooks.replay(account, webhook_id, {
      failed: only === 'failed',
      since: since === undefined ? undefined : Date.parse(since),
    }),
});
