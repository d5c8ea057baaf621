import { code, table } from './markdown-table.ts';

/** The fields of a schema that the tables use. */
interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  $ref?: string;
  enum?: string[];
}

/** The fields of the OpenAPI document that the tables use. */
export interface OpenApi {
  components: { schemas: Record<string, Schema> };
  paths: Record<
    string,
    Record<string, { responses: Record<string, { content?: Record<string, { schema: Schema }> }> }>
  >;
}

export type Page = keyof typeof pages;

/** The shapes on each page by their names in the OpenAPI document. */
const pages = {
  shapes:
    'Tweet Media Entities Author UserCard UserProfile UserAbout Article Account ApiKey CreatedApiKey Balance Usage UsageRow Payment ' +
    'AuditEntry AuditAuthor AuditSubject Connection ConnectedUser StartedConnection',
  'message-shapes': 'Conversation Participant DirectMessage Attachment',
  'webhook-shapes': 'CreatedWebhook Webhook Delivery DeliveryDetail DeliveryAttempt WebhookTest',
};

const namesOn = (page: Page) => pages[page].split(' ');

const headings: Record<string, string> = {
  ...Object.fromEntries(
    (Object.keys(pages) as Page[])
      .flatMap(namesOn)
      .map((name) => [name, name.replace(/(?<=.)[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)]),
  ),
  ApiKey: 'API key',
  CreatedApiKey: 'Created API key',
  DirectMessage: 'Message',
  DeliveryDetail: 'Delivery with attempts',
  WebhookTest: 'Test result',
  QuotedTweet: 'Tweet',
  ArticleSummary: 'Article',
};

type Schemas = Record<string, Schema>;

/** Returns the table of the shapes of one page from the schemas of the OpenAPI document, which has types and meanings. */
export function shapeTable({ components: { schemas } }: OpenApi, page: Page): string {
  const fieldsIn = (name: string) => schemas[name]?.properties ?? {};
  const names = namesOn(page);
  const rows = names.map((name) => {
    const properties = fieldsIn(name);
    const heading = headings[name] ?? name;
    const base = names.find((each) => each !== name && isExtension(properties, fieldsIn(each)));
    if (base === undefined) return [heading, fieldsOf(properties, schemas)];
    const own = Object.entries(properties).filter(([field]) => !(field in fieldsIn(base)));
    return [heading, `those of ${headings[base]}, ${fieldsOf(Object.fromEntries(own), schemas)}`];
  });
  return table(['shape', 'fields'], rows);
}

/** Returns true if a shape has all fields of another one that is long enough to be named instead. */
function isExtension(properties: Schemas, base: Schemas): boolean {
  const fields = Object.keys(base);
  return fields.length > 5 && fields.every((field) => field in properties);
}

/** Returns the shape, or the fields, of `data` in the response of a call. The fields of every page are left out. */
export function returnedFields(
  { paths, components: { schemas } }: OpenApi,
  { method, path }: { method: string; path: string },
): string {
  const content = paths[path]?.[method.toLowerCase()]?.responses['200']?.content?.['application/json'];
  const data = content?.schema.properties?.data;
  if (data === undefined) return 'events';
  if (data.$ref) return headingOf(data) ?? '';
  const properties = data.properties ?? {};
  if (!('has_more' in properties)) return fieldsOf(properties, schemas);
  const isPaging = (name: string) => ['has_more', 'next_cursor'].includes(name) || name.endsWith('_count');
  const own = Object.entries(properties).filter(([name]) => !isPaging(name));
  return `${fieldsOf(Object.fromEntries(own), schemas)}, paged`;
}

const nameOf = ({ $ref = '' }: Schema) => $ref.split('/').at(-1) ?? '';
const headingOf = (schema: Schema) => headings[nameOf(schema)];

/** Lists fields with their shapes, the fields of objects without a name, and the values of short enumerations. */
function fieldsOf(properties: Schemas, schemas: Schemas): string {
  return Object.entries(properties)
    .map(([name, schema]) => code(name) + detailOf(schema, schemas))
    .join(', ');
}

function detailOf(schema: Schema, schemas: Schemas): string {
  const [given = schema] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const inner = given.items ?? given;
  const heading = headingOf(inner);
  if (heading !== undefined) return ` (${heading})`;
  if (inner.$ref) return detailOf(schemas[nameOf(inner)] ?? {}, schemas);
  if (inner.properties) return ` (${Object.keys(inner.properties).map(code).join(', ')})`;
  return inner.enum && inner.enum.length <= mostChoices ? ` (${inner.enum.map(code).join(', ')})` : '';
}

const mostChoices = 4;
