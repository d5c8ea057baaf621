import { createHmac, randomBytes } from 'node:crypto';
import { scopeTexts } from '../../shared/text/scopes.ts';
import { isActive } from '../dataset/visibility.ts';
import type { Fields } from '../fields.ts';
import { type Call, open } from '../http/operation.ts';
import type { SandboxResponse } from '../http/response.ts';
import { type SafeHtml, safeHtml } from '../pages/html.ts';
import { pageHeaders, pageHtml } from '../pages/serve-page.ts';
import type { SandboxState } from '../platform.ts';
import { demoNames } from '../seed/demo.ts';
import { isSame, newGrant, type OAuthClient, tokenOf } from './grants.ts';

const path = '/i/oauth2/authorize';
const codeMs = 30_000;
const formMs = 600_000;
/** Signs the request in the form, so that only a form of this page can give consent. */
const formKey = randomBytes(32);

interface AuthorizeRequest {
  readonly client: OAuthClient;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly state: string;
  readonly challenge: string;
}

export const oauth2Authorize = open('oauth2Authorize', 'GET', path, ({ platform, query }) => {
  const request = readRequest(platform, query);
  return 'status' in request ? request : consentPage(platform, request, sealForm(query.toString(), platform.now()));
});

export const oauth2Consent = open('oauth2Consent', 'POST', path, ({ platform, headers, body }) => {
  const sealed = openForm(textOf(body, 'request'), platform.now());
  if (sealed === undefined || !isSameOrigin(headers)) {
    return errorPage(403, 'This form is too old or not of this page. Go back to the app and begin again');
  }
  const request = readRequest(platform, new URLSearchParams(sealed));
  if ('status' in request) return request;
  const { client, redirectUri, scopes, state, challenge } = request;
  if (textOf(body, 'decision') !== 'allow') {
    return returnTo(redirectUri, { error: 'access_denied', error_description: 'The user denied access', state });
  }
  const user = platform.dataset.userNamed(textOf(body, 'user'));
  if (user === undefined || user.token === null || !isActive(user)) {
    return errorPage(400, 'Choose one of the accounts with credentials');
  }
  const now = platform.now();
  for (const { id } of platform.dataset.oauth.surplus(now)) platform.commit({ kind: 'oauth_grant', id, grant: null });
  const endsAt = now + codeMs;
  const grant = newGrant({ client: client.id, user: user.id, scopes, redirectUri, challenge, endsAt });
  platform.commit({ kind: 'oauth_grant', id: grant.id, grant });
  return returnTo(redirectUri, { code: tokenOf(grant, 'code', 0, endsAt), state });
});

/** Checks the client and its address first: other errors are sent to that address (RFC 6749, section 4.1.2.1). */
function readRequest({ dataset }: SandboxState, values: URLSearchParams): AuthorizeRequest | SandboxResponse {
  const one = (name: string) => {
    const [value, ...more] = values.getAll(name);
    return more.length === 0 ? value : undefined;
  };
  const client = dataset.oauth.clients.get(one('client_id') ?? '');
  if (client === undefined) return errorPage(400, 'client_id is not the id of a registered app');
  const redirectUri = one('redirect_uri') ?? '';
  if (!isRedirectOf(client, redirectUri)) {
    return errorPage(400, `redirect_uri is not an address that ${client.name} has registered`);
  }
  const state = one('state') ?? '';
  const scopes = [...new Set((one('scope') ?? '').split(' ').filter((scope) => scope !== ''))];
  const unknown = scopes.find((scope) => !Object.hasOwn(scopeTexts, scope));
  const challenge = one('code_challenge') ?? '';
  const faults: readonly (readonly [boolean, error: string, description: string])[] = [
    [state === '' || state.length > 500, 'invalid_request', 'state must have 1 to 500 characters'],
    [one('response_type') === undefined, 'invalid_request', 'response_type is required'],
    [one('response_type') !== 'code', 'unsupported_response_type', 'response_type must be code'],
    [scopes.length === 0, 'invalid_scope', 'scope is required'],
    [unknown !== undefined, 'invalid_scope', 'scope has a name that is not a scope'],
    [one('code_challenge_method') !== 'S256', 'invalid_request', 'code_challenge_method must be S256'],
    [!/^[\w-]{43}$/.test(challenge), 'invalid_request', 'code_challenge must be a SHA-256 hash in base64url'],
  ];
  const [, error, description] = faults.find(([isWrong]) => isWrong) ?? [];
  if (error === undefined || description === undefined) return { client, redirectUri, scopes, state, challenge };
  return returnTo(redirectUri, {
    error,
    error_description: description,
    ...(state.length <= 500 && state !== '' && { state }),
  });
}

function isRedirectOf({ redirectUris }: OAuthClient, text: string): boolean {
  if (redirectUris !== null) return redirectUris.includes(text);
  return (
    URL.canParse(text) && /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?\/connect\/callback$/.test(text)
  );
}

function returnTo(address: string, values: Readonly<Record<string, string>>): SandboxResponse {
  const url = new URL(address);
  for (const [name, value] of Object.entries(values)) url.searchParams.set(name, value);
  const headers = { location: url.href, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
  return { status: 303, body: '', contentType: 'text/plain', headers };
}

function consentPage({ dataset }: SandboxState, request: AuthorizeRequest, sealed: string): SandboxResponse {
  const { client, redirectUri, scopes } = request;
  const users = demoNames.flatMap((name) => dataset.userNamed(name) ?? []);
  const choices = users.map(
    ({ name, screenName, avatar }, index) => safeHtml`<label class="choice">
<input type="radio" name="user" value="${screenName}" required${index === 0 ? safeHtml` checked` : undefined}>
<img src="${avatar ?? 'data:,'}" width="40" height="40" alt=""><span>${name}<br><span class="soft">@${screenName}</span></span></label>`,
  );
  const body = safeHtml`<h1>Allow ${client.name} to use an account?</h1>
<form method="post" action="${path}"><input type="hidden" name="request" value="${sealed}">
<fieldset><legend>Account</legend>${choices}</fieldset>
<h2>${client.name} may then</h2><ul>${scopes.map((scope) => safeHtml`<li>${scopeTexts[scope]}</li>`)}</ul>
<p class="buttons"><button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button></p>
<p class="soft">You return to ${new URL(redirectUri).host}. These are accounts of the sandbox, which is on this machine.</p></form>`;
  return page(200, `Allow ${client.name}`, body);
}

function errorPage(status: number, message: string): SandboxResponse {
  return page(status, 'Sign-in not possible', safeHtml`<h1>Sign-in not possible</h1><p>${message}.</p>`);
}

function page(status: number, title: string, body: SafeHtml): SandboxResponse {
  return {
    status,
    body: pageHtml({ title, body }),
    contentType: 'text/html; charset=utf-8',
    // Browsers apply form-action also to the redirects that follow, which lead to the app and from there to any other page.
    headers: { ...pageHeaders("'self' http: https:"), 'x-frame-options': 'DENY' },
  };
}

function sealForm(query: string, now: number): string {
  const text = `${Buffer.from(query).toString('base64url')}.${now + formMs}`;
  return `${text}.${createHmac('sha256', formKey).update(text).digest('base64url')}`;
}

function openForm(sealed: string, now: number): string | undefined {
  const [query = '', endsAt = '', mac = ''] = sealed.split('.');
  const expected = createHmac('sha256', formKey).update(`${query}.${endsAt}`).digest('base64url');
  return isSame(mac, expected) && Number(endsAt) > now ? Buffer.from(query, 'base64url').toString() : undefined;
}

/** Browsers send at least one of these headers with a form. Other programs may send none. */
function isSameOrigin({ origin, host, 'sec-fetch-site': site = 'same-origin' }: Call['headers']): boolean {
  return site === 'same-origin' && (origin === undefined || origin === `http://${host}`);
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}
