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

export function badRequest(field: string, message: string): Problem {
  return new Problem(400, 'bad_request', message, { field });
}

export function notFound(resource: string, id: string): Problem {
  return new Problem(404, 'not_found', `No such ${resource}: ${id}`, { resource, id });
}

export function rateLimited(retryAfterS: number): Problem {
  const headers = { 'retry-after': String(retryAfterS) };
  return new Problem(429, 'rate_limited', 'Too many requests', { retry_after: retryAfterS }, headers);
}
