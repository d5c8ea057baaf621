import type { ErrorCode } from './table.ts';

/**
 * All reasons for an error, with the error code that callers get. The reason appears in the log line of the request and as a label of
 * `postern_refusals_total`. `meaning` is printed into docs/errors.md.
 */
export const errorReasons = {
  missing_field: { code: 'bad_input', meaning: 'A required field was left out.' },
  malformed_field: { code: 'bad_input', meaning: 'A field has the wrong type, form or content.' },
  malformed_header: { code: 'bad_input', meaning: 'A header is repeated or malformed.' },
  malformed_request: { code: 'bad_input', meaning: 'The request is not valid HTTP, or its path is wrongly encoded.' },
  unreadable_body: {
    code: 'bad_input',
    meaning: 'The body is not UTF-8, JSON or multipart within the limits, or is incomplete.',
  },
  address_refused: {
    code: 'bad_input',
    meaning: 'An address of the caller is not public (`OUTBOUND_ALLOW` opens blocks).',
  },
  media_not_fetched: { code: 'bad_input', meaning: 'The server of a media address did not send it.' },
  invalid_document: { code: 'bad_input', meaning: 'The GraphQL document or its variables do not fit the schema.' },
  untrusted_document: { code: 'bad_input', meaning: 'The GraphQL document is not one of `GRAPHQL_TRUSTED_DOCUMENTS`.' },
  cost_limit: { code: 'too_costly', meaning: 'The worst case of a GraphQL request is above `GRAPHQL_MAX_COST`.' },
  response_size_limit: {
    code: 'too_costly',
    meaning: 'The response to a GraphQL request is larger than `GRAPHQL_MAX_RESPONSE_BYTES`.',
  },
  document_limit: { code: 'too_costly', meaning: 'The GraphQL document is too long, too deep or too broad.' },
  key_missing: { code: 'unauthenticated', meaning: 'The request has no API key.' },
  key_malformed: { code: 'unauthenticated', meaning: 'The API key is incomplete or mistyped.' },
  key_unknown: { code: 'unauthenticated', meaning: 'There is no such API key.' },
  key_revoked: { code: 'unauthenticated', meaning: 'The API key was revoked.' },
  key_expired: { code: 'unauthenticated', meaning: 'The API key has expired.' },
  stream_token_expired: { code: 'unauthenticated', meaning: 'The token of a live stream has expired.' },
  stream_token_invalid: {
    code: 'unauthenticated',
    meaning: 'The token of a live stream is incomplete or altered, or was made with a key that is not in `SECRET_KEY`.',
  },
  account_gone: { code: 'unauthenticated', meaning: 'The account of the API key no longer exists.' },
  metrics_token_wrong: {
    code: 'unauthenticated',
    meaning: 'A request for `/metrics` did not have the correct `METRICS_TOKEN`.',
  },
  credit_short: { code: 'insufficient_credits', meaning: 'The account has less credit than the request can cost.' },
  credit_reserved: {
    code: 'insufficient_credits',
    meaning: 'The account has enough credit, but calls in flight have reserved it.',
  },
  key_budget_spent: {
    code: 'insufficient_credits',
    meaning: 'The API key has no dollars left for the day (`dollars_per_day`).',
  },
  auth_token_rejected: { code: 'forbidden', meaning: 'The platform rejected `auth_token`.' },
  platform_refused: { code: 'forbidden', meaning: 'The platform does not allow the actor to do this.' },
  wrong_encryption_code: { code: 'forbidden', meaning: '`encryption_code` is wrong; a guess was used up.' },
  not_owner: { code: 'forbidden', meaning: 'The message or article belongs to another user.' },
  premium_required: { code: 'forbidden', meaning: 'The actor has no premium subscription.' },
  loopback_only: { code: 'forbidden', meaning: 'The page is for this machine only, or for loopback names in `Host`.' },
  origin_not_allowed: {
    code: 'forbidden',
    meaning:
      'A page of an origin that is not in `CORS_ORIGINS` called `/mcp`, or called the sandbox of this machine under the name of a website.',
  },
  key_address_not_allowed: {
    code: 'forbidden',
    meaning: 'The API key may not be used from the address of the client (`ip_ranges`).',
  },
  key_read_only: { code: 'forbidden', meaning: 'The API key may only read (`read_only`).' },
  key_group_not_allowed: { code: 'forbidden', meaning: 'The API key may not call this group of endpoints (`groups`).' },
  key_restricted: { code: 'forbidden', meaning: 'An API key with restrictions cannot manage keys or the account.' },
  key_public: { code: 'forbidden', meaning: 'The demo key cannot be revoked over the API.' },
  unknown_path: { code: 'not_found', meaning: 'There is no such path.' },
  resource_not_found: {
    code: 'not_found',
    meaning: 'The platform has no such tweet, user, list, article, media or conversation.',
  },
  delivery_not_found: { code: 'not_found', meaning: 'The webhook has no delivery of this event in the last 24 hours.' },
  webhook_not_found: { code: 'not_found', meaning: 'The account has no such webhook.' },
  method_not_allowed: { code: 'method_not_allowed', meaning: 'The path accepts other methods.' },
  request_timeout: { code: 'request_timeout', meaning: 'The request did not arrive in time.' },
  caller_hung_up: { code: 'request_timeout', meaning: 'The caller disconnected before the response.' },
  duplicate_tweet: { code: 'conflict', meaning: 'The actor has posted the same text before.' },
  platform_conflict: { code: 'conflict', meaning: 'The present state on the platform does not allow the call.' },
  chat_keys_missing: {
    code: 'conflict',
    meaning: 'The account, or the other side of a conversation, has no chat keys.',
  },
  chat_keys_exist: { code: 'conflict', meaning: 'The account has chat keys already.' },
  webhook_invalid: { code: 'conflict', meaning: 'The webhook has not passed its handshake.' },
  webhook_paused: { code: 'conflict', meaning: 'The webhook is paused, so nothing can be replayed to it.' },
  webhook_changed: { code: 'conflict', meaning: 'The webhook was changed by another request in the meantime.' },
  idempotency_running: { code: 'conflict', meaning: 'The first request with this `Idempotency-Key` is still running.' },
  idempotency_outcome_unknown: {
    code: 'conflict',
    meaning: 'The first request with this `Idempotency-Key` may have been performed.',
  },
  outcome_known: {
    code: 'conflict',
    meaning: 'The first request with this `Idempotency-Key` was performed, and its response was not kept.',
  },
  idempotency_response_unreadable: {
    code: 'conflict',
    meaning: 'The response kept for this `Idempotency-Key` cannot be decrypted with the keys in `SECRET_KEY`.',
  },
  body_too_large: { code: 'too_large', meaning: 'The body is larger than the path accepts.' },
  unsupported_body: {
    code: 'unsupported_media_type',
    meaning: 'The body is not declared as JSON in UTF-8, or its `Content-Encoding` is not supported.',
  },
  idempotency_mismatch: {
    code: 'idempotency_mismatch',
    meaning: 'The `Idempotency-Key` was used for another request.',
  },
  no_guesses_left: { code: 'locked', meaning: 'No guesses of `encryption_code` are left.' },
  key_rate_limit: {
    code: 'rate_limited',
    meaning: 'Limit of calls a minute of one API key (`RATE_LIMIT`, or `postern account limit`).',
  },
  failed_call_limit: {
    code: 'rate_limited',
    meaning: 'Limit of failed calls a minute of one account, which are free (`FAILED_CALL_RATE_LIMIT`).',
  },
  key_concurrency_limit: {
    code: 'rate_limited',
    meaning: 'Limit of concurrent requests of one API key (`MAX_CONCURRENT_REQUESTS`).',
  },
  key_stream_limit: { code: 'rate_limited', meaning: 'Limit of open streams of one API key (`MAX_STREAMS_PER_KEY`).' },
  address_rate_limit: {
    code: 'rate_limited',
    meaning:
      'Limit of requests a minute without a valid API key for one client address (`UNAUTHENTICATED_RATE_LIMIT`, `TRUSTED_PROXIES`).',
  },
  platform_rate_limit: { code: 'rate_limited', meaning: 'Rate limit of the platform.' },
  wrong_code_limit: { code: 'rate_limited', meaning: 'Pause after three wrong `encryption_code`s for one account.' },
  account_body_limit: {
    code: 'rate_limited',
    meaning: 'Limit of large request bodies in flight of one account (96 MiB).',
  },
  total_body_limit: {
    code: 'rate_limited',
    meaning: 'Limit of large request bodies in flight of all accounts (256 MiB).',
  },
  account_media_limit: {
    code: 'rate_limited',
    meaning: 'Limit of media in flight of one account (250 pieces, 4 GiB; less while other accounts use theirs).',
  },
  total_media_limit: {
    code: 'rate_limited',
    meaning: 'Limit of media in flight of all accounts (1,000 pieces, 8 GiB).',
  },
  account_article_limit: {
    code: 'rate_limited',
    meaning: 'Limit of articles of one account that wait to be processed.',
  },
  key_limit: { code: 'rate_limited', meaning: 'Limit of API keys of one account that are not revoked (100).' },
  webhook_limit: { code: 'rate_limited', meaning: 'Limit of webhooks of one account (100).' },
  webhook_test_limit: { code: 'rate_limited', meaning: 'Limit of test events a minute of one account (10).' },
  webhook_handshake_limit: { code: 'rate_limited', meaning: 'Another handshake of the webhook took too long.' },
  idempotency_limit: {
    code: 'rate_limited',
    meaning:
      'Limit of requests a minute of one account that had an `Idempotency-Key` and an unknown outcome (60), or cost nothing (60).',
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
  platform_unreadable: {
    code: 'platform_unavailable',
    meaning: 'The response of the platform cannot be understood or trusted.',
  },
  response_too_large: {
    code: 'platform_unavailable',
    meaning: 'The response to a call would have more than 16 MiB, because the platform sent too much.',
  },
  platform_paused: {
    code: 'platform_unavailable',
    meaning: 'Ten calls in a row failed, so at most one call a second is sent to the platform.',
  },
  proxy_failed: { code: 'platform_unavailable', meaning: "The caller's proxy failed, or the connection through it." },
  proxy_unreadable: {
    code: 'platform_unavailable',
    meaning: "The response through the caller's proxy cannot be understood or trusted.",
  },
  proxy_paused: {
    code: 'platform_unavailable',
    meaning: "Ten calls in a row failed through the caller's proxy, so at most one call a second is sent through it.",
  },
  article_inconsistent: {
    code: 'platform_unavailable',
    meaning: 'A change of an article failed after its first steps and could not be undone.',
  },
  event_loop_overload: {
    code: 'unavailable',
    meaning: 'The event loop of the process is late (`MAX_EVENT_LOOP_DELAY_MS`).',
  },
  request_overload: {
    code: 'unavailable',
    meaning: 'The process has too many requests in flight (`MAX_REQUESTS_IN_FLIGHT`).',
  },
  busy_overload: {
    code: 'unavailable',
    meaning:
      'The event loop of the process is saturated, so that its concurrent requests are limited (`MAX_REQUESTS_IN_FLIGHT`).',
  },
  article_overload: { code: 'unavailable', meaning: 'Limit of articles of all accounts that wait to be processed.' },
  article_too_complex: { code: 'unavailable', meaning: 'An article could not be processed in time.' },
  store_away: { code: 'unavailable', meaning: 'The store (SQLite or MongoDB) cannot be reached or written.' },
  stopping: { code: 'unavailable', meaning: 'The process is stopping.' },
  charge_unrecorded: {
    code: 'unavailable',
    meaning: 'The call was performed, but its charge could not be recorded in time.',
  },
  reservation_lost: {
    code: 'unavailable',
    meaning: 'The call was performed, but its reserved credit had expired and was spent; it was not charged.',
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
    meaning:
      "The platform did not respond in time through the caller's proxy, or the proxy did not open the tunnel in time.",
  },
  realm_timeout: { code: 'platform_timeout', meaning: 'A key realm did not respond in time.' },
  request_deadline: { code: 'platform_timeout', meaning: 'A GraphQL request took longer than `GRAPHQL_TIMEOUT_MS`.' },
} as const satisfies Record<string, { code: ErrorCode; meaning: string }>;

export type ErrorReason = keyof typeof errorReasons;
