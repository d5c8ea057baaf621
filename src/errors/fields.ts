import { PosternError } from './postern-error.ts';

export function missingField(field: string): PosternError {
  return new PosternError('bad_input', `Missing required field: ${field}`, { field });
}

/** A field as messages name it: `events[0]`. */
export function fieldAt(path: readonly PropertyKey[]): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at > 0 ? '.' : ''}${String(key)}`)).join('');
}

export function malformedField(field: string, reason: string): PosternError {
  return new PosternError('bad_input', `Malformed field: ${field}: ${reason}`, { field });
}
