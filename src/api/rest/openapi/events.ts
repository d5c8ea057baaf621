import { isMessageType } from '../../../shared/model/event.ts';
import { eventBodies, eventTypeName } from '../../../shared/model/event-bodies.ts';
import { SchemaBook } from './schemas.ts';
import type { JsonObject } from './shared.ts';

export type EventName = keyof typeof eventBodies;

export const eventNames = Object.keys(eventBodies) as EventName[];

/** Puts the bodies of all events into the book. Returns a reference to each. */
export function eventReferences(book: SchemaBook): Map<EventName, JsonObject> {
  return new Map(eventNames.map((name) => [name, book.output(eventBodies[name])]));
}

export function aboutEvent(name: EventName): string {
  const about = eventBodies[name].meta()?.description ?? '';
  return isMessageType(name) ? `${about} Sent only if the webhook or stream has an \`encryption_code\`.` : about;
}

/** The headers of a delivery. */
export const deliveryHeaders: Readonly<Record<string, JsonObject>> = {
  'webhook-id': { description: 'The id of the event (Standard Webhooks).', schema: { type: 'string' } },
  'webhook-timestamp': {
    description: 'When this attempt was made, in seconds since 1970 (Standard Webhooks).',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'webhook-signature': {
    description:
      '`v1,` and the base64 of HMAC-SHA256 over `webhook-id`, `webhook-timestamp` and the body, joined by dots ' +
      '(Standard Webhooks); several by space while a secret is replaced.',
    schema: { type: 'string' },
  },
  'x-platform-webhooks-signature': {
    description: "The platform's own signature: `sha256=` and the base64 of HMAC-SHA256 over the body.",
    schema: { type: 'string' },
  },
  'x-platform-webhooks-event-id': { description: 'The id of the event.', schema: { type: 'string' } },
  'x-platform-webhooks-attempt': {
    description: 'Counts the attempts at this event, from 1.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'x-platform-webhooks-timestamp': {
    description: 'The same as `webhook-timestamp`.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
};

/** A tag of their own: generators that make methods of them keep those apart from the methods of the API. */
export const deliveriesTag = { name: 'Deliveries', description: 'The requests that a webhook of yours receives.' };

/** `webhooks` of OpenAPI 3.1: the requests that a receiver answers. */
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
          // openapi-generator 7.17 writes invalid Python for the parameters and bodies of webhooks; this makes it leave them out.
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
            '2XX': { description: 'Received. Any other answer within 10 seconds, or none, is followed by a retry.' },
            '410': { description: 'The receiver is gone: the webhook becomes invalid at once.' },
          },
        },
      },
    ]),
  );
}

/** schema/events.json: the body of any event as JSON Schema (draft 2020-12). */
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

/** src/client/webhooks/events.ts: the same as TypeScript, since the kit imports no package. */
export function eventTypes(): string {
  const book = new SchemaBook();
  eventReferences(book);
  const interfaces = Object.entries(book.components()).map(([name, schema]) => interfaceOf(name, schema as JsonObject));
  const union = eventNames.map((name) => `\n  | ${eventTypeName(name)}`).join('');
  return `${[
    '// Printed by `npm run print` from src/shared/model/event-bodies.ts.',
    ...interfaces,
    `/** Every event that a webhook can get. */\nexport type WebhookEvent =${union};`,
  ].join('\n\n')}\n`;
}

function interfaceOf(name: string, { description, properties, required = [] }: JsonObject): string {
  const fields = Object.entries(properties as Record<string, JsonObject>).map(([field, schema]) => {
    const optional = (required as string[]).includes(field) ? '' : '?';
    return `${comment(schema['description'], '  ')}  ${field}${optional}: ${typeOf(schema)};`;
  });
  return `${comment(description, '')}export interface ${name} {\n${fields.join('\n')}\n}`;
}

function comment(text: unknown, indent: string): string {
  return typeof text === 'string' ? `${indent}/** ${text} */\n` : '';
}

function typeOf(schema: JsonObject): string {
  const { type, items, $ref, const: only, anyOf } = schema;
  if (Array.isArray(anyOf)) return anyOf.map((each) => typeOf(each as JsonObject)).join(' | ');
  if (typeof $ref === 'string') return $ref.replace(/^.*\//, '');
  if (only !== undefined) return `'${only}'`;
  if (type === 'array') return `${typeOf(items as JsonObject)}[]`;
  if (Array.isArray(type)) return type.join(' | ');
  return type === 'integer' ? 'number' : String(type);
}
