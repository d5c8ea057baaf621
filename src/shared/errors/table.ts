/**
 * All error codes with their status in REST and their `extensions.code` in GraphQL. Messages are not part of the table, because a message
 * contains the field or the cause and is written where the error is detected.
 */
export const errorTable = {
  bad_input: { status: 400, graphql: 'BAD_USER_INPUT' },
  too_costly: { status: 400, graphql: 'TOO_COSTLY' },
  unauthenticated: { status: 401, graphql: 'UNAUTHENTICATED' },
  insufficient_credits: { status: 402, graphql: 'INSUFFICIENT_CREDITS' },
  forbidden: { status: 403, graphql: 'FORBIDDEN' },
  not_found: { status: 404, graphql: 'NOT_FOUND' },
  method_not_allowed: { status: 405, graphql: 'BAD_USER_INPUT' },
  request_timeout: { status: 408, graphql: 'BAD_USER_INPUT' },
  conflict: { status: 409, graphql: 'CONFLICT' },
  too_large: { status: 413, graphql: 'BAD_USER_INPUT' },
  unsupported_media_type: { status: 415, graphql: 'BAD_USER_INPUT' },
  idempotency_mismatch: { status: 422, graphql: 'IDEMPOTENCY_MISMATCH' },
  locked: { status: 423, graphql: 'LOCKED' },
  rate_limited: { status: 429, graphql: 'RATE_LIMITED' },
  headers_too_large: { status: 431, graphql: 'BAD_USER_INPUT' },
  internal: { status: 500, graphql: 'INTERNAL' },
  not_supported: { status: 501, graphql: 'NOT_SUPPORTED' },
  platform_unavailable: { status: 502, graphql: 'PLATFORM_UNAVAILABLE' },
  unavailable: { status: 503, graphql: 'UNAVAILABLE' },
  platform_timeout: { status: 504, graphql: 'PLATFORM_TIMEOUT' },
} as const satisfies Record<string, { status: number; graphql: string }>;

export type ErrorCode = keyof typeof errorTable;

export const errorCodes = Object.keys(errorTable) as ErrorCode[];

/** The response header with the error code (docs/rest.md, Errors). */
export const errorCodeHeader = 'x-error-code';

/**
 * Returns the error code of a response of which only the status is known, such as a stored response. Each status of REST belongs to exactly
 * one code.
 */
export function errorCodeOf(status: number): ErrorCode {
  return errorCodes.find((code) => errorTable[code].status === status) ?? (status < 500 ? 'bad_input' : 'internal');
}
