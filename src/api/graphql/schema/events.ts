import { z } from 'zod';
import { eventStream } from '../../../actions/webhook/stream.ts';
import { type EventType, eventTypes, isMessageType } from '../../../shared/model/event.ts';
import { type EventBody, eventBodies, eventTypeName } from '../../../shared/model/event-bodies.ts';
import { costs } from '../cost.ts';
import type { Session } from '../session.ts';
import { given } from './bind.ts';
import { builder } from './builder.ts';
import { EventTypeRef } from './event-type.ts';

/** The body of an event, as webhooks get it. Its fields are read by name. */
type EventSource = EventBody<EventType>;
type Fields = Readonly<Record<string, unknown>>;

const EventRef = builder.interfaceRef<EventSource>('Event');

builder.interfaceType(EventRef, {
  description: "Something that happened to the actor's account. The same as webhooks get, with the same ids.",
  resolveType: ({ type }) => eventTypeName(type),
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The id of the event: `after` takes it to continue behind the event.' }),
    type: t.field({ type: EventTypeRef, description: 'The type of the event.', resolve: (event) => event.type }),
    createdAt: t.expose('created_at', { type: 'DateTime', description: 'When it happened.' }),
  }),
});

const EventAttachmentRef =
  builder.objectRef<NonNullable<EventBody<'message.received'>['attachment']>>('EventAttachment');

builder.objectType(EventAttachmentRef, {
  description: 'A file that came with a message, as its sender describes it.',
  fields: (t) => ({
    type: t.exposeInt('type', { description: '1 image, 2 gif, 3 video, 4 audio, 5 file, 6 svg.' }),
    filename: t.exposeString('filename', { description: 'Name of the file.' }),
    size: t.field({ type: 'Float', description: 'Bytes before encryption.', resolve: ({ size }) => size }),
  }),
});

const commonFields = new Set(['id', 'type', 'created_at']);

/** `author_screen_name` → `authorUserName`: screen names are `userName` everywhere in the schema. */
function fieldName(field: string): string {
  return field
    .replace('screen_name', 'user_name')
    .replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

for (const type of eventTypes) {
  const schema: z.ZodObject = eventBodies[type];
  const about = schema.meta()?.description ?? '';
  builder.objectType(builder.objectRef<EventSource>(eventTypeName(type)), {
    description: isMessageType(type) ? `${about} Sent only if \`x-encryption-code\` was given.` : about,
    interfaces: [EventRef],
    fields: (t) => {
      const fields = Object.entries(schema.shape).filter(([field]) => !commonFields.has(field));
      return Object.fromEntries(
        fields.map(([field, each]) => [fieldName(field), fieldOf(t, field, each as z.ZodType)]),
      );
    },
  });
}

type FieldBuilder = PothosSchemaTypes.ObjectFieldBuilder<typeof builder.$inferSchemaTypes, EventSource>;

/** A field of an event by its zod schema. */
function fieldOf(t: FieldBuilder, field: string, schema: z.ZodType) {
  const nullable = schema.safeParse(undefined).success || schema.safeParse(null).success;
  const inner = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  const read = (event: EventSource) => (event as Fields)[field];
  const description = (schema.meta()?.description ?? '').replaceAll(
    /`(\w+_id)`/g,
    (_match, name: string) => `\`${fieldName(name)}\``,
  );
  const options = { nullable, description };
  if (inner instanceof z.ZodBoolean) return t.boolean({ ...options, resolve: (event) => read(event) === true });
  if (inner instanceof z.ZodArray) return t.stringList({ ...options, resolve: (event) => read(event) as string[] });
  if (inner instanceof z.ZodObject) {
    const resolve = (event: EventSource) => (read(event) ?? null) as never;
    return t.field({ ...options, type: EventAttachmentRef, resolve });
  }
  return t.string({ ...options, resolve: (event) => (read(event) ?? null) as never });
}

interface EventArgs {
  types?: readonly EventType[] | null | undefined;
  after?: string | null | undefined;
}

const inputOf = ({ types, after }: EventArgs) => given({ types: types?.join(','), last_event_id: after });

builder.subscriptionType({ description: 'What is told as it happens, over Server-Sent Events.' });

builder.subscriptionField('events', (t) =>
  t.field({
    type: EventRef,
    nullable: true,
    description: "The actor's activity. A call, when it opens. A null says that events may be missing before the next.",
    args: {
      types: t.arg({ type: [EventTypeRef], description: 'Kinds to be told of; all if left out.' }),
      after: t.arg.string({ description: 'Id of the last event that you have: goes on behind it, within 24 hours.' }),
    },
    ...costs({ action: eventStream, input: (args) => inputOf(args as EventArgs) }),
    subscribe: (_root, args, session: Session) => session.open(eventStream, inputOf(args)) as never,
    resolve: (event) => event as unknown as EventSource,
  }),
);
