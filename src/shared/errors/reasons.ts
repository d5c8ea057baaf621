import type { ErrorCode } from './table.ts';

/**
 * All reasons for an error, with the error code that callers get. The reason appears in the log line of the request and as a label of
 * `postern_refusals_total`. `meaning` is printed into docs/errors.md.
 */
export const errorReasons = {
  missing_field: { code: 'bad_input', meaning: 'A required field is missing.' },
  malformed_field: { code: 'bad_input', meaning: 'A field has the wrong type, form or content.' },
  malformed_header: { code: 'bad_input', meaning: 'A header is repeated or malformed.' },
  malformed_request: { code: 'bad_input', meaning: 'The request is not valid HTTP.' },
  unreadable_body: {
    code: 'bad_input',
    meaning: 'The body is incomplete, or not UTF-8, JSON or multipart within the limits.',
  },
  address_refused: { code: 'bad_input', meaning: 'An address of the caller is not public (`OUTBOUND_ALLOW`).' },
  media_not_fetched: { code: 'bad_input', meaning: 'The server of a media address did not send it.' },
  invalid_document: { code: 'bad_input', meaning: 'The document or its variables do not fit the schema.' },
  untrusted_document: { code: 'bad_input', meaning: 'The document is not one of `GRAPHQL_TRUSTED_DOCUMENTS`.' },
  cost_limit: { code: 'too_costly', meaning: 'The worst case is above `GRAPHQL_MAX_COST`.' },
  response_size_limit: { code: 'too_costly', meaning: 'The response is larger than `GRAPHQL_MAX_RESPONSE_BYTES`.' },
  document_limit: { code: 'too_costly', meaning: 'The document is too long, too deep or too broad.' },
  key_missing: { code: 'unauthenticated', meaning: 'The request has no API key.' },
  key_malformed: { code: 'unauthenticated', meaning: 'The key is incomplete or mistyped.' },
  key_unknown: { code: 'unauthenticated', meaning: 'There is no such key.' },
  key_revoked: { code: 'unauthenticated', meaning: 'The key was revoked.' },
  key_expired: { code: 'unauthenticated', meaning: 'The key has expired.' },
  stream_token_expired: { code: 'unauthenticated', meaning: 'The token of a live stream has expired.' },
  stream_token_invalid: {
    code: 'unauthenticated',
    meaning: 'The token is incomplete or altered, or its key is not in `SECRET_KEY`.',
  },
  account_gone: { code: 'unauthenticated', meaning: 'The account of the key was deleted.' },
  metrics_token_wrong: { code: 'unauthenticated', meaning: '`/metrics` without the correct `METRICS_TOKEN`.' },
  credit_short: { code: 'insufficient_credits', meaning: 'The credit does not cover the request.' },
  credit_reserved: { code: 'insufficient_credits', meaning: 'Calls in flight have reserved the credit.' },
  key_budget_spent: { code: 'insufficient_credits', meaning: '`dollars_per_day` of the key is used up.' },
  auth_token_rejected: { code: 'forbidden', meaning: 'The platform rejected `auth_token`.' },
  platform_refused: { code: 'forbidden', meaning: 'The platform does not allow the actor to do this.' },
  wrong_encryption_code: { code: 'forbidden', meaning: '`encryption_code` is wrong; a guess was used up.' },
  not_owner: { code: 'forbidden', meaning: 'The message or article belongs to another user.' },
  premium_required: { code: 'forbidden', meaning: 'The actor has no premium subscription.' },
  loopback_only: { code: 'forbidden', meaning: 'The page is for loopback names in `Host` only.' },
  origin_not_allowed: {
    code: 'forbidden',
    meaning: 'A web page of a foreign origin called `/mcp` or the local sandbox (`CORS_ORIGINS`).',
  },
  key_address_not_allowed: { code: 'forbidden', meaning: 'The client address is not in `ip_ranges` of the key.' },
  key_read_only: { code: 'forbidden', meaning: 'The key may only read (`read_only`).' },
  key_group_not_allowed: { code: 'forbidden', meaning: 'The key may not call this group (`groups`).' },
  key_restricted: { code: 'forbidden', meaning: 'A key with restrictions cannot manage keys or the account.' },
  key_public: { code: 'forbidden', meaning: 'The demo key cannot be revoked over the API.' },
  unknown_path: { code: 'not_found', meaning: 'There is no such path.' },
  resource_not_found: { code: 'not_found', meaning: 'The platform has no such object.' },
  delivery_not_found: { code: 'not_found', meaning: 'The webhook has no such delivery in the last 24 hours.' },
  webhook_not_found: { code: 'not_found', meaning: 'The account has no such webhook.' },
  method_not_allowed: { code: 'method_not_allowed', meaning: 'The path accepts other methods.' },
  request_timeout: { code: 'request_timeout', meaning: 'The request did not arrive in time.' },
  caller_hung_up: { code: 'request_timeout', meaning: 'The caller disconnected before the response.' },
  duplicate_tweet: { code: 'conflict', meaning: 'The actor has posted the same text before.' },
  platform_conflict: { code: 'conflict', meaning: 'The state on the platform does not allow the call.' },
  chat_keys_missing: { code: 'conflict', meaning: 'The account, or the other side, has no chat keys.' },
  chat_keys_exist: { code: 'conflict', meaning: 'The account has chat keys already.' },
  webhook_invalid: { code: 'conflict', meaning: 'The webhook has not passed its handshake.' },
  webhook_paused: { code: 'conflict', meaning: 'The webhook is paused, so nothing is replayed.' },
  webhook_changed: { code: 'conflict', meaning: 'Another request changed the webhook meanwhile.' },
  idempotency_running: { code: 'conflict', meaning: 'The first request with this `Idempotency-Key` is running.' },
  idempotency_outcome_unknown: { code: 'conflict', meaning: 'The first request may have been performed.' },
  outcome_known: { code: 'conflict', meaning: 'The first request was performed; its response was not kept.' },
  idempotency_response_unreadable: { code: 'conflict', meaning: 'No key in `SECRET_KEY` decrypts the kept response.' },
  body_too_large: { code: 'too_large', meaning: 'The body is larger than the path accepts.' },
  unsupported_body: {
    code: 'unsupported_media_type',
    meaning: 'The body is not declared as JSON in UTF-8, or has an unsupported `Content-Encoding`.',
  },
  idempotency_mismatch: {
    code: 'idempotency_mismatch',
    meaning: 'The `Idempotency-Key` was used for another request.',
  },
  no_guesses_left: { code: 'locked', meaning: 'No guesses of `encryption_code` are left.' },
  key_rate_limit: { code: 'rate_limited', meaning: 'Calls a minute of a key (`RATE_LIMIT`, `postern account limit`).' },
  failed_call_limit: {
    code: 'rate_limited',
    meaning: 'Failed calls a minute of an account (`FAILED_CALL_RATE_LIMIT`).',
  },
  key_concurrency_limit: { code: 'rate_limited', meaning: 'Concurrent requests of a key (`MAX_CONCURRENT_REQUESTS`).' },
  key_stream_limit: { code: 'rate_limited', meaning: 'Open streams of a key (`MAX_STREAMS_PER_KEY`).' },
  address_rate_limit: {
    code: 'rate_limited',
    meaning:
      'Requests a minute without a valid key of a client address (`UNAUTHENTICATED_RATE_LIMIT`, `TRUSTED_PROXIES`).',
  },
  platform_rate_limit: { code: 'rate_limited', meaning: 'Rate limit of the platform.' },
  wrong_code_limit: { code: 'rate_limited', meaning: 'Pause after three wrong `encryption_code`s.' },
  account_body_limit: { code: 'rate_limited', meaning: 'Large bodies in flight of an account (96 MiB).' },
  total_body_limit: { code: 'rate_limited', meaning: 'Large bodies in flight of all accounts (256 MiB).' },
  account_media_limit: {
    code: 'rate_limited',
    meaning: 'Media in flight of an account (250 pieces, 4 GiB; less while others use theirs).',
  },
  total_media_limit: { code: 'rate_limited', meaning: 'Media in flight of all accounts (1,000 pieces, 8 GiB).' },
  account_article_limit: { code: 'rate_limited', meaning: 'Articles of an account that wait for processing.' },
  key_limit: { code: 'rate_limited', meaning: 'API keys of an account (100).' },
  webhook_limit: { code: 'rate_limited', meaning: 'Webhooks of an account (100).' },
  webhook_test_limit: { code: 'rate_limited', meaning: 'Test events a minute of an account (10).' },
  webhook_handshake_limit: { code: 'rate_limited', meaning: 'Another handshake of the webhook took too long.' },
  idempotency_limit: {
    code: 'rate_limited',
    meaning: 'Requests a minute of an account with an `Idempotency-Key` that failed or were free (60 each).',
  },
  headers_too_large: { code: 'headers_too_large', meaning: 'Request line and headers are larger than 16 KiB.' },
  unexpected: { code: 'internal', meaning: 'A defect of Postern. The log has the cause.' },
  not_supported: { code: 'not_supported', meaning: 'The platform does not have this function.' },
  transfer_coding: { code: 'not_supported', meaning: 'The body has a transfer coding other than `chunked`.' },
  platform_unreachable: {
    code: 'platform_unavailable',
    meaning: 'The platform cannot be reached, or broke the connection.',
  },
  platform_failed: { code: 'platform_unavailable', meaning: 'The platform responded with status 5xx.' },
  platform_unreadable: { code: 'platform_unavailable', meaning: 'The response cannot be understood or trusted.' },
  response_too_large: { code: 'platform_unavailable', meaning: 'The response would have more than 16 MiB.' },
  platform_paused: {
    code: 'platform_unavailable',
    meaning: 'After ten failures in a row, one call a second is tried.',
  },
  proxy_failed: { code: 'platform_unavailable', meaning: "The caller's proxy, or the connection through it, failed." },
  proxy_unreadable: {
    code: 'platform_unavailable',
    meaning: 'The response through the proxy cannot be understood or trusted.',
  },
  proxy_paused: {
    code: 'platform_unavailable',
    meaning: 'After ten failures in a row through the proxy, one call a second is tried.',
  },
  article_inconsistent: {
    code: 'platform_unavailable',
    meaning: 'A change of an article failed and could not be undone.',
  },
  event_loop_overload: { code: 'unavailable', meaning: 'The event loop is late (`MAX_EVENT_LOOP_DELAY_MS`).' },
  request_overload: { code: 'unavailable', meaning: 'Too many requests in flight (`MAX_REQUESTS_IN_FLIGHT`).' },
  busy_overload: { code: 'unavailable', meaning: 'The event loop is saturated, so fewer requests are accepted.' },
  article_overload: { code: 'unavailable', meaning: 'Articles of all accounts that wait for processing.' },
  article_too_complex: { code: 'unavailable', meaning: 'An article could not be processed in time.' },
  store_away: { code: 'unavailable', meaning: 'The store cannot be reached or written.' },
  stopping: { code: 'unavailable', meaning: 'The process is stopping.' },
  charge_unrecorded: {
    code: 'unavailable',
    meaning: 'The call was performed; its charge could not be recorded in time.',
  },
  reservation_lost: {
    code: 'unavailable',
    meaning: 'The call was performed, but its reservation had expired; it was not charged.',
  },
  realms_unreachable: { code: 'unavailable', meaning: 'Fewer than two key realms can be reached.' },
  disk_full: { code: 'unavailable', meaning: 'The disk has no space for media, or cannot be written.' },
  not_ready: { code: 'unavailable', meaning: '`/readyz`: store or platform cannot be reached.' },
  platform_timeout: {
    code: 'platform_timeout',
    meaning: 'The platform did not respond in time (`PLATFORM_TIMEOUT_MS`).',
  },
  proxy_timeout: {
    code: 'platform_timeout',
    meaning: 'The proxy, or the platform through it, did not respond in time.',
  },
  realm_timeout: { code: 'platform_timeout', meaning: 'A key realm did not respond in time.' },
  request_deadline: { code: 'platform_timeout', meaning: 'A GraphQL request took longer than `GRAPHQL_TIMEOUT_MS`.' },
} as const satisfies Record<string, { code: ErrorCode; meaning: string }>;

export type ErrorReason = keyof typeof errorReasons;

/** The reasons that belong to one code, such as `rate_limited`. */
export type ReasonOf<Code extends ErrorCode> = {
  [Reason in ErrorReason]: (typeof errorReasons)[Reason]['code'] extends Code ? Reason : never;
}[ErrorReason];
