import type { Action } from '../../../actions/action.ts';
import { errorCodeHeader, errorCodes } from '../../../shared/errors/table.ts';
import { textPattern } from '../../../shared/model/scalars.ts';
import { always, nothing } from './plain-unions.ts';

const dollars = { type: 'string', pattern: '^[0-9]+(\\.[0-9]{1,6})?$' };

const count = { type: 'integer', minimum: 0 };

/** What a key may still do (draft-ietf-httpapi-ratelimit-headers-07); absent where there is no limit. */
export const rateHeaders: JsonObject = {
  'RateLimit-Limit': { description: 'Calls that this API key may make in the window.', schema: count, example: 60_000 },
  'RateLimit-Policy': {
    description: 'The same with the length of the window, in seconds.',
    schema: { type: 'string', pattern: '^[0-9]+;w=[0-9]+$' },
    example: '60000;w=60',
  },
  'RateLimit-Remaining': { description: 'Calls that it may make at once.', schema: count, example: 59_999 },
  'RateLimit-Reset': { description: 'Seconds until all of the limit is there again.', schema: count, example: 1 },
};

/** `components/headers`: those of answers. */
export const headers: JsonObject = {
  ...rateHeaders,
  'idempotent-replayed': {
    description: 'This is the answer that the first request with this `Idempotency-Key` got; nothing was charged.',
    schema: { type: 'string', const: 'true' },
  },
  'x-request-id': {
    description: 'Names this request in the log; your own `x-request-id`, where you sent a short and printable one.',
    required: true,
    schema: { type: 'string', pattern: '^[!-~]{1,64}$' },
    example: 'Yk1zq0sWbWzX',
  },
  'x-credits-charged': {
    description: 'What this call cost, in dollars. Absent from an answer that is replayed.',
    schema: dollars,
    example: '0.001',
  },
  'x-credits-remaining': {
    description:
      'The credit after this call, in dollars. What calls in flight have reserved counts as still there. ' +
      'Absent from an answer that is replayed.',
    schema: dollars,
    example: '9.999',
  },
  [errorCodeHeader]: {
    description:
      'What went wrong, for programs: the code stays the same when the message changes. ' +
      '[Reference of the codes](/docs/errors).',
    required: true,
    schema: { type: 'string', enum: errorCodes },
    example: 'bad_input',
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

/** `components/securitySchemes`: who pays, who acts, and what opens the messages. */
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
  encryptionCode: {
    type: 'apiKey',
    in: 'header',
    name: 'x-encryption-code',
    description:
      "The PIN of the actor's encrypted chat, for direct messages. The header keeps it out of URLs; the parameter or " +
      'body field `encryption_code` does the same. Both given, they must be equal.',
  },
};

/** The security of an operation. The actor and the code may also be given as fields, so each of the shorter lists is enough. */
export function securityOf({ actor, keepsActor, code }: Action): JsonObject[] {
  const paid = { apiKey: [] };
  if (!actor && !keepsActor) return [paid];
  const acting = { ...paid, actor: [] };
  return [...(code === 'none' ? [] : [{ ...acting, encryptionCode: [] }]), acting, paid];
}

/** `components/schemas` that no action declares. */
export const schemas: JsonObject = {
  ErrorEnvelope: {
    description: 'The Envelope of every answer but 200. The header `x-error-code` has the code of the error.',
    type: 'object',
    required: ['status', 'data', 'error'],
    properties: {
      status: always(false),
      data: nothing('object'),
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
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Of your own making, one for each request: sent again with the same key within 24 hours, it is not performed or ' +
      'billed again, and gets the first answer.',
    schema: { type: 'string', pattern: '^[!-~]([ -~]{0,253}[!-~])?$' },
    example: '5f0c2a7e-order-1042',
  },
  lastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event that the client has: the stream goes on behind it.',
    schema: { type: 'string', maxLength: 64, pattern: textPattern },
    example: 'evt_3xY0Zk5mQeT9uVbN1cLrPd7s',
  },
  proxyHeader: {
    name: 'x-proxy',
    in: 'header',
    description: 'The same as `proxy`. Both given, they must be equal.',
    schema: proxyAddress,
  },
};

/** What every action on the platform takes besides its own input. */
const actorFields = {
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

const codeField = {
  encryption_code: {
    type: 'string',
    // No NUL, and no blank at either end.
    pattern: '^[^\\s\\x00]([^\\x00]*[^\\s\\x00])?$',
    maxLength: 256,
    description:
      "The PIN of the actor's encrypted chat. Also as the header `x-encryption-code`, which keeps it out of URLs.",
    examples: ['739146'],
  },
};

const keptActorFields = {
  auth_token: {
    ...actorFields.auth_token,
    description:
      "The value of the platform's `auth_token` cookie: as whom it goes on. Also as the header `x-auth-token`.",
  },
  proxy: {
    ...actorFields.proxy,
    description: 'The way on which it goes on; with `auth_token` alone, without one. Also as the header `x-proxy`.',
  },
};

/** What an action takes besides its own input: the credentials of the actor, where it uses or keeps them. */
export function actorFieldsOf({ actor, keepsActor, code }: Action): Readonly<Record<string, JsonObject>> {
  const fields = actor ? actorFields : keepsActor ? keptActorFields : {};
  return code === 'none' ? fields : { ...fields, ...codeField };
}

/** A reference to a shared part of the document. */
export function reference(kind: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): JsonObject {
  return { $ref: `#/components/${kind}/${name}` };
}

/** A JSON value under construction. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

export interface JsonObject {
  readonly [name: string]: Json | undefined;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
