import type { IncomingMessage } from 'node:http';
import { PosternError } from '../errors/postern-error.ts';
import { Secret } from '../secrets/secret.ts';

/** The API key of `Authorization: Bearer <API_KEY>` (RFC 6750 section 2.1). Throws `unauthenticated`. */
export function readApiKey(request: IncomingMessage): Secret {
  const header = request.headers.authorization;
  if (!header) throw missingKey();
  const match = /^Bearer +(\S+) *$/i.exec(header);
  if (!match?.[1]) {
    throw new PosternError('unauthenticated', 'Invalid API key: the header must be Authorization: Bearer <API_KEY>');
  }
  return new Secret(match[1]);
}

export function missingKey(): PosternError {
  return new PosternError('unauthenticated', 'Missing API key: send the header Authorization: Bearer <API_KEY>');
}
