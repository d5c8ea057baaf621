import { z } from 'zod';
import { streamedEvent } from '../../shared/model/event-bodies.ts';
import { webhookEventType } from '../../shared/model/webhook.ts';
import { platformAction } from '../action.ts';
import { requireCodeFor } from './fields.ts';

const types = z
  .string()
  .min(1, 'must name at least one type, or be left out for all')
  .regex(/^[\w.]+(,[\w.]+)*$/, 'must be types of events, by comma and without blanks')
  .transform((text) => text.split(','))
  .pipe(z.array(webhookEventType));

export const eventStream = platformAction({
  name: 'events',
  method: 'GET',
  summary: "The actor's activity as it happens",
  description:
    'Server-Sent Events with the events that a webhook of the actor would get. Each has its id, so a client that reconnects with ' +
    '`Last-Event-ID` within 24 hours misses none; if events may be missing, an event `gap` reports it. Message events ' +
    'need `encryption_code`.',
  kind: 'stream',
  code: 'optional',
  input: z.object({
    types: types
      .optional()
      .meta({ description: 'Types of events, separated by commas; all but those of account events if left out.' }),
    last_event_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({
        description: 'The same as the header `Last-Event-ID`.',
        examples: ['evt_3xY0Zk5mQeT9uVbN1cLrPd7s'],
      }),
  }),
  example: { types: 'tweet.like,user.follow' },
  output: streamedEvent,
  validate: ({ types: wanted }, _platform, credentials) => requireCodeFor(wanted, credentials),
  async run({ platform, webhooks, account, credentials }, { types: wanted = null, last_event_id: after = null }) {
    webhooks.checkTypes(wanted);
    const { cursor } = await platform.activity({ count: 1, cursor: null });
    const proxy = credentials.proxy?.expose() ?? null;
    return webhooks.stream({
      account,
      cursor,
      types: wanted,
      after,
      encryptionCode: credentials.encryptionCode?.expose() ?? null,
      credentials: { authToken: credentials.authToken?.expose() ?? '', proxy },
    }) as never;
  },
});
