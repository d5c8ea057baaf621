import type { IncomingMessage } from 'node:http';
import type { StreamGrant, StreamTokens } from '../../billing/stream-tokens.ts';
import { malformedField } from '../../shared/errors/fields.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { parseQuery, readTarget } from './request.ts';

export interface StreamGrantParts {
  streamTokens: StreamTokens;
  /** The path of the live stream, which is the only one that accepts a token. */
  streamPath: string;
}

/** The grants of requests whose token was valid. An open stream continues after its token has expired. */
const opened = new WeakMap<IncomingMessage, StreamGrant>();

/**
 * Returns the grant of the token in a live stream URL. Returns `null` if the request has no token, or is not for the live stream.
 * Throws `unauthenticated` or `bad_input`.
 */
export function streamGrantOf(
  request: IncomingMessage,
  { streamTokens, streamPath }: StreamGrantParts,
): StreamGrant | null {
  const known = opened.get(request);
  if (known) return known;
  const { method, url = '', headers } = request;
  if (method !== 'GET' || !url.includes('token=')) return null;
  const { path, query } = readTarget(url);
  if (path !== streamPath) return null;
  const { token } = parseQuery(query);
  if (token === undefined) return null;
  if (typeof token !== 'string') throw malformedField('token', 'given more than once');
  if (headers.authorization !== undefined)
    throw malformedField('token', 'replaces the header Authorization, so send only one of them');
  const grant = streamTokens.open(new Secret(token));
  opened.set(request, grant);
  return grant;
}
