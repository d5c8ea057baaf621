import { type ErrorReason, errorReasons } from './reasons.ts';
import { type ErrorCode, errorTable } from './table.ts';

interface Details {
  /** The underlying error. It is logged and never sent to callers. */
  cause?: unknown;
  /** The number of seconds to wait before a retry. */
  retryAfterSeconds?: number;
  /** The invalid field of the input, spelled as in the message. */
  field?: string;
  /** The ids of what the request has made. */
  ids?: readonly Record<string, string>[];
}

/** An error with a message for the caller. Code must distinguish errors by `reason` or `code`, never by the message. */
export class PosternError extends Error {
  override readonly name = 'PosternError';
  readonly reason: ErrorReason;
  readonly retryAfterSeconds: number | undefined;
  readonly field: string | undefined;
  readonly ids: Details['ids'];

  constructor(reason: ErrorReason, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.field = details.field;
    this.ids = details.ids;
  }

  get code(): ErrorCode {
    return errorReasons[this.reason].code;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

const connectionFailures: ReadonlySet<ErrorReason> = new Set([
  ...(['connection_not_found', 'connection_pending', 'connection_expired', 'connection_revoked'] as const),
]);

/** Returns true if a call failed because its connection does not work, whatever the platform. */
export function isConnectionFailure(error: unknown): boolean {
  return error instanceof PosternError && connectionFailures.has(error.reason);
}

/** Converts any thrown value to a `PosternError`. An unexpected value becomes an `internal` error and is kept as its cause for the log. */
export function asPosternError(error: unknown): PosternError {
  if (error instanceof PosternError) return error;
  return new PosternError('unexpected', 'Internal error. The log contains the cause with this x-request-id', {
    cause: error,
  });
}

/** Returns true if a response of the platform, or one through the caller's proxy, cannot be understood. */
export function isUnreadable(error: PosternError): boolean {
  return error.reason.endsWith('_unreadable');
}
