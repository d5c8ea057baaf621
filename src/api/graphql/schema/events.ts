import type { z } from 'zod';
import { eventStream } from '../../../actions/webhook/stream.ts';
import { type EventType, eventTypes, isMessageType } from '../../../shared/model/event.ts';
import { type EventBody, eventAttachment, eventBodies, eventTypeName } from '../../../shared/model/event-bodies.ts';
import { eventType } from '../../../shared/model/webhook.ts';
import { type Args, costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { builder } from './builder.ts';
import { describeCall } from './describe.ts';
import { descriptionOf, enumOf, fieldsOf, objectOf } from './zod-types.ts';

const EventTypeRef = enumOf('EventType', eventType, 'A type of event.', (type) => `\`${type}\` of webhooks.`);

/** The body of an event, as webhooks get it. */
type EventSource = EventBody<EventType>;

const EventRef = builder.interfaceRef<EventSource>('Event');

builder.interfaceType(EventRef, {
  description: "Something that happened to the actor's account. Webhooks get the same events with the same ids.",
  resolveType: ({ type }) => eventTypeName(type),
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Id of the event. `after` takes it to continue after the event.' }),
    type: t.field({ type: EventTypeRef, description: 'The type of the event.', resolve: (event) => event.type }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

objectOf('EventAttachment', eventAttachment);

const commonFields = ['id', 'type', 'created_at'];

for (const type of eventTypes) {
  const schema: z.ZodObject = eventBodies[type];
  const about = descriptionOf(schema);
  builder.objectType(builder.objectRef<EventSource>(eventTypeName(type)), {
    description: isMessageType(type) ? `${about} Sent only if \`x-encryption-code\` was given.` : about,
    interfaces: [EventRef],
    fields: (t) => fieldsOf(t, schema, { omit: commonFields }) as never,
  });
}

builder.subscriptionType({ description: 'What happens to the actor, over Server-Sent Events.' });

/** REST takes the types as one text, and the last id under the name of the header. */
function inputOf({ types, after }: Args): Record<string, unknown> {
  return {
    ...(types != null && { types: (types as readonly EventType[]).join() }),
    ...(after != null && { last_event_id: after }),
  };
}

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventRef,
    nullable: true,
    description: `${describeCall(eventStream)} A null means that events may be missing before the next one.`,
    args: {
      types: t.arg({ type: [EventTypeRef], description: 'Types of events; all if left out.' }),
      after: t.arg.string({
        description: 'Id of the last event that you have. Events of the last 24 hours follow it.',
      }),
    },
    ...costs({ action: eventStream, input: inputOf }),
    subscribe: (_root, args, session: Session) => session.open(eventStream, inputOf(args)) as never,
    resolve: (event) => event as unknown as EventSource,
  }),
);
