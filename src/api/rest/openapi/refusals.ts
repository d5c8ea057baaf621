import type { Action } from '../../../actions/action.ts';
import { type ErrorCode, errorCodeHeader, errorTable } from '../../../shared/errors/table.ts';
import type { JsonObject } from './shared.ts';
import { rateHeaders, reference } from './shared.ts';

interface Refusal {
  /** When it comes, for people. */
  when: string;
  /** A message as the service really writes it. */
  example: string;
  /** Which actions can end so. */
  of: (action: Action) => boolean;
  /** Headers beside those that every answer has. */
  headers?: readonly string[];
}

const every = () => true;
const priced = ({ price }: Action) => price > 0;
const onPlatform = ({ actor, keepsActor }: Action) => actor || keepsActor;
const withBody = ({ method }: Action) => method !== 'GET';
const takesIdempotencyKey = ({ method }: Action) => method === 'POST';
const takesCode = ({ code }: Action) => code !== 'none';

/** Fields by which a caller names a thing that may not be there. */
const names = /(^|_)id$|Id$|^user_?name$|_url$|^userName$/;
/** Where a stream begins is no such thing: what it names may be gone. */
const namesSomething = ({ input, kind }: Action) =>
  kind === 'call' && Object.keys(input.shape).some((field) => names.test(field));

/** What an operation can answer besides 200, derived from the action alone. */
const refusals: Partial<Record<ErrorCode, Refusal>> = {
  bad_input: {
    when: 'A field is missing or malformed; the message names it. Or the body is no JSON in UTF-8, or nests too deeply.',
    example: 'Malformed field: count: must be a whole number from 1 to 100',
    of: every,
  },
  unauthenticated: {
    when: 'No API key, or one that is mistyped, unknown or revoked.',
    example: 'Missing API key: send the header Authorization: Bearer <API_KEY>',
    of: every,
    headers: ['WWW-Authenticate'],
  },
  insufficient_credits: {
    when: 'The credit does not cover the call.',
    example:
      'Not enough credit: this needs 0.001 dollars and the account has less to spend. ' +
      'Add credit and ask again; /account/balance shows what is left',
    of: priced,
  },
  forbidden: {
    when:
      'The platform rejected `auth_token`, or does not allow this to its account; or `encryption_code` is wrong: the message ' +
      'has the guesses that remain.',
    example: 'Platform rejected auth_token',
    of: onPlatform,
  },
  not_found: {
    when: 'What the call names does not exist.',
    example: 'Tweet not found: 1',
    of: namesSomething,
  },
  request_timeout: {
    when: 'The request did not arrive in time.',
    example: 'The request did not arrive in time',
    of: withBody,
  },
  conflict: {
    when:
      'The platform has it already, such as a tweet with the same text within a day; or the webhook is not valid; or the ' +
      'first request with this `Idempotency-Key` is still running, as `Retry-After` shows.',
    example: 'Status is a duplicate.',
    of: (action) => takesIdempotencyKey(action) || takesCode(action),
    headers: ['Retry-After'],
  },
  idempotency_mismatch: {
    when: 'The `Idempotency-Key` was used for another request within the last 24 hours.',
    example: 'This Idempotency-Key was used for another request within the last 24 hours: send a new key',
    of: takesIdempotencyKey,
  },
  too_large: {
    when: 'The body is larger than 1 MiB, or 24 MiB for calls that take media as base64, or 64 KiB for GraphQL without a key.',
    example: 'The body is larger than 1048576 bytes',
    of: withBody,
  },
  unsupported_media_type: {
    when: 'The body is not JSON in UTF-8, or its `Content-Encoding` is not supported.',
    example: 'The body must be JSON, with Content-Type: application/json',
    of: withBody,
  },
  locked: {
    when: 'No guesses of `encryption_code` are left: the keys cannot be recovered any more.',
    example: 'No guesses of encryption_code are left: these chat keys cannot be recovered any more',
    of: takesCode,
  },
  rate_limited: {
    when:
      "Too many calls, for this API key or for the platform's own limit: `Retry-After` says how long to wait. Or too many " +
      'webhooks, live streams, test events, wrong codes, articles, concurrent requests of this key, or large bodies at once; or ' +
      'too many requests of this address without a valid API key. The message says which.',
    example: "The platform's rate limit: Too many requests",
    of: every,
    headers: ['Retry-After', ...Object.keys(rateHeaders)],
  },
  headers_too_large: {
    when: 'Request line and headers are larger than 16 KiB.',
    example: 'The request line and headers are larger than 16 KiB',
    of: every,
  },
  internal: {
    when: 'A fault of the service itself; its log has the cause under the `x-request-id`.',
    example: 'Internal error; the log has its cause under this x-request-id',
    of: every,
  },
  not_supported: {
    when: 'Not built yet, or not on this platform. Nothing that a caller asks for is dropped in silence.',
    example: 'Not supported by this platform: dm/send',
    of: onPlatform,
  },
  platform_unavailable: {
    when: 'The platform is down, or answers what cannot be understood; or the proxy cannot be reached.',
    example: 'The platform failed with status 503',
    of: onPlatform,
  },
  unavailable: {
    when:
      'The service is overloaded, the store is away, too few key realms are reachable, or an article takes too long to be ' +
      'processed. After a write, the message says whether it was performed.',
    example: 'The store is away; nothing was charged, ask again',
    of: every,
    headers: ['Retry-After'],
  },
  platform_timeout: {
    when: 'The platform did not answer in time.',
    example: 'The platform did not answer in time',
    of: onPlatform,
  },
};

/** The refusals of one operation, by status. */
export function refusalsOf(action: Action): JsonObject {
  return Object.fromEntries(
    entries()
      .filter(([, { of }]) => of(action))
      .map(([code]) => [String(errorTable[code].status), reference('responses', nameOf(code))]),
  );
}

/** `components/responses`: the refusals that the actions share. */
export function refusalComponents(): JsonObject {
  return Object.fromEntries(
    entries().map(([code, { when, example, headers = [] }]) => [
      nameOf(code),
      {
        description: `${when} \`${errorCodeHeader}: ${code}\` ([reference](/docs/errors#${code})).`,
        headers: Object.fromEntries(
          [errorCodeHeader, 'x-request-id', 'Cache-Control', ...headers].map((name) => [
            name,
            reference('headers', name),
          ]),
        ),
        content: {
          'application/json': {
            schema: reference('schemas', 'ErrorEnvelope'),
            example: { status: false, data: null, error: example },
          },
        },
      },
    ]),
  );
}

/** For tests: the example message of each code. */
export function exampleMessage(code: ErrorCode): string | undefined {
  return refusals[code]?.example;
}

/** When REST answers with this code; of codes that no single operation answers with, the general case. */
export function meaningOf(code: ErrorCode): string {
  return refusals[code]?.when ?? elsewhere[code] ?? '';
}

const elsewhere: Partial<Record<ErrorCode, string>> = {
  too_costly:
    'GraphQL only: the request could cost more than `GRAPHQL_MAX_COST`, its response could be larger than ' +
    '`GRAPHQL_MAX_RESPONSE_BYTES`, or the request is too deep, too broad, too long, or has more than 300,000 characters of Markdown.',
  method_not_allowed: 'The path takes other methods.',
};

function entries(): [ErrorCode, Refusal][] {
  return Object.entries(refusals) as [ErrorCode, Refusal][];
}

/** `bad_input` → `BadInput`. */
function nameOf(code: ErrorCode): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
