import { PosternError } from '../../shared/errors/postern-error.ts';

/** The header for each of the actor's credentials. */
export const credentialHeaders = {
  auth_token: 'x-auth-token',
  proxy: 'x-proxy',
  encryption_code: 'x-encryption-code',
} as const;

export type Credential = keyof typeof credentialHeaders;

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
