import type { Action } from '../../../actions/action.ts';
import { type ErrorCode, errorCodeHeader, errorTable } from '../../../shared/errors/table.ts';
import type { JsonObject } from './shared.ts';
import { rateHeaders, reference } from './shared.ts';

interface Refusal {
  /** Describes when the error occurs. */
  when: string;
  /** An example of the error message. */
  example: string;
  /** Returns true if an action can fail with this error. */
  of: (action: Action) => boolean;
  /** Headers that only responses with this error have. */
  headers?: readonly string[];
}

const every = () => true;
const priced = ({ price }: Action) => price > 0;
const onPlatform = ({ actor, keepsActor }: Action) => actor || keepsActor;
const withBody = ({ method }: Action) => method !== 'GET';
const takesIdempotencyKey = ({ method }: Action) => method === 'POST';
const takesCode = ({ code }: Action) => code !== 'none';

/** Matches names of fields that identify a resource, which may not exist. */
const names = /(^|_)id$|Id$|^user_?name$|_url$|^userName$/;
/** `last_event_id` of a stream is excluded, because an unknown id is not an error: the event may have been deleted. */
const namesSomething = ({ input, kind }: Action) =>
  kind === 'call' && Object.keys(input.shape).some((field) => names.test(field));

/** The errors of an operation, derived from its action. */
const refusals: Partial<Record<ErrorCode, Refusal>> = {
  bad_input: {
    when: 'A field is missing or malformed; the message contains its name. Or the body is not JSON in UTF-8, or exceeds a limit of JSON.',
    example: 'Malformed field: count: must be a whole number from 1 to 100',
    of: every,
  },
  unauthenticated: {
    when: 'The API key is missing, mistyped, unknown, revoked or expired.',
    example: 'Missing API key: send the header Authorization: Bearer <API_KEY>',
    of: every,
    headers: ['WWW-Authenticate'],
  },
  insufficient_credits: {
    when: 'The credit, or the `dollars_per_day` of the API key, does not cover the call.',
    example:
      'Not enough credit: the request needs 0.001 dollars, and the account has less available credit. ' +
      'Add credit and retry. /account/balance shows the credit',
    of: priced,
    headers: ['Retry-After'],
  },
  forbidden: {
    when:
      'The platform rejected `auth_token`, or does not allow the actor to do this. Or `encryption_code` is wrong, and the message ' +
      'says how many guesses remain. Or the restrictions of the API key do not allow the call or the address of the client.',
    example: 'Platform rejected auth_token',
    of: every,
  },
  not_found: {
    when: 'The resource that the call names does not exist.',
    example: 'Tweet not found: 1',
    of: namesSomething,
  },
  request_timeout: {
    when: 'The request did not arrive within 60 seconds.',
    example: 'The request did not arrive in time',
    of: withBody,
  },
  conflict: {
    when:
      'The platform already has the same tweet, the webhook is not valid or paused, or the account has no chat keys or already has some. Or ' +
      'the first request with this `Idempotency-Key` is still running (then `Retry-After` is set), its outcome is unknown, or its ' +
      'response was not kept (then `x-outcome-ids` may be set) or cannot be read any more.',
    example: 'Status is a duplicate.',
    of: (action) => takesIdempotencyKey(action) || takesCode(action),
    headers: ['Retry-After', 'x-outcome-ids'],
  },
  idempotency_mismatch: {
    when: 'The `Idempotency-Key` was used for another request within the last 24 hours.',
    example: 'This Idempotency-Key was used for another request within the last 24 hours: send a new key',
    of: takesIdempotencyKey,
  },
  too_large: {
    when: 'The body is larger than 1 MiB, than 24 MiB for calls that accept base64, or than 64 KiB for GraphQL without a valid key.',
    example: 'The body is larger than 1048576 bytes',
    of: withBody,
  },
  unsupported_media_type: {
    when: 'The body is not JSON in UTF-8, or its `Content-Encoding` is not supported.',
    example: 'The body must be JSON, with Content-Type: application/json',
    of: withBody,
  },
  locked: {
    when: 'No guesses of `encryption_code` are left, so the chat keys cannot be recovered any more.',
    example: 'No guesses of encryption_code remain: these chat keys are gone for good',
    of: takesCode,
  },
  rate_limited: {
    when: 'A limit of Postern or of the platform was reached, and the message names it.',
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
    when: 'A defect of Postern. The log contains the cause with the `x-request-id`.',
    example: 'Internal error. The log contains the cause with this x-request-id',
    of: every,
  },
  not_supported: {
    when: 'The platform does not have this function.',
    example: 'Not supported by this platform: dm/send',
    of: onPlatform,
  },
  platform_unavailable: {
    when: "The platform is down, or sends a response that cannot be understood. Or the caller's proxy failed.",
    example: 'The platform failed with status 503',
    of: onPlatform,
  },
  unavailable: {
    when:
      'The service is overloaded, the store cannot be reached, too few key realms can be reached, or an article takes too long ' +
      'to be processed. After a write, the message says whether it was performed.',
    example: 'The store is unavailable. Nothing was charged. Retry shortly',
    of: every,
    headers: ['Retry-After'],
  },
  platform_timeout: {
    when: "The platform, or the caller's proxy, did not respond in time.",
    example: 'The platform did not answer in time',
    of: onPlatform,
  },
};

/** Returns the error responses of one operation, by status. */
export function refusalsOf(action: Action): JsonObject {
  return Object.fromEntries(
    entries()
      .filter(([, { of }]) => of(action))
      .map(([code]) => [String(errorTable[code].status), reference('responses', nameOf(code))]),
  );
}

/** Returns `components/responses`, the error responses that operations share. */
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

/** Returns an example message for an error code, if there is one. */
export function exampleErrorMessage(code: ErrorCode): string | undefined {
  return refusals[code]?.example;
}

/** Describes when an error occurs. Includes codes that REST operations do not return themselves. */
export function meaningOf(code: ErrorCode): string {
  return refusals[code]?.when ?? elsewhere[code] ?? '';
}

const elsewhere: Partial<Record<ErrorCode, string>> = {
  too_costly:
    'GraphQL only: the request could cost more than `GRAPHQL_MAX_COST`, its response could be larger than ' +
    '`GRAPHQL_MAX_RESPONSE_BYTES`, or the request is too deep, too broad, too long, or has more than 300,000 characters of Markdown.',
  method_not_allowed: 'The path accepts other methods.',
};

function entries(): [ErrorCode, Refusal][] {
  return Object.entries(refusals) as [ErrorCode, Refusal][];
}

function nameOf(code: ErrorCode): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
