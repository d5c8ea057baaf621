import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import type { ErrorReason } from '../../shared/errors/reasons.ts';
import { InvalidResponseError, unreadable } from '../http/errors.ts';
import { ParameterError, XrpcError } from './xrpc.ts';

/** The subject of a call, for messages that name it: `Tweet not found: 12`. */
export interface Subject {
  kind: 'Tweet' | 'User' | 'List' | 'Media' | 'Article';
  id: string;
}

const badToken = new Set(['AuthenticationRequired', 'AuthMissing', 'ExpiredToken', 'InvalidToken']);
const inactive = new Set([
  'AccountTakedown',
  'AccountDeactivated',
  'AccountSuspended',
  'RepoTakendown',
  'RepoDeactivated',
]);
const goneServer = new Set<ErrorReason>(['platform_unreachable', 'platform_paused', 'address_refused']);
const blocked = new Set(['BlockedActor', 'BlockedByActor']);
/**
 * The error names for unknown objects. Servers also return `InvalidRequest` for unknown identifiers. It cannot mean
 * malformed parameters, because those were checked before.
 */
const unknown = new Set(['NotFound', 'RecordNotFound', 'RepoNotFound', 'InvalidRequest']);

/** True if the access token was refused, so that a new one may help. */
export function isTokenRefused(error: unknown): boolean {
  return (
    error instanceof XrpcError && !inactive.has(error.error) && (error.status === 401 || badToken.has(error.error))
  );
}

/** True if the account may have moved to another server: the old one has deactivated the account, or is gone. */
export function mayHaveMoved(error: unknown): boolean {
  if (error instanceof XrpcError) return inactive.has(error.error);
  return error instanceof PosternError && goneServer.has(error.reason);
}

/** Converts an error of the network to the error for the caller of Postern. */
export function asProblem(error: unknown, subject: Subject | null, paged = false): unknown {
  if (error instanceof ParameterError) return subject ? subjectNotFound(subject) : error;
  if (!(error instanceof XrpcError)) return error;
  if (error.status === 429) {
    const retryAfterSeconds = error.retryAfterSeconds ?? 60;
    return new PosternError('platform_rate_limit', `The platform's rate limit: ${error.message}`, {
      retryAfterSeconds,
    });
  }
  if (isTokenRefused(error)) return rejectedToken();
  if (inactive.has(error.error)) return new PosternError('platform_refused', 'The account is suspended or deactivated');
  if (blocked.has(error.error))
    return new PosternError('platform_refused', 'Blocked by the user, or the user is blocked');
  if (error.status === 403) return new PosternError('platform_refused', error.message);
  if (subject && unknown.has(error.error)) return subjectNotFound(subject);
  if (paged && error.error === 'InvalidRequest') {
    return malformedField('cursor', 'is not one that the platform gave for this list');
  }
  const known = /^\w{1,40}$/.test(error.error) ? error.error : 'of an unknown form';
  return unreadable(new InvalidResponseError(`error ${known} with status ${error.status}`));
}

export function rejectedToken(): PosternError {
  return new PosternError('auth_token_rejected', 'Platform rejected auth_token');
}

export function subjectNotFound({ kind, id }: Subject): PosternError {
  return new PosternError('resource_not_found', `${kind} not found: ${id}`);
}

/** Returns the error for an id with a hash whose identifier is not stored. */
export function hashNotFound({ kind, id }: Subject): PosternError {
  const advice = `This id is valid for 30 days after a response contained it. Read the ${kind.toLowerCase()} again, in a list or by name`;
  return new PosternError('resource_not_found', `${kind} not found: ${id}. ${advice}`);
}
