import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorCodeHeader } from '../../shared/errors/table.ts';
import { singleHeaders } from './http-errors.ts';

/** The time in seconds for which a browser may reuse the response to a preflight. Chromium uses at most two hours. */
const maxAgeSeconds = 7_200;

/** Request headers of the API that need no check for repetition. */
const otherRequestHeaders = [
  ...['content-encoding', 'prefer', 'x-request-id', 'traceparent', 'tracestate'],
  // Clients of the Model Context Protocol send these.
  ...['mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'],
];

/** Response headers that programs may read. A test compares them with the OpenAPI document. */
const responseHeaders = [
  ...['RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset', 'Retry-After'],
  ...['x-credits-charged', 'x-credits-remaining', 'idempotent-replayed', 'x-outcome-ids'],
  ...['Preference-Applied', 'x-ignored-parameters'],
  ...['x-request-id', errorCodeHeader, 'Cache-Control', 'WWW-Authenticate', 'Allow', 'Deprecation', 'Sunset', 'Link'],
];

/**
 * Lets programs of other origins call the API from a browser (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol).
 * `Access-Control-Allow-Credentials` is never sent, because all credentials are in headers and none in cookies.
 */
export class Cors {
  readonly #origins: ReadonlySet<string>;
  readonly #preflight: readonly (readonly [name: string, value: string])[];

  /** `origins` are spelled as browsers send them, such as `https://app.example`. `methods` are the methods of all calls. */
  constructor(origins: readonly string[], methods: Iterable<string>) {
    this.#origins = new Set(origins);
    this.#preflight = [
      ['access-control-allow-methods', [...new Set(methods)].join(', ')],
      ['access-control-allow-headers', [...singleHeaders, ...otherRequestHeaders].join(', ')],
      ['access-control-max-age', String(maxAgeSeconds)],
      ['cache-control', 'no-store'],
    ];
  }

  /** Returns true if CORS_ORIGINS lists the origin, so that its pages may call the API. */
  allows(origin: string): boolean {
    return this.#origins.has(origin);
  }

  /**
   * Sets the CORS headers of a response, which errors need too. Returns `answered` if the request was a preflight of an allowed origin. A
   * preflight has no API key and causes no work. A request of another origin is handled as without CORS, so its browser withholds the response.
   */
  apply({ method, headers }: IncomingMessage, response: ServerResponse): 'answered' | 'continue' {
    response.setHeader('vary', 'Origin');
    const { origin } = headers;
    if (origin === undefined || !this.allows(origin)) return 'continue';
    response.setHeader('access-control-allow-origin', origin);
    if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
      response.setHeader('access-control-expose-headers', responseHeaders.join(', '));
      return 'continue';
    }
    for (const [name, value] of this.#preflight) response.setHeader(name, value);
    response.statusCode = 204;
    response.end();
    return 'answered';
  }
}
