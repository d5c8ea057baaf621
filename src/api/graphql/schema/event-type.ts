import { type EventType, eventTypes } from '../../../shared/model/event.ts';
import { builder } from './builder.ts';

/** `message.reactionAdded` → `MESSAGE_REACTION_ADDED`. */
function nameOf(type: EventType): string {
  return type.replace('.', '_').replaceAll(/[A-Z]/g, '_$&').toUpperCase();
}

export const EventTypeRef = builder.enumType('EventType', {
  description: 'A kind of event.',
  values: Object.fromEntries(
    eventTypes.map((type) => [nameOf(type), { value: type, description: `\`${type}\` of webhooks.` }]),
  ) as Record<string, { value: EventType; description: string }>,
});
