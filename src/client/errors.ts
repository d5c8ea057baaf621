import { type ErrorCode, errorTable } from './error-table.ts';

/** The code of an error without an error response of the service. */
export type ConnectionErrorCode = 'connection_failed' | 'timed_out' | 'unexpected_response';

export interface ErrorDetails {
  /** The HTTP status. `null` if there was no response. */
  status?: number | null;
  requestId?: string | null;
  retryAfterSeconds?: number | null;
}

/** An error of a call. Distinguish errors by their class or `code`, never by the message. No field contains a credential. */
export class PosternError extends Error {
  /** The error code of the service (docs/errors.md), or the reason why there is no response of the service. */
  readonly code: ErrorCode | ConnectionErrorCode;
  /** The HTTP status. `null` if there was no response. */
  readonly status: number | null;
  /** The id of the request in the log of the service. */
  readonly requestId: string | null;
  /** Seconds to wait before the call can succeed (`Retry-After`). */
  readonly retryAfterSeconds: number | null;
  /** The `Idempotency-Key` of a write, with which the same write can be sent again. `null` for other calls. */
  idempotencyKey: string | null = null;

  constructor(code: ErrorCode | ConnectionErrorCode, message: string, details: ErrorDetails = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.status = details.status ?? null;
    this.requestId = details.requestId ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** The request itself is wrong: correct it before you send it again. */
export class InvalidRequestError extends PosternError {}
/** The API key is missing, unknown, revoked or expired. */
export class AuthenticationError extends PosternError {}
/** The credit of the account, or the budget of the API key, does not cover the call. */
export class InsufficientCreditsError extends PosternError {}
/** The platform or the API key does not allow the call, or the encryption code is wrong. */
export class PermissionError extends PosternError {}
/** The resource that the call names does not exist. */
export class NotFoundError extends PosternError {}
/** The present state does not allow the call, for example because the tweet exists already. */
export class ConflictError extends PosternError {}
/** The `idempotencyKey` was used for another request. */
export class IdempotencyError extends PosternError {}
/** A limit was reached, and the message names it. */
export class RateLimitError extends PosternError {}
/** The platform does not have this function. */
export class NotSupportedError extends PosternError {}
/** The platform failed. If the call was a write, the platform may have performed it. */
export class PlatformError extends PosternError {}
/** The service failed, or is overloaded. */
export class ServerError extends PosternError {}
/** The connection failed or took too long, or the response did not come from Postern. */
export class ConnectionError extends PosternError {}

type ErrorClass = new (code: ErrorCode, message: string, details: ErrorDetails) => PosternError;

/** The class of each error code. */
const errorClasses: Readonly<Record<ErrorCode, ErrorClass>> = {
  bad_input: InvalidRequestError,
  too_costly: InvalidRequestError,
  unauthenticated: AuthenticationError,
  insufficient_credits: InsufficientCreditsError,
  forbidden: PermissionError,
  not_found: NotFoundError,
  method_not_allowed: InvalidRequestError,
  request_timeout: ConnectionError,
  conflict: ConflictError,
  too_large: InvalidRequestError,
  unsupported_media_type: InvalidRequestError,
  idempotency_mismatch: IdempotencyError,
  locked: PermissionError,
  rate_limited: RateLimitError,
  headers_too_large: InvalidRequestError,
  internal: ServerError,
  not_supported: NotSupportedError,
  platform_unavailable: PlatformError,
  unavailable: ServerError,
  platform_timeout: PlatformError,
};

/** Returns the error of a response. `code` is `x-error-code`, which responses of other servers do not have. */
export function responseError(code: string | null, message: string, details: ErrorDetails): PosternError {
  const known = code !== null && Object.hasOwn(errorTable, code) ? (code as ErrorCode) : codeOf(details.status ?? 0);
  return new errorClasses[known](known, message, details);
}

/** Returns the code of a status. */
function codeOf(status: number): ErrorCode {
  const codes = Object.keys(errorTable) as ErrorCode[];
  return codes.find((code) => errorTable[code].status === status) ?? (status < 500 ? 'bad_input' : 'internal');
}
