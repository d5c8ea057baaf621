import { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';

/** A fault in media. The message continues a sentence that begins with the name of the field. */
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

/** Converts a `MediaError` to the error for the caller. Returns any other error unchanged. */
export function asFieldFault(error: unknown, field: string): unknown {
  if (!(error instanceof MediaError)) return error;
  return new PosternError(error.reason, `Malformed field: ${field}: ${error.message}`, { field });
}
