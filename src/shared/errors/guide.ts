import type { ErrorCode } from './table.ts';

export interface ErrorGuide {
  /** Advice for the caller. */
  remedy: string;
  /** States whether the same request can succeed later. */
  retry: 'never' | 'after a change' | 'yes, after Retry-After' | 'yes';
}

/** Advice for each error code. It is printed into `/docs/errors` and docs/errors.md. */
export const errorGuide: Readonly<Record<ErrorCode, ErrorGuide>> = {
  bad_input: { remedy: 'Correct the field that the message names. The request was not charged.', retry: 'never' },
  too_costly: {
    remedy:
      'Select fewer or shorter lists (`first`), fewer nested fields, or split the document. `x-cost-only: 1` returns ' +
      'the worst-case cost of a document without running it.',
    retry: 'never',
  },
  unauthenticated: {
    remedy:
      'Send `Authorization: Bearer <API_KEY>` with a key that was not revoked. `postern key list` shows the keys.',
    retry: 'after a change',
  },
  insufficient_credits: {
    remedy: 'Add credit to the account (`postern account credit`). `GET /account/balance` shows the credit.',
    retry: 'after a change',
  },
  forbidden: {
    remedy:
      'Read the message. A rejected `auth_token` has expired or was revoked: get a new one. For a wrong ' +
      '`encryption_code`, stop and check the code, because guesses are limited.',
    retry: 'after a change',
  },
  not_found: { remedy: 'Check the id, the name or the path that the message names.', retry: 'never' },
  method_not_allowed: { remedy: 'Use one of the methods in the `Allow` header.', retry: 'never' },
  request_timeout: { remedy: 'Send the whole request within 60 seconds.', retry: 'yes' },
  conflict: {
    remedy:
      'Read the message. A duplicate needs no second request. If `Retry-After` is set, the first request with the same ' +
      '`Idempotency-Key` is still running: wait and send the same request again. If the message begins with `outcome known`, the ' +
      'first request was performed: do not send it with another key.',
    retry: 'after a change',
  },
  too_large: { remedy: 'Send a smaller body, or name large media by its URL.', retry: 'never' },
  unsupported_media_type: { remedy: 'Send JSON in UTF-8 with `Content-Type: application/json`.', retry: 'never' },
  idempotency_mismatch: { remedy: 'Use a new `Idempotency-Key` for each new request.', retry: 'never' },
  locked: {
    remedy: 'The chat keys of this account are lost: its messages cannot be opened any more, with any code.',
    retry: 'never',
  },
  rate_limited: {
    remedy:
      'Read the message, which names the limit. Wait for the seconds in `Retry-After`. If it is not set, close a live stream, ' +
      'delete a webhook or revoke an API key first.',
    retry: 'yes, after Retry-After',
  },
  headers_too_large: { remedy: 'Shorten the URL or the headers; move long values into the body.', retry: 'never' },
  internal: {
    remedy: 'Report it with the `x-request-id`. Before you repeat a write, check whether it was performed.',
    retry: 'yes',
  },
  not_supported: { remedy: 'Do not use this call on this platform.', retry: 'never' },
  platform_unavailable: {
    remedy:
      'If the message names your proxy, check the proxy. Otherwise repeat the request later. A write may have been ' +
      'performed: repeat it with the same `Idempotency-Key`, or check its outcome first.',
    retry: 'yes',
  },
  unavailable: {
    remedy:
      'Wait for the seconds in `Retry-After`, if it is set, and repeat the request. Do not repeat a write if the message says ' +
      'that it was performed.',
    retry: 'yes',
  },
  platform_timeout: {
    remedy:
      'Repeat the request. A write may have been performed: repeat it with the same `Idempotency-Key`, or check its outcome ' +
      'first.',
    retry: 'yes',
  },
};
