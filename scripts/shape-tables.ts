import { code, table } from './markdown-table.ts';

/** What the tables read of a schema. */
interface Schema {
  description?: string;
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  $ref?: string;
  enum?: string[];
  const?: string;
}

/** What the tables read of the OpenAPI document. */
export interface OpenApi {
  components: { schemas: Record<string, Schema> };
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
  >;
}

export type Page = keyof typeof pages;

/** The shapes on each page: the name in the OpenAPI document and the heading. */
const pages = {
  shapes: {
    Tweet: 'Tweet',
    Media: 'Media',
    Entities: 'Entities',
    Author: 'Author',
    UserCard: 'User card',
    UserProfile: 'User profile',
    UserAbout: 'User about',
    Article: 'Article',
    Account: 'Account',
    ApiKey: 'API key',
    CreatedApiKey: 'Created API key',
    Balance: 'Balance',
    Usage: 'Usage',
    UsageRow: 'Usage row',
    Payment: 'Payment',
    AuditEntry: 'Audit entry',
    AuditAuthor: 'Audit author',
    AuditSubject: 'Audit subject',
  },
  'message-shapes': {
    Conversation: 'Conversation',
    Participant: 'Participant',
    DirectMessage: 'Message',
    Attachment: 'Attachment',
  },
  'webhook-shapes': {
    CreatedWebhook: 'Created webhook',
    Webhook: 'Webhook',
    Delivery: 'Delivery',
    DeliveryDetail: 'Delivery with attempts',
    DeliveryAttempt: 'Delivery attempt',
    WebhookTest: 'Test result',
  },
};

const headings: Record<string, string> = {
  ...Object.assign({}, ...Object.values(pages)),
  QuotedTweet: 'Tweet',
  ArticleSummary: 'Article',
};

/** Returns the tables of one page from the schemas of the OpenAPI document. */
export function shapeTables({ components: { schemas } }: OpenApi, page: Page): string {
  const sections = Object.entries(pages[page]).map(([name, heading]) => section(heading, schemas[name] ?? {}, schemas));
  return `\n${sections.join('\n')}\n`;
}

/** Returns the shape, or the fields, of `data` in the response of a call. */
export function returnedFields({ paths }: OpenApi, { method, path }: { method: string; path: string }): string {
  const content = paths[path]?.[method.toLowerCase()]?.responses['200']?.content?.['application/json'];
  const data = content?.schema.properties?.data;
  if (data === undefined) return 'events';
  if (data.$ref) return headingOf(data);
  return Object.entries(data.properties ?? {})
    .map(([name, { items }]) => (items?.$ref ? `${code(name)} (${headingOf(items)})` : code(name)))
    .join(', ');
}

function section(
  heading: string,
  { description, properties = {}, required = [] }: Schema,
  schemas: Record<string, Schema>,
) {
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    typeOf(schema, schemas) + (required.includes(name) ? '' : ', optional'),
    schema.description ?? '',
  ]);
  const introduction = description ? `${description}\n\n` : '';
  return `### ${heading}\n\n${introduction}${table(['field', 'type', 'meaning'], rows)}`;
}

const nameOf = ({ $ref = '' }: Schema) => $ref.split('/').at(-1) ?? '';
const headingOf = (schema: Schema) => headings[nameOf(schema)] ?? '';
const mostChoices = 4;

function typeOf(schema: Schema, schemas: Record<string, Schema>): string {
  const { type, items, anyOf, $ref, format, enum: values, const: constant, properties } = schema;
  if ($ref) return headings[nameOf(schema)] ?? typeOf(schemas[nameOf(schema)] ?? {}, schemas);
  if (anyOf) return anyOf.map((each) => typeOf(each, schemas)).join(' or ');
  if (constant !== undefined) return code(constant);
  if (values && values.length <= mostChoices) return values.map(code).join(', ');
  const names = [type].flat().map((each) => {
    if (each === 'array') return `array of ${typeOf(items ?? {}, schemas)}`;
    if (each === 'object' && properties) return `object with ${Object.keys(properties).map(code).join(', ')}`;
    return each === 'string' && format === 'date-time' ? 'time' : each;
  });
  return names.join(' or ');
}
