import { isMessageType } from '../../src/shared/model/event.ts';
import { eventBodies, eventTypeName } from '../../src/shared/model/event-bodies.ts';
import { SchemaBook } from './schemas.ts';
import type { JsonObject } from './shared.ts';
import { declarationsOf, typeSource } from './type-source.ts';

export type EventName = keyof typeof eventBodies;

export const eventNames = Object.keys(eventBodies) as EventName[];

/** Adds the bodies of all events to the schema book. Returns a reference to each body. */
export function eventReferences(book: SchemaBook): Map<EventName, JsonObject> {
  return new Map(eventNames.map((name) => [name, book.output(eventBodies[name])]));
}

export function aboutEvent(name: EventName): string {
  const about = eventBodies[name].meta()?.description ?? '';
  return isMessageType(name) ? `${about} Sent only if the webhook or stream has an \`encryption_code\`.` : about;
}

/** The headers of a webhook delivery. */
export const deliveryHeaders: Readonly<Record<string, JsonObject>> = {
  'webhook-id': { description: 'The id of the event (Standard Webhooks).', schema: { type: 'string' } },
  'webhook-timestamp': {
    description: 'Time of this attempt in seconds since 1970 (Standard Webhooks).',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'webhook-signature': {
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `webhook-id`, `webhook-timestamp` and the body, joined by dots ' +
      '(Standard Webhooks). While a secret is rotated, two signatures separated by a space.',
    schema: { type: 'string' },
  },
  'x-platform-webhooks-signature': {
    description: "The platform's own signature: `sha256=` and the base64 of HMAC-SHA256 over the body.",
    schema: { type: 'string' },
  },
  'x-platform-webhooks-event-id': { description: 'The id of the event.', schema: { type: 'string' } },
  'x-platform-webhooks-attempt': {
    description: 'The number of this attempt, beginning with 1.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'x-platform-webhooks-timestamp': {
    description: 'The same as `webhook-timestamp`.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
};

/** Deliveries have their own tag, so that client generators do not mix them with the methods of the API. */
export const deliveriesTag = { name: 'Deliveries', description: 'The requests that are sent to your webhooks.' };

/** Returns the `webhooks` section of OpenAPI 3.1, which describes the requests to a receiver. */
export function openApiWebhooks(book: SchemaBook): JsonObject {
  const references = eventReferences(book);
  return Object.fromEntries(
    eventNames.map((name) => [
      name,
      {
        post: {
          tags: [deliveriesTag.name],
          operationId: `on${eventTypeName(name)}`,
          summary: name,
          description: aboutEvent(name),
          // Excludes webhooks from generated clients, because openapi-generator 7.17 writes invalid Python for their parameters and bodies.
          'x-internal': true,
          security: [],
          parameters: Object.entries(deliveryHeaders).map(([header, { description, schema }]) => ({
            name: header,
            in: 'header',
            required: true,
            description,
            schema,
          })),
          requestBody: { required: true, content: { 'application/json': { schema: references.get(name) } } },
          responses: {
            '2XX': {
              description:
                'Received. After any other response, or no response within 10 seconds, the delivery is retried.',
            },
            '410': { description: 'The receiver no longer exists. The webhook becomes invalid at once.' },
          },
        },
      },
    ]),
  );
}

/** Returns schema/events.json, a JSON Schema (draft 2020-12) for the body of any event. */
export function eventsSchema(): JsonObject {
  const book = new SchemaBook();
  const oneOf = [...eventReferences(book).values()];
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Postern events',
    description:
      'The body of a webhook delivery, and the data of an event of GET /v1/events. Messages are sent only if the webhook ' +
      'or stream has an encryption_code.',
    oneOf,
    $defs: book.components(),
  };
  return JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', '#/$defs/')) as JsonObject;
}

/**
 * Returns src/client/webhooks/events.ts, the event types in TypeScript. They are generated, because the webhook kit must not import any
 * package.
 */
export function eventTypesSource(): string {
  const book = new SchemaBook();
  eventReferences(book);
  const types = Object.entries(book.components()).map(
    ([name, schema]) => [name, typeSource(schema as JsonObject)] as const,
  );
  const declarations = declarationsOf(new Map(types), {
    AnyEvent: ['AccountLowCreditEvent', 'WebhookTestEvent'],
    AnyMessageEvent: ['MessageReceivedEvent', 'MessageEditedEvent', 'MessageDeletedEvent'],
    AnyMessageChange: ['MessageDeletedEvent', 'MessageReactionAddedEvent'],
    AnyTweetEvent: ['TweetMentionEvent', 'TweetReplyEvent'],
    ActorsEvent: ['TweetLikeEvent', 'UserFollowEvent'],
  });
  const union = eventNames.map((name) => `\n  | ${eventTypeName(name)}`).join('');
  return `${[
    '// Printed by `npm run print` from src/shared/model/event-bodies.ts.',
    ...declarations,
    `/** Every event that a webhook can get. */\nexport type WebhookEvent =${union};`,
  ].join('\n\n')}\n`;
}
