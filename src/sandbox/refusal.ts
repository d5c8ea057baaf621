/** Why the platform refuses a call. `http/problem.ts` has the status of each reason. */
export type RefusalReason =
  | 'bad_request'
  | 'blocked'
  | 'forbidden'
  | 'not_found'
  | 'protected'
  | 'text_empty'
  | 'text_too_long'
  | 'tweet_deleted'
  | 'user_deleted'
  | 'user_suspended';

/** An error that the platform throws because of its rules. It does not depend on a protocol. */
export class Refusal extends Error {
  readonly reason: RefusalReason;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(reason: RefusalReason, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.reason = reason;
    this.details = details;
  }
}

export function badRequest(field: string, message: string): Refusal {
  return new Refusal('bad_request', message, { field });
}

export function notFound(resource: string, id: string): Refusal {
  return new Refusal('not_found', `No such ${resource}: ${id}`, { resource, id });
}
