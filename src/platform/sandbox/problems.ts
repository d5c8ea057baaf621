import { PosternError } from '../../shared/errors/postern-error.ts';
import { InvalidResponseError, object, text, type Wire } from '../http/wire.ts';

/** Converts the body of an error response of the sandbox to the error that the caller gets. */
export function readProblem(body: unknown, status: number, retryAfter: string | null): PosternError {
  const problem = object(object(body, 'body').problem, 'problem');
  const code = text(problem.code, 'code');
  const message = text(problem.message, 'message').slice(0, 300);
  switch (code) {
    case 'bad_token':
      return new PosternError('auth_token_rejected', 'Platform rejected auth_token');
    case 'bad_request':
      // The platform alone checks no field of the caller, so this is a bug in the gateway.
      throw unexpected(code, status);
    case 'bad_cursor':
      return new PosternError(
        'malformed_field',
        'Malformed field: cursor: is not one that the platform gave for this list',
      );
    case 'media_refused':
      return new PosternError('malformed_field', `The platform does not take this media: ${message}`);
    case 'no_chat_keys':
      return new PosternError('chat_keys_missing', message);
    case 'has_chat_keys':
      return new PosternError('chat_keys_exist', message);
    case 'key_changed':
    case 'too_many':
      return new PosternError('platform_conflict', message);
    case 'not_found':
    case 'user_deleted':
      return new PosternError('resource_not_found', notFoundMessage(problem));
    case 'user_suspended':
    case 'protected':
    case 'blocked':
    case 'forbidden':
      return new PosternError('platform_refused', message);
    case 'rate_limited':
      return new PosternError('platform_rate_limit', `The platform's rate limit: ${message}`, {
        retryAfterSeconds: retryAfterSeconds(retryAfter),
      });
    default:
      if (status === 403) return new PosternError('platform_refused', message);
      throw unexpected(code, status);
  }
}

/**
 * Returns an error with the code and status only. The platform's message is left out, because it may repeat parts of
 * the request.
 */
function unexpected(code: string, status: number): InvalidResponseError {
  const known = /^[a-z_]{1,40}$/.test(code) ? code : 'of an unknown form';
  return new InvalidResponseError(`problem ${known} with status ${status}`);
}

function notFoundMessage({ resource, id }: Wire): string {
  return typeof resource === 'string' && typeof id === 'string'
    ? `${resource.charAt(0).toUpperCase()}${resource.slice(1, 40)} not found: ${id.slice(0, 300)}`
    : 'Not found on the platform';
}

/**
 * Parses Retry-After in seconds. The sandbox does not send the date form (RFC 9110, section 10.2.3). Returns 60 if the
 * header is missing or not valid.
 */
function retryAfterSeconds(header: string | null): number {
  return header !== null && /^\d{1,6}$/.test(header) ? Number(header) : 60;
}
