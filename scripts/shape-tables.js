import { code, table } from './markdown-table.js';

/** The shapes that each page shows: name in the OpenAPI document and heading. */
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
    Balance: 'Balance',
    Usage: 'Usage',
    UsageRow: 'Usage row',
    Payment: 'Payment',
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
    WebhookTest: 'Test result',
  },
};

/** The tables of one page, from the schemas of the OpenAPI document. */
export function shapeTables({ components: { schemas } }, page) {
  const sections = Object.entries(pages[page]).map(([name, heading]) => section(heading, schemas[name]));
  return `\n${sections.join('\n')}\n`;
}

/** The fields of `data` in the response of each call that returns neither one shape nor nothing. */
export function returnedFields({ paths }, { method, path }) {
  const content = paths[path][method.toLowerCase()].responses['200'].content?.['application/json'];
  const data = content?.schema.properties?.data;
  if (data === undefined) return 'events';
  if (data.$ref) return headingOf(data.$ref);
  return Object.entries(data.properties)
    .map(([name, schema]) => (schema.items?.$ref ? `${code(name)} (${headingOf(schema.items.$ref)})` : code(name)))
    .join(', ');
}

function headingOf(ref) {
  const name = ref.split('/').at(-1);
  return Object.assign({}, ...Object.values(pages))[name] ?? name;
}

function section(heading, { description, properties, required = [] }) {
  const rows = Object.entries(properties).map(([name, schema]) => [
    code(name),
    typeOf(schema) + (required.includes(name) ? '' : ', optional'),
    schema.description ?? '',
  ]);
  const introduction = description ? `${description}\n\n` : '';
  return `### ${heading}\n\n${introduction}${table(['field', 'type', 'meaning'], rows)}`;
}

function typeOf({ type, items, anyOf, $ref, format, enum: values, const: constant }) {
  if ($ref) return headingOf($ref);
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (constant !== undefined) return code(constant);
  if (values && type === 'string') return values.map(code).join(', ');
  const types = [type].flat().map((each) => {
    if (each === 'array') return `array of ${items ? typeOf(items) : 'any'}`;
    return each === 'string' && format === 'date-time' ? 'time' : each;
  });
  return types.join(' or ');
}
