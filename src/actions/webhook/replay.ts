import { z } from 'zod';
import { count } from '../../shared/model/scalars.ts';
import { accountAction, replayPrice } from '../action.ts';
import { webhookId } from './fields.ts';

export const replayEvents = accountAction({
  name: 'webhooks/replay',
  method: 'POST',
  path: '/webhooks/replay',
  summary: 'Deliver the events of the last 24 hours again',
  description:
    'To one webhook, or to all that are valid. The same events with the same ids and bytes; new events do not wait for them.',
  price: replayPrice,
  effect: 'once',
  input: z.object({ webhook_id: webhookId.optional() }),
  example: {},
  output: z.object({ replayed: count, webhooks: z.array(z.object({ id: z.string(), replayed: count })) }),
  run: ({ account, webhooks }, { webhook_id = null }) => webhooks.replay(account, webhook_id),
});
