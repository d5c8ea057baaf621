import type { Action } from '../../src/actions/action.ts';
import { errorGuide } from '../../src/shared/errors/guide.ts';
import { type ErrorCode, errorCodeHeader, errorTable } from '../../src/shared/errors/table.ts';
import type { JsonObject } from './shared.ts';
import { rateHeaders, reference } from './shared.ts';

interface Refusal {
  /** Returns true if an action can fail with this error. */
  of: (action: Action) => boolean;
  /** Headers that only responses with this error have. */
  headers?: readonly string[];
}

const every = () => true;
const priced = ({ price }: Action) => price > 0;
const onPlatform = ({ actor, keepsActor, name }: Action) =>
  actor || keepsActor || name === 'connections/create' || name === 'connections/reconnect';
const withBody = ({ method }: Action) => method !== 'GET';
const takesIdempotencyKey = ({ method }: Action) => method === 'POST';
const takesCode = ({ code }: Action) => code !== 'none';

/** Matches names of fields that identify a resource, which may not exist. */
const names = /(^|_)id$|Id$|^user_?name$|_url$|^userName$|^connections$/;
/** `last_event_id` of a stream is excluded, because an unknown id is not an error: the event may have been deleted. */
const namesSomething = ({ input, kind }: Action) =>
  kind === 'call' && Object.keys(input.shape).some((field) => names.test(field));

/** The errors of an operation, derived from its action. */
const refusals: Partial<Record<ErrorCode, Refusal>> = {
  bad_input: { of: every },
  unauthenticated: { of: every, headers: ['WWW-Authenticate'] },
  insufficient_credits: { of: priced, headers: ['Retry-After'] },
  forbidden: { of: every },
  not_found: { of: namesSomething },
  request_timeout: { of: withBody },
  conflict: {
    of: (action) => takesIdempotencyKey(action) || takesCode(action) || action.name === 'webhooks/update',
    headers: ['Retry-After', 'x-outcome-ids'],
  },
  idempotency_mismatch: { of: takesIdempotencyKey },
  too_large: { of: withBody },
  unsupported_media_type: { of: withBody },
  locked: { of: takesCode },
  rate_limited: { of: every, headers: ['Retry-After', ...Object.keys(rateHeaders)] },
  headers_too_large: { of: every },
  internal: { of: every },
  not_supported: { of: onPlatform },
  platform_unavailable: { of: onPlatform },
  unavailable: { of: every, headers: ['Retry-After'] },
  platform_timeout: { of: onPlatform },
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
    entries().map(([code, { headers = [] }]) => [
      nameOf(code),
      {
        description: `${errorGuide[code].when} \`${errorCodeHeader}: ${code}\` ([reference](/docs/errors#${code})).`,
        headers: Object.fromEntries(
          [errorCodeHeader, 'x-request-id', 'Cache-Control', ...headers].map((name) => [
            name,
            reference('headers', name),
          ]),
        ),
        content: {
          'application/json': {
            schema: reference('schemas', 'ErrorEnvelope'),
            example: { status: false, data: null, error: errorGuide[code].example },
          },
        },
      },
    ]),
  );
}

function entries(): [ErrorCode, Refusal][] {
  return Object.entries(refusals) as [ErrorCode, Refusal][];
}

function nameOf(code: ErrorCode): string {
  return code.replaceAll(/(?:^|_)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}
