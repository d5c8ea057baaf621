import { malformedField } from '../shared/errors/fields.ts';

/** What is wrong with media; the message continues a sentence that begins with the caller's name for it. */
export class MediaFault extends Error {
  override readonly name = 'MediaFault';
}

/** A fault as the caller is told it; any other error unchanged. */
export function asFieldFault(error: unknown, field: string): unknown {
  return error instanceof MediaFault ? malformedField(field, error.message) : error;
}
