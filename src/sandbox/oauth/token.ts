import type { Fields } from '../fields.ts';
import { type Call, open } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';
import type { SandboxState } from '../platform.ts';
import {
  fingerprint,
  type Grant,
  hash,
  isSame,
  type OAuthClient,
  type ReadToken,
  type TokenKind,
  tokenOf,
} from './grants.ts';

/** X's refresh tokens live about half a year. */
const refreshMs = 183 * 24 * 3_600_000;

export const oauth2Token = open('oauth2Token', 'POST', '/2/oauth2/token', (call) => {
  const client = clientOf(call);
  const type = field(call.body, 'grant_type');
  if (type === 'authorization_code') return exchangeCode(call, client);
  if (type === 'refresh_token') return refresh(call, client);
  throw new Problem(400, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
});

export const oauth2Revoke = open('oauth2Revoke', 'POST', '/2/oauth2/revoke', (call) => {
  const client = clientOf(call);
  const { dataset, stats } = call.platform;
  const found = dataset.oauth.read(field(call.body, 'token'));
  if (found !== undefined && found.grant.client !== client.id) throw invalid('token');
  if (found !== undefined) endGrant(call.platform, found.grant);
  stats.oauth.revocations++;
  return answer({ revoked: true });
});

/** Ends a grant, with all its tokens. Requests that wait for events notice it at once. */
export function endGrant(platform: SandboxState, { id, user }: Grant): void {
  platform.commit({ kind: 'oauth_grant', id, grant: null });
  platform.longPolls.wake(user);
}

/** Returns a code or refresh token of the client. One that was used before was stolen, so it ends the grant (RFC 6749, 4.1.2 and 10.4). */
function takeOnce(platform: SandboxState, client: OAuthClient, kind: TokenKind, token: string): ReadToken | undefined {
  const found = platform.dataset.oauth.read(token);
  if (found?.kind !== kind || found.grant.client !== client.id) return undefined;
  if (found.number === found.grant.issued) return found.endsAt > platform.now() ? found : undefined;
  if (kind === 'refresh') platform.stats.oauth.reused_refresh_tokens++;
  endGrant(platform, found.grant);
  return undefined;
}

function exchangeCode({ platform, body }: Call, client: OAuthClient): SandboxResponse {
  const { oauth } = platform.stats;
  const [code, redirectUri, verifier] = [
    field(body, 'code'),
    field(body, 'redirect_uri'),
    field(body, 'code_verifier'),
  ];
  const grant = takeOnce(platform, client, 'code', code)?.grant;
  const isAddress = redirectUri === grant?.redirectUri;
  const isVerified = hash(verifier).toString('base64url') === grant?.challenge;
  const isAccepted = grant !== undefined && isAddress && isVerified;
  oauth[isAccepted ? 'codes_exchanged' : 'refused_codes']++;
  if (isAccepted) return issue(platform, grant);
  throw invalid(grant === undefined ? 'authorization code' : isAddress ? 'code verifier' : 'redirect uri');
}

function refresh({ platform, body }: Call, client: OAuthClient): SandboxResponse {
  const { stats } = platform;
  const token = field(body, 'refresh_token');
  stats.noteRefreshToken(fingerprint(token));
  const found = takeOnce(platform, client, 'refresh', token);
  stats.oauth[found ? 'refreshes' : 'refused_refreshes']++;
  if (found === undefined) throw invalid('token');
  return issue(platform, found.grant);
}

function issue(platform: SandboxState, before: Grant): SandboxResponse {
  const now = platform.now();
  const { accessTokenSeconds } = platform.dataset.oauth;
  const accessEndsAt = now + accessTokenSeconds * 1_000;
  const isKept = before.scopes.includes('offline.access');
  const issued = before.issued + 1;
  const grant = { ...before, issued, endsAt: isKept ? now + refreshMs : accessEndsAt };
  platform.commit({ kind: 'oauth_grant', id: grant.id, grant });
  return answer({
    token_type: 'bearer',
    expires_in: accessTokenSeconds,
    access_token: tokenOf(grant, 'access', issued, accessEndsAt),
    scope: grant.scopes.join(' '),
    ...(isKept && { refresh_token: tokenOf(grant, 'refresh', issued, grant.endsAt) }),
  });
}

/** A confidential client sends its id and secret as Basic, a public one its id in the form. */
function clientOf({ platform, headers, body }: Call): OAuthClient {
  if (!/^application\/x-www-form-urlencoded\b/i.test(String(headers['content-type']))) {
    throw new Problem(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded');
  }
  const basic = /^Basic ([\w+/-]+={0,2})$/i.exec(String(headers['authorization']))?.[1];
  const text = Buffer.from(basic ?? '', 'base64').toString();
  const pair = new URLSearchParams(`id=${text.replace(':', '&secret=')}`);
  const id = basic === undefined ? field(body, 'client_id') : (pair.get('id') ?? '');
  const secret = basic === undefined ? null : pair.get('secret');
  const client = platform.dataset.oauth.clients.get(id);
  if (client === undefined || !isSame(JSON.stringify(client.secret), JSON.stringify(secret))) {
    const scheme = { 'www-authenticate': 'Basic realm="Sandbox"' };
    throw new Problem(401, 'unauthorized_client', 'Missing valid authorization header', {}, scheme);
  }
  return client;
}

function field(body: Fields, name: string): string {
  const value = body[name];
  if (typeof value === 'string' && value !== '') return value;
  const text = value ? `Parameter [${name}] is given twice.` : `Missing required parameter [${name}].`;
  throw new Problem(400, 'invalid_request', text);
}

function invalid(what: string): Problem {
  return new Problem(400, 'invalid_request', `Value passed for the ${what} was invalid.`);
}

function answer(value: object): SandboxResponse {
  return jsonText(JSON.stringify(value), 200, { 'cache-control': 'no-store' });
}
