import type { IncomingMessage } from 'node:http';
import type { ApiKeyAuthenticator, AuthenticatedKey, KeyProof } from '../../billing/api-key-authenticator.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import type { ClientAddresses } from './client-address.ts';
import { type StreamGrantParts, streamGrantOf } from './stream-grant.ts';

export interface AuthenticationParts extends StreamGrantParts {
  keys: ApiKeyAuthenticator;
  addresses: ClientAddresses;
}

/**
 * Returns the API key of a request, or of the token in its URL. Throws `unauthenticated`, `forbidden` or `unavailable`
 * (`ApiKeyAuthenticator.authenticate`), or `bad_input` for a token that is not alone.
 */
export async function authenticate(request: IncomingMessage, parts: AuthenticationParts): Promise<AuthenticatedKey> {
  const { keys, addresses } = parts;
  const grant = streamGrantOf(request, parts);
  const proof = grant ? { hash: grant.keyHash } : readApiKey(request);
  return keys.authenticate(proof, () => addresses.addressOf(request));
}

/** Returns the API key that a request claims to have. Returns `null` if it has none, or an invalid token. */
export function claimedKey(request: IncomingMessage, parts: StreamGrantParts): KeyProof | null {
  try {
    const grant = streamGrantOf(request, parts);
    if (grant) return { hash: grant.keyHash };
  } catch {
    return null;
  }
  return bearerOf(request);
}

/** Returns the API key of `Authorization: Bearer <API_KEY>` (RFC 6750 section 2.1). Throws `unauthenticated`. */
function readApiKey(request: IncomingMessage): Secret {
  if (!request.headers.authorization) throw missingKey();
  const key = bearerOf(request);
  if (key !== null) return key;
  throw new PosternError('key_malformed', 'Invalid API key: the header must be Authorization: Bearer <API_KEY>');
}

/** Returns the Bearer token of a request. Returns `null` if the request has none. */
export function bearerOf({ headers }: IncomingMessage): Secret | null {
  const token = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1];
  return token === undefined ? null : new Secret(token);
}

export function missingKey(): PosternError {
  return new PosternError('key_missing', 'Missing API key: send the header Authorization: Bearer <API_KEY>');
}
