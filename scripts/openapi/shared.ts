import type { Action } from '../../src/actions/action.ts';
import { errorCodeHeader, errorCodes } from '../../src/shared/errors/table.ts';
import { textPattern } from '../../src/shared/model/scalars.ts';
import { alwaysNull, constantBoolean } from './plain-unions.ts';

const credential =
  "The id of a connection (`POST /connections`), or the platform's credential of the user: on X an OAuth 2.0 user access token, for the AT Protocol a handle and an app password.";

const dollars = { type: 'string', pattern: '^[0-9]+(\\.[0-9]{1,6})?$' };

const count = { type: 'integer', minimum: 0 };

/** Headers with the remaining calls of the API key (draft-ietf-httpapi-ratelimit-headers-07). A key without a limit has none of them. */
export const rateHeaders: JsonObject = {
  'RateLimit-Limit': {
    description: 'Maximum number of calls of this API key in the window.',
    schema: count,
    example: 60_000,
  },
  'RateLimit-Policy': {
    description: 'The limit and the length of the window in seconds.',
    schema: { type: 'string', pattern: '^[0-9]+;w=[0-9]+$' },
    example: '60000;w=60',
  },
  'RateLimit-Remaining': { description: 'Number of calls that the key can make now.', schema: count, example: 59_999 },
  'RateLimit-Reset': { description: 'Seconds until the whole limit is available again.', schema: count, example: 1 },
};

/** Response headers for `components/headers`. */
export const headers: JsonObject = {
  ...rateHeaders,
  'idempotent-replayed': {
    description:
      'This is the response to the first request with this `Idempotency-Key`, or a read that was charged for it. Nothing was charged now.',
    schema: { type: 'string', const: 'true' },
  },
  'x-outcome-ids': {
    description:
      'The ids of what the first request with this `Idempotency-Key` has written, as a JSON array with an object for each write.',
    schema: { type: 'string', examples: ['[{"action":"tweet/create","id":"1984"}]'] },
  },
  'Preference-Applied': {
    description: 'Sent if the request has `Prefer: handling=lenient` (RFC 7240).',
    schema: { type: 'string', const: 'handling=lenient' },
  },
  'x-ignored-parameters': {
    description:
      'Unknown parameters of a request with `Prefer: handling=lenient`, separated by commas and percent-encoded.',
    schema: { type: 'string', examples: ['curser, utm_source'] },
  },
  'x-request-id': {
    description:
      'Identifies this request in the log. It is your own `x-request-id` if you sent a short and printable one.',
    required: true,
    schema: { type: 'string', pattern: '^[!-~]{1,64}$' },
    example: 'Yk1zq0sWbWzX',
  },
  'x-credits-charged': {
    description: 'Cost of this call in dollars. Absent from a replayed response.',
    schema: dollars,
    example: '0.001',
  },
  'x-credits-remaining': {
    description:
      'Credit after this call in dollars, including the credit that running calls have reserved. ' +
      'Absent from a replayed response.',
    schema: dollars,
    example: '9.999',
  },
  [errorCodeHeader]: {
    description:
      'Error code for programs. It stays the same if the message changes. [Reference of the codes](/docs/errors).',
    required: true,
    schema: { type: 'string', enum: errorCodes },
    example: 'bad_input',
  },
  'Cache-Control': {
    description: 'Responses must not be cached, because they depend on the caller.',
    required: true,
    schema: { type: 'string', const: 'no-store' },
  },
  'WWW-Authenticate': {
    description: 'How to authenticate (RFC 6750).',
    required: true,
    schema: { type: 'string', const: 'Bearer' },
  },
  'Retry-After': {
    description: 'Seconds to wait before a retry.',
    schema: { type: 'integer', minimum: 0 },
    example: 60,
  },
};

/** The API key, the actor's token and the encryption code, for `components/securitySchemes`. */
export const securitySchemes: JsonObject = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The API key of the account that pays, sent as `Authorization: Bearer <API_KEY>` with every call.',
  },
  actor: {
    type: 'apiKey',
    in: 'header',
    name: 'x-auth-token',
    description:
      `${credential} It identifies the actor. The header keeps it out of URLs; the ` +
      'parameter or body field `auth_token` has the same effect. If both are sent, they must be equal.',
  },
  encryptionCode: {
    type: 'apiKey',
    in: 'header',
    name: 'x-encryption-code',
    description:
      "The PIN of the actor's encrypted chat, for direct messages. The header keeps it out of URLs; the parameter or " +
      'body field `encryption_code` has the same effect. If both are sent, they must be equal.',
  },
  streamToken: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description:
      "A token of `POST /events/token`, with which a browser's `EventSource` opens the live stream. It replaces the API key and the " +
      'credentials of the actor, so it is sent alone.',
  },
};

/**
 * Returns the security requirements of an operation. A token replaces all other credentials of a live stream. The actor and the code may
 * also be sent as fields, so requirements without them are alternatives.
 */
export function securityOf({ actor, keepsActor, code, kind }: Action): JsonObject[] {
  const paid = { apiKey: [] };
  if (!actor && !keepsActor) return [paid];
  const acting = { ...paid, actor: [] };
  const byToken = kind === 'stream' ? [{ streamToken: [] }] : [];
  return [...(code === 'none' ? [] : [{ ...acting, encryptionCode: [] }]), acting, paid, ...byToken];
}

/** Entries of `components/schemas` that no action declares. */
export const schemas: JsonObject = {
  ErrorEnvelope: {
    description: 'The Envelope of every response except 200. The header `x-error-code` contains the error code.',
    type: 'object',
    required: ['status', 'data', 'error'],
    properties: {
      status: constantBoolean(false),
      data: alwaysNull('object'),
      error: { type: 'string', description: 'The error message for people. It contains the field or the cause.' },
    },
  },
};

const proxyAddress = {
  type: 'string',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]+/?$',
  maxLength: 2048,
  examples: ['http://user:password@proxy.example:8080'],
};

export const parameters: JsonObject = {
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A key that you choose, a new one for each request. If you send a request again with the same key within 24 hours, ' +
      'it is not performed or charged again and returns the first response. A read is performed again, but not charged again.',
    schema: { type: 'string', pattern: '^[!-~]([ -~]{0,253}[!-~])?$' },
    example: '5f0c2a7e-order-1042',
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event that the client has. The stream continues after this event.',
    schema: { type: 'string', maxLength: 64, pattern: textPattern },
    example: 'evt_3xY0Zk5mQeT9uVbN1cLrPd7s',
  },
  prefer: {
    name: 'Prefer',
    in: 'header',
    description: '`handling=lenient` ignores unknown parameters instead of refusing them (RFC 7240).',
    schema: { type: 'string', pattern: textPattern, examples: ['handling=lenient'] },
  },
  proxyHeader: {
    name: 'x-proxy',
    in: 'header',
    description: 'The same as `proxy`. If both are sent, they must be equal.',
    schema: proxyAddress,
  },
};

/** Credential fields that every action on the platform accepts in addition to its own input. */
const actorFields = {
  auth_token: {
    type: 'string',
    description: `${credential} It identifies the actor. Required here or as the header \`x-auth-token\`.`,
    // The characters that a header can contain, without quotes, commas, semicolons and backslashes.
    pattern: '^[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x5b\\x5d-\\x7e]{1,1024}$',
    examples: ['conn_5f0c2b7d9e8a4c6b1d3f7a'],
  },
  proxy: {
    ...proxyAddress,
    description:
      'Routes this call through a proxy: `http://` or `https://`, with `user:password@` if the proxy requires it. ' +
      'Can also be sent as the header `x-proxy`.',
  },
};

const codeField = {
  encryption_code: {
    type: 'string',
    // Excludes NUL, and spaces at both ends.
    pattern: '^[^\\s\\x00]([^\\x00]*[^\\s\\x00])?$',
    maxLength: 256,
    description:
      "The PIN of the actor's encrypted chat. Can also be sent as the header `x-encryption-code`, which keeps it out of URLs.",
    examples: ['739146'],
  },
};

const keptActorFields = {
  auth_token: {
    ...actorFields.auth_token,
    description: `${credential} The webhook continues with it. Can also be sent as the header \`x-auth-token\`.`,
  },
  proxy: {
    ...actorFields.proxy,
    description:
      'The proxy with which the webhook continues. If only `auth_token` is sent, it continues without a proxy. Can also be sent as the header `x-proxy`.',
  },
};

/** Returns the credential fields that an action accepts in addition to its own input. */
export function actorFieldsOf({ actor, keepsActor, code }: Action): Readonly<Record<string, JsonObject>> {
  const fields = actor ? actorFields : keepsActor ? keptActorFields : {};
  return code === 'none' ? fields : { ...fields, ...codeField };
}

/** Returns a reference to a shared component of the document. */
export function reference(kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}
