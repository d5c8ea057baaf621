import { eventTypeName } from '../../../shared/model/event-bodies.ts';
import { aboutEvent, deliveryHeaders, type EventName, eventNames, eventReferences } from './events.ts';
import { SchemaBook } from './schemas.ts';
import type { JsonObject } from './shared.ts';
import { securitySchemes } from './shared.ts';

const streamedNames = eventNames.filter((name) => name !== 'webhook.test');

/** schema/asyncapi.yaml: deliveries to webhooks and the stream of events (AsyncAPI 3.0). */
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
        'Events of an account on the platform, pushed to webhooks and streamed to readers. Both carry the same events with ' +
        'the same ids. Each event is sent at least once, in no promised order. The REST API is described in openapi.json.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/json',
    servers: {
      gateway: {
        host: '127.0.0.1:4000',
        pathname: '/v1',
        protocol: 'http',
        description: 'A service on this machine with its default settings.',
        security: ['apiKey', 'actor', 'encryptionCode'].map((name) => ({
          $ref: `#/components/securitySchemes/${name}`,
        })),
      },
    },
    channels: {
      webhook: {
        address: null,
        title: 'Webhook',
        description:
          'The `url` of a webhook, as given to POST /webhooks. An event that is not answered 2xx is retried.',
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
          'Server-Sent Events. The field `event` has the type, `id` the id and `data` the body. An event `gap` says that ' +
          'events may be missing; `Last-Event-ID` continues behind the last event that was received.',
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
