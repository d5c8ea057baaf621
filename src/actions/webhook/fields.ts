import { z } from 'zod';
import { eventType } from '../../shared/model/webhook.ts';

export const webhookId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'Id of the webhook.', examples: ['wh_Q5bX2m'] });

export const receiverUrl = z
  .string()
  .min(1)
  .meta({
    description: 'Address to send events to: `https`, or `http://localhost` for testing; at most 200 characters.',
    examples: ['https://hooks.example/postern'],
  });

export const wantedEvents = z
  .array(eventType)
  .min(1, 'must name at least one type, or be left out for all')
  .nullable()
  .meta({ description: 'Types of events to deliver; null for all types.' });
