import { malformedField } from '../../shared/errors/fields.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { type MissingReason, missingTexts } from '../../shared/model/lookup.ts';
import { InvalidRequestError, InvalidResponseError } from '../http/errors.ts';
import type { Wire } from '../http/wire.ts';
import type { Endpoint } from './operations.ts';

/** The object that a call is about, as the caller named it, for messages such as `Tweet not found: 12`. */
export interface Subject {
  kind: 'Tweet' | 'User' | 'List' | 'Article' | 'Media' | 'Conversation';
  id: string;
  /** The id of a second object of the same kind that may be missing too. */
  other?: string | undefined;
}

/** A response that is not a success: https://docs.x.com/x-api/fundamentals/response-codes-and-errors */
export interface ProblemContext {
  /** 200 if the body has `errors` and no `data`. */
  status: number;
  retryAfterSeconds: number;
  operation: Endpoint;
  subject: Subject | null;
  /** True if the request was sent with the operator's own token. */
  appOnly: boolean;
  /** Why X refuses this write on most plans. The message of a 403 ends with it. */
  restriction?: string | undefined;
  /** True if the token may lack scopes. Those of the sandbox have all. */
  mayLackScopes: boolean;
}

export function aTweet(id: string): Subject {
  return { kind: 'Tweet', id };
}

export function subjectNotFound({ kind, id }: Subject): PosternError {
  return new PosternError('resource_not_found', `${kind} not found: ${id}`);
}

export function rateLimited({ name }: Endpoint, ms: number): PosternError {
  const retryAfterSeconds = Math.ceil(ms / 1_000);
  return new PosternError('platform_rate_limit', `The platform's rate limit of ${name}`, { retryAfterSeconds });
}

const notAllowed = 'The platform does not allow this';

/** For these statuses the body does not matter. Any other 4xx without X's JSON comes from a gateway. */
const plainStatuses = new Set([402, 413, 429]);

/** Converts an error response of X to the error that the caller of Postern gets. Codes and types decide, except in `isAbout`. */
export function readProblem(body: unknown, context: ProblemContext): PosternError {
  const { status, operation, appOnly } = context;
  const problem = problemOf(body);
  if (status >= 400 && status < 500 && !plainStatuses.has(status) && wireOf(body) !== body)
    throw new InvalidResponseError(`a body that is not X's, with status ${status}`);
  const { other } = context.subject ?? {};
  const subject = context.subject && other === problem.value ? { ...context.subject, id: other } : context.subject;
  const { detail, reason } = problem;
  if (status >= 500) return new PosternError('platform_failed', `The platform failed with status ${status}`);
  if (status === 429) return rateLimited(operation, context.retryAfterSeconds * 1_000);
  if (status === 402 || problem.title === 'SpendCapReached' || problem.type === 'usage-capped')
    return new PosternError('platform_credit_exhausted', "The operator's credit at the platform is used up");
  if (problem.type === 'client-forbidden' && context.restriction) return refused(detail || notAllowed, context);
  if (problem.type === 'client-forbidden' || (appOnly && (status === 401 || status === 403)))
    return new PosternError('platform_app_refused', "The platform does not allow the operator's app to make this call");
  if (status === 401) return new PosternError('auth_token_rejected', 'Platform rejected auth_token');
  if (isAbout('suspended', reason, detail)) return new PosternError('platform_refused', missingTexts.suspended);
  switch (reason) {
    case 'not_found':
      if (problem.value !== '')
        return new PosternError('resource_not_found', `${problem.resource} not found: ${problem.value}`);
      return subject ? subjectNotFound(subject) : new PosternError('resource_not_found', 'Not found on the platform');
    case 'has_chat_keys':
      return new PosternError('chat_keys_exist', detail);
  }
  switch (problem.type) {
    case 'unsupported-authentication': {
      const message = `auth_token must be a user access token with the scopes ${scopesOf(operation)}`;
      return new PosternError('platform_refused', message);
    }
    case 'not-authorized-for-resource':
    case 'disallowed-resource': {
      const message = missingTexts[missingReasonOf(problem.type, reason, detail)];
      return refused(operation.method === 'GET' ? message : detail || message, context);
    }
    case 'resource-not-found':
    case 'resource-unavailable':
      return subject ? subjectNotFound(subject) : new PosternError('resource_not_found', 'Not found on the platform');
    case 'invalid-request':
      return invalidRequest(problem, subject);
  }
  if (status === 403 && isAbout('duplicate', reason, detail))
    return new PosternError('duplicate_tweet', 'Status is a duplicate.');
  if (status === 403) {
    const names = context.mayLackScopes && problem.type === 'about:blank' && operation.scopes.length > 0;
    const hint = names ? `auth_token may lack the scopes ${scopesOf(operation)}` : undefined;
    return refused(detail || notAllowed, context, hint);
  }
  if (status === 409) return new PosternError('platform_conflict', detail || 'The platform has another state');
  if (status === 413) return mediaRefused('it is too large');
  if (status === 404 && subject) return subjectNotFound(subject);
  const ErrorClass = status >= 400 && problem.type !== '' ? InvalidRequestError : InvalidResponseError;
  throw new ErrorClass(`problem ${printable(problem.type)} with status ${status}`);
}

export function mediaRefused(message: string): PosternError {
  return new PosternError('malformed_field', `The platform does not take this media: ${message}`);
}

function refused(detail: string, { restriction }: ProblemContext, hint?: string): PosternError {
  const notes = [restriction, hint].filter((note) => note !== undefined).join('; ');
  return new PosternError('platform_refused', notes ? `${detail} (${notes})` : detail);
}

function scopesOf({ scopes }: Endpoint): string {
  return ['tweet.read', 'users.read', ...scopes].join(' ');
}

/** Maps the id or lower-case name of each missing object to the reason. `errors` is the member of that name in X's response. */
export function missingOf(errors: readonly unknown[]): Map<string, MissingReason> {
  return new Map(
    errors.map(wireOf).map((error) => {
      const { type, reason, detail } = problemOf(error);
      return [text(error.value ?? error.resource_id).toLowerCase(), missingReasonOf(type, reason, detail)];
    }),
  );
}

function missingReasonOf(type: string, reason: string, detail: string): MissingReason {
  if (isAbout('suspended', reason, detail)) return 'suspended';
  if (reason === 'deleted' || reason === 'protected') return reason;
  return type === 'not-authorized-for-resource' || type === 'disallowed-resource' ? 'forbidden' : 'not_found';
}

interface Problem {
  /** The last segment of the type, because X uses two hosts. */
  type: string;
  title: string;
  detail: string;
  /** The sandbox's extension, such as `deleted`, `suspended` or `protected`. */
  reason: string;
  /** What is missing, such as `Message`, and its id or name. */
  resource: string;
  value: string;
  /** The names of refused parameters, and the first message about them. */
  parameters: readonly string[];
  /** The refused values. */
  values: readonly string[];
  message: string;
}

/** The types and reasons of the codes in X's older errors, which have `code` and `message` only. */
const oldCodes: Readonly<Record<string, { type: string; reason?: string }>> = {
  34: { type: 'resource-not-found' },
  50: { type: 'resource-not-found' },
  63: { type: 'resource-not-found', reason: 'suspended' },
  144: { type: 'resource-not-found' },
  179: { type: 'not-authorized-for-resource' },
  187: { type: 'about:blank', reason: 'duplicate' },
  453: { type: 'client-forbidden' },
};

function problemOf(body: unknown): Problem {
  const outer = wireOf(body);
  const errors = Array.isArray(outer.errors) ? outer.errors.slice(0, 20).map(wireOf) : [];
  const [first = {}] = errors;
  const of = typeof outer.type === 'string' || errors.length === 0 ? outer : first;
  const old = oldCodes[String(of.code)];
  const type = text(of.type ?? old?.type);
  return {
    type: type.slice(type.lastIndexOf('/') + 1),
    title: text(of.title),
    detail: text(of.detail ?? of.message).slice(0, 300),
    reason: text(of.reason ?? first.reason ?? old?.reason),
    resource: text(of.resource_type)
      .slice(0, 40)
      .replace(/^\w/, (first) => first.toUpperCase()),
    value: text(of.value ?? of.resource_id).slice(0, 300),
    values: errors
      .flatMap(({ parameters }) => Object.values(wireOf(parameters)).flat().slice(0, 4).map(text))
      .filter(Boolean),
    parameters: errors
      .flatMap(({ parameters, parameter }) => [...Object.keys(wireOf(parameters)), text(parameter)])
      .filter(Boolean),
    message: text(first.message ?? of.detail).slice(0, 300),
  };
}

/**
 * X has no types for suspended users and for repeated posts, so this is the only place that reads a text of X. Such
 * texts have the caller's values in brackets.
 */
function isAbout(word: 'suspended' | 'duplicate', reason: string, detail: string): boolean {
  return reason === word || (reason === '' && new RegExp(`\\b${word}\\b`, 'i').test(withoutValues(detail)));
}

function withoutValues(detail: string): string {
  const [from, to] = [detail.indexOf('['), detail.lastIndexOf(']')];
  if (from < 0) return detail;
  return detail.slice(0, from) + (to < from ? '' : detail.slice(to + 1));
}

/** The parameters whose value is the subject of a call. */
const subjectNames = [
  ...['id', 'ids', 'username', 'usernames', 'tweet_id', 'source_tweet_id', 'target_user_id'],
  'reply.in_reply_to_tweet_id',
];

/** Blames the caller only for values that the caller sent and X alone can check. */
function invalidRequest({ parameters, values, message }: Problem, subject: Subject | null): PosternError {
  const has = (...names: string[]) => names.some((name) => parameters.includes(name));
  if (has('pagination_token', 'next_token'))
    return malformedField('cursor', 'is not one that the platform gave for this list');
  // With a subject the query is not the caller's, as in a search for replies.
  if (has('query') && subject === null) return malformedField('q', message);
  if (has('text')) return malformedField('text', message);
  if (has('title')) return malformedField('title', message);
  if (has('content_state')) return malformedField('content', message);
  if (has('media', 'media_type', 'media_category', 'total_bytes')) return mediaRefused(message);
  if (has('media.media_ids')) {
    const ids = values.map(printable).join(', ');
    return ids === ''
      ? malformedField('media_ids', message)
      : new PosternError('resource_not_found', `Media not found: ${ids}`);
  }
  if (subject && has('quote_tweet_id')) return subjectNotFound({ ...subject, id: subject.other ?? subject.id });
  if (subject && has(...subjectNames)) return subjectNotFound(subject);
  throw new InvalidRequestError(`problem invalid-request of ${parameters.map(printable).join(', ')}`);
}

function printable(name: string): string {
  return /^[\w.-]{1,40}$/.test(name) ? name : 'of an unknown form';
}

function wireOf(value: unknown): Wire {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Wire) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
