import { type ErrorCode, errorCodes, errorTable } from './table.ts';

/** Explains an error code to callers. The texts are Markdown with code spans only. */
interface ErrorGuide {
  /** Describes when the error occurs. */
  when: string;
  /** An example of the message. */
  example?: string;
  /** Advice for the caller. */
  remedy: string;
  /** States whether the same request can succeed later. */
  retry: 'never' | 'after a change' | 'yes, after Retry-After' | 'yes';
}

/** It is printed into `/docs/errors`, docs/errors.md and the OpenAPI document. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorGuide>> = {
  bad_input: {
    when: 'A field is missing, malformed or unknown; the message contains its name. Or the body is not JSON in UTF-8, or exceeds a limit of JSON.',
    example: 'Malformed field: count: must be a whole number from 1 to 100',
    remedy: 'Correct the field that the message names. The request was not charged.',
    retry: 'never',
  },
  too_costly: {
    when:
      'GraphQL only: the request could cost more than `GRAPHQL_MAX_COST`, its response could be larger than ' +
      '`GRAPHQL_MAX_RESPONSE_BYTES`, or the request is too deep, too broad, too long, or has more than 300,000 characters of Markdown.',
    remedy:
      'Select fewer or shorter lists (`first`), fewer nested fields, or split the document. `x-cost-only: 1` returns ' +
      'the worst-case cost of a document without running it.',
    retry: 'never',
  },
  unauthenticated: {
    when: 'The API key is missing, mistyped, unknown, revoked or expired.',
    example: 'Missing API key: send the header Authorization: Bearer <API_KEY>',
    remedy:
      'Send `Authorization: Bearer <API_KEY>` with a key that was not revoked. `postern key list` shows the keys.',
    retry: 'after a change',
  },
  insufficient_credits: {
    when: 'The credit, or the `dollars_per_day` of the API key, does not cover the call.',
    example:
      'Not enough credit: the request needs 0.001 dollars, and the account has less available credit. ' +
      'Add credit and retry. /account/balance shows the credit',
    remedy: 'Add credit to the account (`postern account credit`). `GET /account/balance` shows the credit.',
    retry: 'after a change',
  },
  forbidden: {
    when:
      'The platform rejected `auth_token`, or does not allow the actor to do this. Or `encryption_code` is wrong, and the message ' +
      'says how many guesses remain. Or the restrictions of the API key do not allow the call or the address of the client.',
    example: 'Platform rejected auth_token',
    remedy:
      'Read the message. A rejected `auth_token` has expired or was revoked: get a new one. For a wrong ' +
      '`encryption_code`, stop and check the code, because guesses are limited.',
    retry: 'after a change',
  },
  not_found: {
    when: 'The resource that the call names does not exist.',
    example: 'Tweet not found: 1',
    remedy: 'Check the id, the name or the path that the message names.',
    retry: 'never',
  },
  method_not_allowed: {
    when: 'The path accepts other methods.',
    remedy: 'Use one of the methods in the `Allow` header.',
    retry: 'never',
  },
  request_timeout: {
    when: 'The request did not arrive within 60 seconds.',
    example: 'The request did not arrive in time',
    remedy: 'Send the whole request within 60 seconds.',
    retry: 'yes',
  },
  conflict: {
    when:
      'The platform already has the same tweet, the account has an equal webhook, the webhook is not valid or paused, or the account has no chat keys or already has some. Or ' +
      'the first request with this `Idempotency-Key` is still running (then `Retry-After` is set), its outcome is unknown, or its ' +
      'response was not kept (then `x-outcome-ids` may be set) or cannot be read any more.',
    example: 'Status is a duplicate.',
    remedy:
      'Read the message. A duplicate needs no second request. If `Retry-After` is set, the first request with the same ' +
      '`Idempotency-Key` is still running: wait and send the same request again. If the message begins with `outcome known`, the ' +
      'first request was performed: do not send it with another key.',
    retry: 'after a change',
  },
  too_large: {
    when: 'The body is larger than 1 MiB, than 24 MiB for calls that accept base64, or than 64 KiB for GraphQL without a valid key.',
    example: 'The body is larger than 1048576 bytes',
    remedy: 'Send a smaller body, or name large media by its URL.',
    retry: 'never',
  },
  unsupported_media_type: {
    when: 'The body is not JSON in UTF-8, or its `Content-Encoding` is not supported.',
    example: 'The body must be JSON, with Content-Type: application/json',
    remedy: 'Send JSON in UTF-8 with `Content-Type: application/json`.',
    retry: 'never',
  },
  idempotency_mismatch: {
    when: 'The `Idempotency-Key` was used for another request within the last 24 hours.',
    example: 'This Idempotency-Key was used for another request within the last 24 hours: send a new key',
    remedy: 'Use a new `Idempotency-Key` for each new request.',
    retry: 'never',
  },
  locked: {
    when: 'No guesses of `encryption_code` are left, so the chat keys cannot be recovered any more.',
    example: 'No guesses of encryption_code remain: these chat keys are gone for good',
    remedy: 'The chat keys of this account are lost: its messages cannot be opened any more, with any code.',
    retry: 'never',
  },
  rate_limited: {
    when: 'A limit of Postern or of the platform was reached, and the message names it.',
    example: "The platform's rate limit of likePost",
    remedy:
      'Read the message, which names the limit. Wait for the seconds in `Retry-After`. If it is not set, close a live stream, ' +
      'delete a webhook or revoke an API key first.',
    retry: 'yes, after Retry-After',
  },
  headers_too_large: {
    when: 'Request line and headers are larger than 16 KiB.',
    example: 'The request line and headers are larger than 16 KiB',
    remedy: 'Shorten the URL or the headers; move long values into the body.',
    retry: 'never',
  },
  internal: {
    when: 'A defect of Postern. The log contains the cause with the `x-request-id`.',
    example: 'Internal error. The log contains the cause with this x-request-id',
    remedy: 'Report it with the `x-request-id`. Before you repeat a write, check whether it was performed.',
    retry: 'yes',
  },
  not_supported: {
    when: 'The platform does not have this function.',
    example: 'Not supported by this platform: dm/send',
    remedy: 'Do not use this call on this platform.',
    retry: 'never',
  },
  platform_unavailable: {
    when: "The platform is down, or sends a response that cannot be understood. Or the caller's proxy failed.",
    example: 'The platform failed with status 503',
    remedy:
      'If the message names your proxy, check the proxy. Otherwise repeat the request later. A write may have been ' +
      'performed: repeat it with the same `Idempotency-Key`, or check its outcome first.',
    retry: 'yes',
  },
  unavailable: {
    when:
      'The service is overloaded, the store cannot be reached, too few key realms can be reached, or an article takes too long ' +
      'to be processed. After a write, the message says whether it was performed.',
    example: 'The store is unavailable. Nothing was charged. Retry shortly',
    remedy:
      'Wait for the seconds in `Retry-After`, if it is set, and repeat the request. Do not repeat a write if the message says ' +
      'that it was performed.',
    retry: 'yes',
  },
  platform_timeout: {
    when: "The platform, or the caller's proxy, did not respond in time.",
    example: 'The platform did not answer in time',
    remedy:
      'Repeat the request. A write may have been performed: repeat it with the same `Idempotency-Key`, or check its outcome ' +
      'first.',
    retry: 'yes',
  },
};

export const errorIntroduction =
  'Every error response of REST has the header `x-error-code` with one of these codes, and the Envelope with a message ' +
  'for people. Programs should decide by the code and not by the message. In GraphQL, each error has `extensions.code` and ' +
  '`extensions.status`. A request that is refused as a whole has the header as well, unless its status is 200.';

/** The description of an error code for `/docs/errors` and docs/errors.md. */
export type ErrorEntry = ReturnType<typeof errorEntries>[number];

export function errorEntries() {
  return errorCodes.map((code) => ({ code, ...errorTable[code], ...errorGuide[code] }));
}
