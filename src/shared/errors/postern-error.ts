import { type ErrorReason, errorReasons } from './reasons.ts';
import { type ErrorCode, errorTable } from './table.ts';

interface Details {
  /** The fault underneath, for the log; callers never see it. */
  cause?: unknown;
  /** Seconds that the caller should wait before it asks again. */
  retryAfterSeconds?: number;
  /** The field of the input that is at fault, as the message spells it. */
  field?: string;
}

/** A refusal or failure with a message for the caller. Code decides by the reason or the error code, never by the message. */
export class PosternError extends Error {
  override readonly name = 'PosternError';
  readonly reason: ErrorReason;
  readonly retryAfterSeconds: number | undefined;
  readonly field: string | undefined;

  constructor(reason: ErrorReason, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.reason = reason;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.field = details.field;
  }

  get code(): ErrorCode {
    return errorReasons[this.reason].code;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** Any thrown value as a `PosternError`. An unexpected one becomes `internal`, with the value as its cause for the log. */
export function asPosternError(error: unknown): PosternError {
  if (error instanceof PosternError) return error;
  return new PosternError('unexpected', 'Internal error; the log has its cause under this x-request-id', {
    cause: error,
  });
}
