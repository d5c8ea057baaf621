import { PosternError } from '../shared/errors/postern-error.ts';
import type { ErrorReason } from '../shared/errors/reasons.ts';

/** What is wrong with media; the message continues a sentence that begins with the caller's name for it. */
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

/** A fault as the caller is told it; any other error unchanged. */
export function asFieldFault(error: unknown, field: string): unknown {
  if (!(error instanceof MediaError)) return error;
  return new PosternError(error.reason, `Malformed field: ${field}: ${error.message}`, { field });
}
