import { Refusal, type RefusalReason } from '../refusal.ts';

/** An error response of the platform. Operations throw it, and the server sends it. */
export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly extras: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    extras: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.extras = extras;
    this.headers = headers;
  }
}

export function rateLimited(retryAfterS: number): Problem {
  const headers = { 'retry-after': String(retryAfterS) };
  return new Problem(429, 'rate_limited', 'Too many requests', { retry_after: retryAfterS }, headers);
}

const statuses: Record<RefusalReason, number> = {
  bad_request: 400,
  blocked: 403,
  forbidden: 403,
  not_found: 404,
  protected: 403,
  text_empty: 400,
  text_too_long: 400,
  tweet_deleted: 404,
  user_deleted: 404,
  user_suspended: 403,
};

/** Returns the error response for anything that an operation threw. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof Refusal) return new Problem(statuses[error.reason], error.reason, error.message, error.details);
  return new Problem(500, 'internal', `The sandbox failed: ${error instanceof Error ? error.message : String(error)}`);
}
