import type { z } from 'zod';
import { eventStream } from '../../../actions/webhook/stream.ts';
import { eventToken } from '../../../actions/webhook/stream-token.ts';
import { isMessageType, type WebhookEventType, webhookEventTypes } from '../../../shared/model/event.ts';
import { type EventBody, eventAttachment, eventBodies, eventTypeName } from '../../../shared/model/event-bodies.ts';
import { eventType, webhookEventType } from '../../../shared/model/webhook.ts';
import { type Args, costs } from '../document/cost.ts';
import type { Session } from '../execute/session.ts';
import { builder } from './builder.ts';
import { describeCall } from './describe.ts';
import { mutation } from './mutation.ts';
import { enumOf, fieldsOf, objectOf, schemaDescription, useTypeOf } from './zod-types.ts';

const EventTypeRef = enumOf('EventType', webhookEventType, 'A type of event.', (type) => `\`${type}\` of webhooks.`);
useTypeOf(webhookEventType, eventType);

/** The body of an event, in the same form as webhooks receive it. */
type EventSource = EventBody<WebhookEventType>;

const EventRef = builder.interfaceRef<EventSource>('Event');

builder.interfaceType(EventRef, {
  description:
    'Something that happened to the actor, or to the API account. Webhooks get the same events with the same ids.',
  resolveType: ({ type }) => eventTypeName(type),
  fields: (t) => ({
    id: t.exposeString('id', {
      description: 'Id of the event. If it is sent as `after`, the stream continues after this event.',
    }),
    type: t.field({ type: EventTypeRef, description: 'The type of the event.', resolve: (event) => event.type }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'Time of the event.' }),
  }),
});

objectOf('EventAttachment', eventAttachment);

const commonFields = ['id', 'type', 'created_at'];

for (const type of webhookEventTypes) {
  const schema: z.ZodObject = eventBodies[type];
  const about = schemaDescription(schema);
  builder.objectType(builder.objectRef<EventSource>(eventTypeName(type)), {
    description: isMessageType(type) ? `${about} Sent only if \`x-encryption-code\` was given.` : about,
    interfaces: [EventRef],
    fields: (t) => fieldsOf(t, schema, { omit: commonFields }) as never,
  });
}

builder.subscriptionType({ description: 'Events of the actor, sent as Server-Sent Events.' });

/** The action has the event types as one comma-separated string, and the last event id under the name of the HTTP header. */
function inputOf({ types, after }: Args): Record<string, unknown> {
  return {
    ...(types != null && { types: (types as readonly WebhookEventType[]).join() }),
    ...(after != null && { last_event_id: after }),
  };
}

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventRef,
    nullable: true,
    description: `${describeCall(eventStream)} A null means that events before the next one may be missing.`,
    args: {
      types: t.arg({
        type: [EventTypeRef],
        description: 'Types of events. The default is all types but those of account events.',
      }),
      after: t.arg.string({
        description:
          'Id of the last event that you have. The stream continues with the events of the last 24 hours after this event.',
      }),
    },
    ...costs({ action: eventStream, input: inputOf }),
    subscribe: (_root, args, session: Session) => session.open(eventStream, inputOf(args)) as never,
    resolve: (event) => event as unknown as EventSource,
  }),
);

mutation('createEventToken', eventToken);
