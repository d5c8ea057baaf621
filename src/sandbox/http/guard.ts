import type { IncomingMessage } from 'node:http';
import { Problem } from './problem.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** A name that merely resolves to this machine is refused, or any web page could talk to it by rebinding its own name. */
export function checkHost(request: IncomingMessage): void {
  if (!LOOPBACK.test(request.headers.host ?? '')) {
    throw new Problem(403, 'bad_host', 'Only loopback host names are answered');
  }
}

/** A browser asks leave before it sends JSON to another site, and gets none here; without this, a plain form could post. */
export function checkControlType(request: IncomingMessage): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new Problem(415, 'unsupported_media_type', 'Control takes application/json only');
  }
}

export function cookieToken(request: IncomingMessage): string | undefined {
  const header = request.headers.cookie;
  if (header === undefined) return undefined;
  for (const part of header.split(';')) {
    const cookie = part.trim();
    if (cookie.startsWith('auth_token=')) return cookie.slice('auth_token='.length).replace(/^"(.*)"$/, '$1');
  }
  return undefined;
}
