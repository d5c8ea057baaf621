import { z } from 'zod';
import { createdWebhook } from '../../shared/model/webhook.ts';
import { platformAction, webhookPrice } from '../action.ts';
import { receiverUrl, wantedEvents } from './fields.ts';

export const createWebhook = platformAction({
  name: 'webhooks/create',
  method: 'POST',
  path: '/webhooks',
  summary: "Deliver the actor's activity to an address",
  description:
    'The CRC handshake with the receiver runs at once. If it fails, the webhook is registered but not `valid`, and `last_error` has the ' +
    'reason: repair the receiver, then validate the webhook. A second webhook with the same URL and `auth_token` is refused with 409. ' +
    'Only this response contains the secret. With `encryption_code` the webhook gets message events too; a wrong code is refused at once.',
  price: webhookPrice,
  handlesCredentials: true,
  code: 'optional',
  input: z.object({
    url: receiverUrl,
    events: wantedEvents
      .optional()
      .meta({ description: 'Types of events to deliver; all types but those of account events if null or left out.' }),
    secret: z
      .string()
      .min(16, 'must be 16 to 128 characters')
      .max(128, 'must be 16 to 128 characters')
      .optional()
      .meta({
        description: 'Secret that signs the deliveries, 16 to 128 characters; generated if left out.',
        examples: ['a-secret-of-at-least-16'],
      }),
  }),
  example: { url: 'http://localhost:9000/postern', secret: 'a-secret-of-at-least-16' },
  output: createdWebhook,
  async run({ platform, webhooks, account, author, credentials, tokenFor }, { url, events = null, secret = null }) {
    webhooks.checkTypes(events);
    const receiver = webhooks.checkUrl(url);
    const { cursor } = await platform.activity({ count: 1, cursor: null });
    return webhooks.create({
      token: tokenFor('createWebhook'),
      account,
      author,
      url: receiver,
      events,
      secret,
      cursor,
      encryptionCode: credentials.encryptionCode?.expose() ?? null,
      credentials: { authToken: credentials.authToken?.expose() ?? '', proxy: credentials.proxy?.expose() ?? null },
    });
  },
});
