import { PosternError } from './postern-error.ts';

export function missingField(field: string): PosternError {
  return new PosternError('bad_input', `Missing required field: ${field}`, { field });
}

export function malformedField(field: string, reason: string): PosternError {
  return new PosternError('bad_input', `Malformed field: ${field}: ${reason}`, { field });
}
