import type { IncomingMessage } from 'node:http';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';

/** Returns the API key of `Authorization: Bearer <API_KEY>` (RFC 6750 section 2.1). Throws `unauthenticated`. */
export function readApiKey(request: IncomingMessage): Secret {
  if (!request.headers.authorization) throw missingKey();
  const key = bearerOf(request);
  if (key !== null) return key;
  throw new PosternError('key_malformed', 'Invalid API key: the header must be Authorization: Bearer <API_KEY>');
}

/** Returns the Bearer token of a request; `null` if it has none. */
export function bearerOf({ headers }: IncomingMessage): Secret | null {
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return token === undefined ? null : new Secret(token);
}

export function missingKey(): PosternError {
  return new PosternError('key_missing', 'Missing API key: send the header Authorization: Bearer <API_KEY>');
}
