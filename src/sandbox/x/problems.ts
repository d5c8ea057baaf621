import { STATUS_CODES } from 'node:http';
import { Problem } from '../http/problem.ts';
import type { SandboxResponse } from '../http/response.ts';
import type { Refusal, RefusalReason } from '../refusal.ts';
import type { Selection } from './selection.ts';

const types = 'https://api.x.com/2/problems/';

/** An object that the answer lacks. X answers 200, with the problem in `errors`. */
export interface ResourceProblem {
  readonly refusal: Refusal;
  readonly resource: 'user' | 'tweet' | 'list';
  readonly parameter: string;
  /** The requested id or name. */
  readonly value: string;
}

const reasons: Partial<Record<RefusalReason, 'deleted' | 'suspended' | 'protected'>> = {
  tweet_deleted: 'deleted',
  user_deleted: 'deleted',
  user_suspended: 'suspended',
  protected: 'protected',
};

/** Thrown by a write if the object that it is about is not there. */
export class MissingObject extends Error {
  readonly problem: ResourceProblem;

  constructor(problem: ResourceProblem) {
    super(problem.refusal.message);
    this.problem = problem;
  }
}

export function resourceProblem(
  { refusal, resource, parameter, value }: ResourceProblem,
  { as, extended }: Pick<Selection, 'as' | 'extended'>,
) {
  const reason = reasons[refusal.reason];
  const name =
    as(parameter) === parameter ? parameter : `${as(parameter)}${parameter === 'referenced_posts' ? '.id' : ''}`;
  const common = { resource_type: resource, resource_id: value, parameter: name, value, ...(extended && { reason }) };
  if (reason === 'protected' || refusal.reason === 'blocked') {
    const detail = `Sorry, you are not authorized to see the ${resource} with ${name}: [${value}].`;
    return {
      ...common,
      section: 'data',
      title: 'Authorization Error',
      detail,
      type: `${types}not-authorized-for-resource`,
    };
  }
  const type = `${types}resource-not-found`;
  if (reason === 'suspended')
    return { ...common, title: 'Forbidden', detail: `User has been suspended: [${value}].`, type };
  return { ...common, title: 'Not Found Error', detail: `Could not find ${resource} with ${name}: [${value}].`, type };
}

/** Returns the refusal of an operation for tokens that belong to no user. */
export function appOnlyRefused(): Problem {
  const detail =
    'Authenticating with OAuth 2.0 Application-Only is forbidden for this endpoint. Use a user access token.';
  return new Problem(403, 'unsupported-authentication', detail);
}

/**
 * Renders an error response as X does. The code of a problem that X also knows is the last part of its type. Outside of X's API the code is
 * the `reason`, with the object that is missing.
 */
export function problemResponse(
  { status, code, message, extras, headers }: Problem,
  path: string,
  now: number,
): SandboxResponse {
  const { field, values = [], retry_after: retryAfter, resource, id } = extras;
  if (path.startsWith('/2/oauth2/') && status < 429) {
    // RFC 6749, section 5.2.
    const error = code === 'bad_request' ? 'invalid_request' : code;
    const body = JSON.stringify({ error, error_description: message });
    return { status, body, headers: { ...headers, 'cache-control': 'no-store' } };
  }
  const isX = path.startsWith('/2/');
  const own = isX ? {} : { reason: code, resource_type: resource, resource_id: id };
  const isTyped = code.includes('-');
  const body =
    code === 'not_found' && path.startsWith('/2/chat/')
      ? {
          title: 'Not Found Error',
          detail: message,
          type: `${types}resource-not-found`,
          resource_type: resource,
          resource_id: id,
          parameter: 'id',
          value: id,
        }
      : typeof field === 'string'
        ? {
            errors: [{ parameters: { [field]: values }, message }],
            title: 'Invalid Request',
            detail: 'One or more parameters to your request was invalid.',
            type: `${types}invalid-request`,
            ...own,
          }
        : {
            title: isTyped ? 'Forbidden' : (STATUS_CODES[status] ?? 'Error'),
            detail: message,
            type: isTyped ? types + code : 'about:blank',
            status,
            ...own,
          };
  const reset = typeof retryAfter === 'number' ? Math.floor(now / 1_000) + retryAfter : undefined;
  return {
    status,
    body: JSON.stringify(body),
    contentType: 'application/problem+json; charset=utf-8',
    headers: {
      ...(!isX && headers),
      ...(reset && { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': String(reset) }),
    },
  };
}
