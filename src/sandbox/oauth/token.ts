import type { Fields } from '../fields.ts';
import type { Call, OpenOperation } from '../http/operation.ts';
import { Problem } from '../http/problem.ts';
import { jsonText, type SandboxResponse } from '../http/response.ts';
import type { SandboxState } from '../platform.ts';
import { fingerprint, type Grant, hash, isSame, type OAuthClient, tokenOf } from './grants.ts';

/** X's refresh tokens live about half a year. */
const refreshMs = 183 * 24 * 3_600_000;

export const oauth2Token: OpenOperation = {
  id: 'oauth2Token',
  method: 'POST',
  path: '/2/oauth2/token',
  access: 'open',
  handle(call) {
    const client = clientOf(call);
    const type = field(call.body, 'grant_type');
    if (type === 'authorization_code') return exchangeCode(call, client);
    if (type === 'refresh_token') return refresh(call, client);
    throw new Problem(400, 'unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
  },
};

export const oauth2Revoke: OpenOperation = {
  id: 'oauth2Revoke',
  method: 'POST',
  path: '/2/oauth2/revoke',
  access: 'open',
  handle(call) {
    const client = clientOf(call);
    const { dataset, stats } = call.platform;
    const found = dataset.oauth.read(field(call.body, 'token'));
    if (found !== undefined && found.grant.client !== client.id) throw invalid('token');
    if (found !== undefined) endGrant(call.platform, found.grant);
    stats.oauth.revocations++;
    return answer({ revoked: true });
  },
};

/** Ends a grant, with all its tokens. */
export function endGrant(platform: SandboxState, { id }: Grant): void {
  platform.commit({ kind: 'oauth_grant', id, grant: null });
}

function exchangeCode({ platform, body }: Call, client: OAuthClient): SandboxResponse {
  const { dataset, stats } = platform;
  const [code, redirectUri, verifier] = ['code', 'redirect_uri', 'code_verifier'].map((name) => field(body, name));
  const found = dataset.oauth.read(code ?? '');
  const isUsed = found !== undefined && found.grant.issued > 0;
  if (found?.kind !== 'code' || found.grant.client !== client.id || isUsed || found.endsAt <= platform.now()) {
    stats.oauth.refused_codes++;
    // A code that is used twice was stolen (RFC 6749, section 4.1.2).
    if (found?.kind === 'code' && found.grant.client === client.id && isUsed) endGrant(platform, found.grant);
    throw invalid('authorization code');
  }
  const { grant } = found;
  if (redirectUri !== grant.redirectUri || hash(verifier ?? '').toString('base64url') !== grant.challenge) {
    stats.oauth.refused_codes++;
    throw invalid(redirectUri === grant.redirectUri ? 'code verifier' : 'redirect uri');
  }
  stats.oauth.codes_exchanged++;
  return issue(platform, grant);
}

function refresh({ platform, body }: Call, client: OAuthClient): SandboxResponse {
  const { dataset, stats } = platform;
  const token = field(body, 'refresh_token');
  stats.noteRefreshToken(fingerprint(token));
  const found = dataset.oauth.read(token);
  const isOfClient = found?.kind === 'refresh' && found.grant.client === client.id;
  if (!isOfClient || found.number !== found.grant.issued || found.endsAt <= platform.now()) {
    stats.oauth.refused_refreshes++;
    if (isOfClient && found.number !== found.grant.issued) {
      stats.oauth.reused_refresh_tokens++;
      endGrant(platform, found.grant);
    }
    throw invalid('token');
  }
  stats.oauth.refreshes++;
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
  const pair = new URLSearchParams(
    `id=${Buffer.from(basic ?? '', 'base64')
      .toString()
      .replace(':', '&secret=')}`,
  );
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
  const text =
    value === undefined || value === ''
      ? `Missing required parameter [${name}].`
      : `Parameter [${name}] is given twice.`;
  throw new Problem(400, 'invalid_request', text);
}

function invalid(what: string): Problem {
  return new Problem(400, 'invalid_request', `Value passed for the ${what} was invalid.`);
}

function answer(value: object): SandboxResponse {
  return jsonText(JSON.stringify(value), 200, { 'cache-control': 'no-store' });
}
