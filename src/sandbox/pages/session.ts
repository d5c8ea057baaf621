import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Dataset } from '../dataset/dataset.ts';
import type { User } from '../dataset/types.ts';
import { cookieNamed } from '../http/guard.ts';
import { Problem } from '../http/problem.ts';

/**
 * The cookie of a signed-in browser. Browsers send cookies to all ports of a host, so the cookie has no token of the
 * user, and the API does not accept it. It is valid until the sandbox stops.
 */
const COOKIE = 'sandbox_session';
const key = randomBytes(32);

export function sessionCookie(user: User | undefined): string {
  const value = user === undefined ? '; Max-Age=0' : `${user.id}.${signatureOf(user.id)}`;
  return `${COOKIE}=${value}; Path=/; HttpOnly; SameSite=Strict`;
}

export function sessionUser(dataset: Dataset, request: IncomingMessage): User | undefined {
  const [id = '', signature = ''] = cookieNamed(request, COOKIE)?.split('.') ?? [];
  const given = Buffer.from(signature);
  const expected = Buffer.from(signatureOf(id));
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const user = dataset.users.get(id);
  return user?.state === 'active' ? user : undefined;
}

/**
 * Accepts a form only from the sandbox's own pages. `SameSite` does not suffice, because pages on other ports of this machine belong to
 * the same site.
 */
export function checkOrigin({ headers }: IncomingMessage): void {
  if (headers.origin !== `http://${headers.host}`) {
    throw new Problem(403, 'bad_origin', 'Forms are accepted only from the pages of the sandbox');
  }
}

function signatureOf(id: string): string {
  return createHmac('sha256', key).update(id).digest('base64url');
}
