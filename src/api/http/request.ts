import type { IncomingMessage } from 'node:http';
import { type ParsedUrlQuery, parse } from 'node:querystring';
import type { Request, Response } from 'express';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';

/** The target of a request (RFC 9112 section 3.2) without its fragment. */
export interface RequestTarget {
  readonly path: string;
  /** The text after the question mark; an empty string if there is none. */
  readonly query: string;
}

/** Reads a request target in origin form (`/v1/account?a=b`) or absolute form (`http://host/v1/account?a=b`). */
export function readTarget(url: string): RequestTarget {
  const [target = ''] = url.split('#', 1);
  const local = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '');
  const at = local.indexOf('?');
  return at === -1 ? { path: local, query: '' } : { path: local.slice(0, at), query: local.slice(at + 1) };
}

/** Parses a query. Node's default would drop all parameters after the first thousand; the limit of 16 KiB for a request line bounds their number. */
export function parseQuery(query: string): ParsedUrlQuery {
  return parse(query, '&', '=', { maxKeys: 0 });
}

/**
 * Returns a handler that refuses every request with 405. The routes of pages and documents end with it, because Express would otherwise
 * respond to OPTIONS itself and report other methods as an unknown path.
 */
export function allowOnly(methods: string): (request: Request, response: Response) => never {
  return (_request, response) => {
    response.setHeader('allow', methods);
    throw new PosternError('method_not_allowed', `Wrong method: this path accepts ${methods}`);
  };
}

export const readOnly = allowOnly('GET, HEAD');

/** The header for each of the actor's credentials. */
export const credentialHeaders = {
  auth_token: 'x-auth-token',
  proxy: 'x-proxy',
  encryption_code: 'x-encryption-code',
} as const;

export type Credential = keyof typeof credentialHeaders;

/** Returns the actor's credentials in the headers of a request. */
export function credentialsIn({
  headers,
}: IncomingMessage): Record<'authToken' | 'proxy' | 'encryptionCode', Secret | null> {
  const secretOf = (credential: Credential) => {
    const value = headers[credentialHeaders[credential]];
    return typeof value === 'string' ? new Secret(value) : null;
  };
  return { authToken: secretOf('auth_token'), proxy: secretOf('proxy'), encryptionCode: secretOf('encryption_code') };
}

/**
 * Refuses credentials in a query string of a request that does not accept them there. Ignoring them would be unsafe: a call with an ignored
 * `proxy` would bypass the caller's proxy. `otherPlaces` completes the message. Throws `bad_input`.
 */
export function refuseCredentialsInQuery(names: Iterable<string>, otherPlaces = ''): void {
  for (const name of names) {
    if (!Object.hasOwn(credentialHeaders, name)) continue;
    const header = credentialHeaders[name as Credential];
    const reason = `send it ${otherPlaces}in the header ${header}, not in the query string`;
    throw new PosternError('malformed_field', `Malformed field: ${name}: ${reason}`);
  }
}
