import { code, table } from './markdown-table.js';

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

const headings = { ...Object.assign({}, ...Object.values(pages)), QuotedTweet: 'Tweet', ArticleSummary: 'Article' };

/** Returns the table of the shapes of one page from the schemas of the OpenAPI document, which has types and meanings. */
export function shapeTable({ components: { schemas } }, page) {
  const names = Object.keys(pages[page]);
  const rows = names.map((name) => {
    const { properties } = schemas[name];
    const base = names.find((each) => each !== name && isExtension(properties, schemas[each].properties));
    if (base === undefined) return [headings[name], fieldsOf({ properties }, schemas)];
    const own = Object.entries(properties).filter(([field]) => !(field in schemas[base].properties));
    return [
      headings[name],
      `those of ${headings[base]}, ${fieldsOf({ properties: Object.fromEntries(own) }, schemas)}`,
    ];
  });
  return table(['shape', 'fields'], rows);
}

/** Returns true if a shape has all fields of another one that is long enough to be named instead. */
function isExtension(properties, base) {
  const fields = Object.keys(base);
  return fields.length > 5 && fields.every((field) => field in properties);
}

/** Returns the shape, or the fields, of `data` in the response of a call. The fields of every page are left out. */
export function returnedFields({ paths, components: { schemas } }, { method, path }) {
  const content = paths[path][method.toLowerCase()].responses['200'].content?.['application/json'];
  const data = content?.schema.properties?.data;
  if (data === undefined) return 'events';
  if (data.$ref) return headings[nameOf(data)];
  const { has_more, ...properties } = data.properties;
  if (has_more === undefined) return fieldsOf({ properties }, schemas);
  const own = Object.entries(properties).filter(([name]) => name !== 'next_cursor' && !name.endsWith('_count'));
  return `${fieldsOf({ properties: Object.fromEntries(own) }, schemas)}, paged`;
}

const nameOf = ({ $ref }) => $ref.split('/').at(-1);

/** Lists fields with their shapes, the fields of objects without a name, and the values of short enumerations. */
function fieldsOf({ properties }, schemas) {
  return Object.entries(properties)
    .map(([name, schema]) => code(name) + detailOf(schema, schemas))
    .join(', ');
}

function detailOf(schema, schemas) {
  const [inner = schema] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const { $ref, properties, enum: values } = inner.items ?? inner;
  if ($ref && headings[nameOf({ $ref })]) return ` (${headings[nameOf({ $ref })]})`;
  if ($ref) return detailOf(schemas[nameOf({ $ref })], schemas);
  if (properties) return ` (${Object.keys(properties).map(code).join(', ')})`;
  return values?.length <= mostChoices ? ` (${values.map(code).join(', ')})` : '';
}

const mostChoices = 4;
