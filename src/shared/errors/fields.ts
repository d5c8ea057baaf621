import { PosternError } from './postern-error.ts';

/** Creates an error for a missing field. `text` replaces the field's name in the message, for example to list alternatives. */
export function missingField(field: string, text = field): PosternError {
  return new PosternError('missing_field', `Missing required field: ${text}`, { field });
}

/** Formats the path of a field for messages, for example `events[0]`. */
export function fieldAt(path: readonly PropertyKey[]): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`)).join('');
}

export function malformedField(field: string, reason: string): PosternError {
  return new PosternError('malformed_field', `Malformed field: ${field}: ${reason}`, { field });
}
