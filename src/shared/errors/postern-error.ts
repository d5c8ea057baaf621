import { type ErrorCode, errorTable } from './table.ts';

interface Details {
  /** The fault underneath, for the log; callers never see it. */
  cause?: unknown;
  /** Seconds that the caller should wait before it asks again. */
  retryAfterSeconds?: number;
  /** The field of the input that is at fault, as the message spells it. */
  field?: string;
}

/** A refusal or failure that the caller is told about in full: the message is written for them. */
export class PosternError extends Error {
  override readonly name = 'PosternError';
  readonly code: ErrorCode;
  readonly retryAfterSeconds: number | undefined;
  readonly field: string | undefined;

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.field = details.field;
  }

  get status(): number {
    return errorTable[this.code].status;
  }
}

/** The platform does not accept the token. Other refusals (`forbidden`) say nothing about the token. */
export class TokenRefusedError extends PosternError {
  constructor() {
    super('forbidden', 'Platform rejected auth_token');
  }
}

/** Any thrown value as a `PosternError`; what nobody foresaw becomes `internal`, its cause kept for the log. */
export function asPosternError(error: unknown): PosternError {
  if (error instanceof PosternError) return error;
  return new PosternError('internal', 'Internal error; the log has its cause under this x-request-id', {
    cause: error,
  });
}
