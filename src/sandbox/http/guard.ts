import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/**
 * Accepts only loopback host names. This prevents DNS rebinding: a web page cannot reach the sandbox under its own host
 * name.
 */
export function checkHost(request: IncomingMessage): void {
  if (!LOOPBACK.test(request.headers.host ?? '')) {
    throw new Problem(403, 'bad_host', 'The Host header must be a loopback name or address');
  }
}

/**
 * Requires JSON for control requests. Browsers send JSON to another origin only after a CORS preflight, which the
 * sandbox does not allow. A plain HTML form could send other content types without a preflight.
 */
export function checkControlType(request: IncomingMessage): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new Problem(415, 'unsupported_media_type', 'Control requests must have the content type application/json');
  }
}

/** Returns the token in the `Authorization` header. */
export function bearerToken({ headers }: IncomingMessage): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '')?.[1];
}
