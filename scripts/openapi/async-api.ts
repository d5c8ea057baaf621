import { webhookEventTypes } from '../../src/shared/model/event.ts';
import { eventTypeName } from '../../src/shared/model/event-bodies.ts';
import { aboutEvent, deliveryHeaders, type EventName, eventNames, eventReferences } from './events.ts';
import { SchemaBook } from './schemas.ts';
import type { JsonObject } from './shared.ts';
import { securitySchemes } from './shared.ts';

const streamedNames: readonly EventName[] = webhookEventTypes;

/** Returns schema/asyncapi.yaml, which describes webhook deliveries and the event stream (AsyncAPI 3.0). */
export function asyncApiDocument(): JsonObject {
  const book = new SchemaBook();
  const payloads = eventReferences(book);
  const message = (name: EventName) => ({
    name,
    title: name,
    summary: aboutEvent(name),
    contentType: 'application/json',
    payload: payloads.get(name),
  });
  const messages = (names: readonly EventName[], each: (name: EventName) => JsonObject) =>
    Object.fromEntries(names.map((name) => [eventTypeName(name), each(name)]));
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Postern events',
      version: '1.0.0',
      description:
        'Events of an account on the platform, sent to webhooks and to live streams. Both contain the same events with ' +
        'the same ids. Each event is sent at least once. The order is not guaranteed. openapi.json describes the REST API.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: '127.0.0.1:4000',
        pathname: '/v1',
        protocol: 'http',
        description: 'A service on this machine with its default settings.',
        security: Object.keys(securitySchemes).map((name) => ({
          $ref: `#/components/securitySchemes/${name}`,
        })),
      },
    },
    channels: {
      webhook: {
        address: null,
        title: 'Webhook',
        description: 'The `url` of a webhook, as sent to POST /webhooks. A delivery without a 2xx response is retried.',
        servers: [],
        messages: messages(eventNames, (name) => ({
          ...message(name),
          traits: [{ $ref: '#/components/messageTraits/delivery' }],
        })),
      },
      events: {
        address: '/events',
        title: 'Stream',
        description:
          'Server-Sent Events. The field `event` has the type, `id` the id and `data` the body. An event `gap` means that ' +
          'events may be missing. With `Last-Event-ID` the stream continues after the last event that was received.',
        servers: [{ $ref: '#/servers/gateway' }],
        messages: messages(streamedNames, (name) => ({ $ref: `#/components/messages/${eventTypeName(name)}` })),
      },
    },
    operations: {
      deliverEvent: {
        action: 'send',
        title: 'Deliver an event to a webhook',
        channel: { $ref: '#/channels/webhook' },
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
      streamEvents: {
        action: 'send',
        title: 'Stream events to a reader',
        channel: { $ref: '#/channels/events' },
        bindings: { http: { method: 'GET', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: messages(streamedNames, message),
      messageTraits: {
        delivery: {
          headers: {
            type: 'object',
            required: Object.keys(deliveryHeaders),
            properties: Object.fromEntries(
              Object.entries(deliveryHeaders).map(([name, { description, schema }]) => [
                name,
                { description, ...(schema as JsonObject) },
              ]),
            ),
          },
        },
      },
      schemas: book.components(),
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes as Record<string, JsonObject>).map(([name, scheme]) => [
          name,
          scheme['type'] === 'apiKey' ? { ...scheme, type: 'httpApiKey' } : scheme,
        ]),
      ),
    },
  };
}
