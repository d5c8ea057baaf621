import type { JsonObject } from './json.ts';

const dollars = { type: 'string', pattern: '^[0-9]+(\\.[0-9]{1,6})?$' };

/** `components/headers`: those of answers. */
export const headers: JsonObject = {
  'x-request-id': {
    description: 'Names this request in the log; your own `x-request-id`, where you sent a short and printable one.',
    required: true,
    schema: { type: 'string', pattern: '^[!-~]{1,64}$' },
    example: 'Yk1zq0sWbWzX',
  },
  'x-credits-charged': {
    description: 'What this call cost, in dollars.',
    required: true,
    schema: dollars,
    example: '0.001',
  },
  'x-credits-remaining': {
    description: 'The credit after this call, in dollars. What calls in flight have reserved counts as still there.',
    required: true,
    schema: dollars,
    example: '9.999',
  },
  'Cache-Control': {
    description: 'Nothing may be kept: answers depend on who asks.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'Retry-After': {
    description: 'Seconds to wait before asking again.',
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
};

/** `components/securitySchemes`: who pays, and who acts. */
export const securitySchemes: JsonObject = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'Who pays. `Authorization: Bearer <API_KEY>` on every call.',
  },
  actor: {
    type: 'apiKey',
    in: 'header',
    name: 'x-auth-token',
    description:
      "Who acts: the value of the platform's `auth_token` cookie. The header keeps it out of URLs; the parameter or " +
      'body field `auth_token` does the same. Both given, they must be equal.',
  },
};

/** `components/schemas` that no action declares. */
export const schemas: JsonObject = {
  ErrorEnvelope: {
    description: 'The Envelope of every answer but 200.',
    type: 'object',
    required: ['status', 'data', 'error'],
    properties: {
      status: { const: false },
      data: { type: 'null' },
      error: { type: 'string', description: 'What is wrong, for people; it names the field or the cause.' },
    },
  },
};

const proxyAddress = {
  type: 'string',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]+/?$',
  maxLength: 2048,
  examples: ['http://user:password@proxy.example:8080'],
};

/** `components/parameters`. */
export const parameters: JsonObject = {
  proxyHeader: {
    name: 'x-proxy',
    in: 'header',
    description: 'The same as `proxy`. Both given, they must be equal.',
    schema: proxyAddress,
  },
};

/** What every action on the platform takes besides its own input. */
export const actorFields: Readonly<Record<string, JsonObject>> = {
  auth_token: {
    type: 'string',
    description:
      "The value of the platform's `auth_token` cookie: who acts. Needed here or as the header `x-auth-token`.",
    // Cookie octets of RFC 6265 section 4.1.1.
    pattern: '^[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]{1,1024}$',
    examples: ['0123456789abcdef0123456789abcdef01234567'],
  },
  proxy: {
    ...proxyAddress,
    description:
      'Routes this one call through a proxy: `http://` or `https://`, with `user:password@` where it asks for one. ' +
      'Also as the header `x-proxy`.',
  },
};
