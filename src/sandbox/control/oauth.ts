import { type Fields, optionalInteger, optionalString, requiredString } from '../fields.ts';
import { control } from '../http/operation.ts';
import { json } from '../http/response.ts';
import type { OAuthClient } from '../oauth/grants.ts';
import { endGrant } from '../oauth/token.ts';
import { badRequest, notFound } from '../refusal.ts';

const maxClients = 100;

/** Sets the lifetime of access tokens, registers a client, and ends the grants of a user, as the settings page of the platform does. */
export const controlOAuth = control('controlOAuth', 'POST', '/control/oauth', ({ platform, body }) => {
  const { dataset } = platform;
  const { oauth } = dataset;
  const seconds = optionalInteger(body, 'access_token_seconds', 1, 86_400);
  const client = body['client'] === undefined ? undefined : readClient(body['client']);
  if (client !== undefined && !oauth.clients.has(client.id) && oauth.clients.size >= maxClients) {
    throw badRequest('client', `At most ${maxClients} clients can be registered`);
  }
  const name = optionalString(body, 'revoke');
  const user = name === undefined ? undefined : dataset.userNamed(name);
  if (name !== undefined && user === undefined) throw notFound('user', name);
  if (seconds !== undefined) oauth.accessTokenSeconds = seconds;
  if (client !== undefined) platform.commit({ kind: 'oauth_client', id: client.id, client });
  const revoked = user === undefined ? [] : oauth.of(user.id);
  for (const grant of revoked) endGrant(platform, grant);
  return json({
    access_token_seconds: oauth.accessTokenSeconds,
    clients: [...oauth.clients.keys()],
    grants: oauth.size,
    revoked: revoked.length,
  });
});

function readClient(value: unknown): OAuthClient {
  if (typeof value !== 'object' || value === null) throw badRequest('client', 'client must be an object');
  const fields = value as Fields;
  const id = requiredString(fields, 'client_id');
  if (!/^[\w-]{1,64}$/.test(id)) throw badRequest('client_id', 'client_id must be 1 to 64 letters, digits, _ and -');
  const secret = optionalString(fields, 'client_secret') ?? null;
  const { redirect_uris: redirectUris } = fields;
  if (!Array.isArray(redirectUris) || redirectUris.length > 10 || !redirectUris.every(isAddress)) {
    throw badRequest('redirect_uris', 'redirect_uris must be at most 10 absolute http or https URLs');
  }
  return { id, name: optionalString(fields, 'name') ?? id, secret, redirectUris };
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && URL.canParse(value) && /^https?:\/\/[^#]*$/.test(value);
}
