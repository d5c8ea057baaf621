import { z } from 'zod';
import { webhookEventTypes } from '../../shared/model/event.ts';
import { isoTime } from '../../shared/model/scalars.ts';
import { formatIsoTime } from '../../shared/model/time.ts';
import { webhookEventType } from '../../shared/model/webhook.ts';
import { platformAction } from '../action.ts';
import { requireCodeFor } from './fields.ts';

export const eventToken = platformAction({
  name: 'events/token',
  method: 'POST',
  summary: 'A token that opens the live stream in a browser',
  description:
    "A browser's `EventSource` cannot send headers, so it opens `GET /events?token=…` with this token instead of the API key and the actor's " +
    'credentials. The token opens only this stream, with these types, for 15 minutes and any number of times. It has the restrictions of the ' +
    'API key, and ends with it. It is a secret: whoever has it can read the stream. Opening the stream is charged as usual.',
  price: 0,
  effect: 'read',
  handlesCredentials: true,
  code: 'optional',
  input: z.object({
    types: z
      .array(webhookEventType)
      .min(1, 'must name at least one type, or be left out for all')
      .max(webhookEventTypes.length, `must be at most ${webhookEventTypes.length} types`)
      .optional()
      .meta({ description: 'Types of events; all but those of account events if left out.' }),
  }),
  example: { types: ['tweet.like', 'user.follow'] },
  output: z.object({
    token: z.string().meta({ description: 'The token, for the query parameter `token` of `GET /events`.' }),
    expires_at: isoTime.meta({ description: 'When the token ceases to open the stream.' }),
  }),
  validate: ({ types: wanted }, _platform, credentials) => requireCodeFor(wanted, credentials),
  async run({ key, webhooks, credentials, streamTokens }, { types = null }) {
    webhooks.checkTypes(types);
    if (key === null) throw new Error('a token needs an API key');
    const { authToken, proxy, encryptionCode } = credentials;
    const { token, expiresAt } = streamTokens.make(
      {
        keyHash: key.hash,
        authToken: authToken?.expose() ?? '',
        proxy: proxy?.expose() ?? null,
        encryptionCode: encryptionCode?.expose() ?? null,
        types,
      },
      key.restrictions?.expiresAt ?? null,
    );
    return { token, expires_at: formatIsoTime(expiresAt) };
  },
});
