import { z } from 'zod';
import { missingField } from '../../shared/errors/fields.ts';
import { isMessageType, type WebhookEventType } from '../../shared/model/event.ts';
import { webhookEventType } from '../../shared/model/webhook.ts';
import type { Credentials } from '../action.ts';

export const webhookId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of the webhook.', examples: ['wh_Q5bX2m'] });

export const deliveredEventId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of the event.', examples: ['evt_3xY0Zk5mQeT9uVbN1cLrPd7s'] });

export const receiverUrl = z
  .string()
  .min(1)
  .meta({
    description: 'URL to send events to: `https`, or `http://localhost` for testing; at most 200 characters.',
    examples: ['https://hooks.example/postern'],
  });

export const wantedEvents = z
  .array(webhookEventType)
  .min(1, 'must name at least one type, or be left out for all')
  .nullable()
  .meta({ description: 'Types of events to deliver; null for all types but those of account events.' });

/** Refuses message types without an encryption code, because the stream would be charged and stay silent. Throws `missing_field`. */
export function requireCodeFor(types: readonly WebhookEventType[] | undefined, { encryptionCode }: Credentials): void {
  if (encryptionCode !== null || !types?.some(isMessageType)) return;
  throw missingField('encryption_code', 'encryption_code: message events need it in the header x-encryption-code');
}
