import { PosternError } from './postern-error.ts';

/** `text` replaces the name in the message, for example to name the alternatives of the field. */
export function missingField(field: string, text = field): PosternError {
  return new PosternError('missing_field', `Missing required field: ${text}`, { field });
}

/** A field as messages name it: `events[0]`. */
export function fieldAt(path: readonly PropertyKey[]): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`)).join('');
}

export function malformedField(field: string, reason: string): PosternError {
  return new PosternError('malformed_field', `Malformed field: ${field}: ${reason}`, { field });
}
