import { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';

/** Media that was refused. The message continues a sentence whose subject is the name of the field. */
export class MediaError extends Error {
  override readonly name = 'MediaError';
  readonly reason: ErrorReason;

  constructor(
    message: string,
    { reason = 'malformed_field', ...options }: ErrorOptions & { reason?: ErrorReason } = {},
  ) {
    super(message, options);
    this.reason = reason;
  }
}

/** Converts a `MediaError` to the error for the caller. Returns other errors unchanged. */
export function toFieldError(error: unknown, field: string): unknown {
  if (!(error instanceof MediaError)) return error;
  return new PosternError(error.reason, `Malformed field: ${field}: ${error.message}`, { field });
}
