import { PosternError } from '../../shared/errors/postern-error.ts';
import { Secret } from '../../shared/secrets/secret.ts';
import { type PlatformAnswer, smallLimits } from '../http/answer.ts';
import { InvalidResponseError } from '../http/errors.ts';
import type { Transport } from '../http/transport.ts';
import { object, optional, readCount, text, type Wire } from '../http/wire.ts';
import { type PlatformSignIn, type PlatformTokens, refreshMs } from '../port.ts';
import { operations, writes } from './operations.ts';

/** The operator's app at X. An app without a secret is a public client (RFC 6749, section 2.1). */
export interface XApp {
  readonly clientId: string;
  readonly clientSecret: Secret | null;
}

/** Without these, X does not say whose token it is. */
const leastScopes = ['tweet.read', 'users.read'];
/** The scopes of the operations, and that of refresh tokens. */
const scopes = [
  ...new Set([
    ...leastScopes,
    ...[...Object.values(operations), ...Object.values(writes)].flatMap((operation) => operation.scopes),
    ...['list.read', 'dm.read', 'dm.write', 'offline.access'],
  ]),
];
/** The lifetime of an access token if X does not name it. */
const usualSeconds = 7_200;
const maxSeconds = 1e9;
/** Servers accept headers of 8 KiB. */
const tokenPattern = /^[\x21-\x7e]{1,4096}$/;
/** The errors with which X refuses a code or a token for good. It uses the first one for used refresh tokens too. */
const refusals = new Set(['invalid_request', 'invalid_grant']);

/** The authorization code flow of X: https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code */
export class XSignIn implements PlatformSignIn {
  readonly scopes = scopes;
  readonly leastScopes = leastScopes;
  readonly defaultScopes = scopes.filter((scope) => !scope.startsWith('dm.'));
  readonly host: string;
  readonly #transport: Transport;
  readonly #origin: string;
  readonly #page: string;
  readonly #app: XApp;

  constructor(transport: Transport, origin: string, app: XApp) {
    this.#transport = transport;
    this.#origin = origin;
    this.#app = app;
    // X's consent page is on another host than its API.
    const pages = origin === 'https://api.x.com' ? 'https://x.com' : origin;
    this.host = new URL(pages).host;
    this.#page = `${pages}/i/oauth2/authorize`;
  }

  authorizeUrl({ redirectUri, state, challenge, scopes }: Parameters<PlatformSignIn['authorizeUrl']>[0]): string {
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: this.#app.clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    });
    // X reads a plus sign as such.
    return `${this.#page}?${query.toString().replaceAll('+', '%20')}`;
  }

  exchange({ code, verifier, redirectUri }: Parameters<PlatformSignIn['exchange']>[0]): Promise<PlatformTokens> {
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier.expose(),
    };
    return this.#post('token', form, readTokens);
  }

  refresh(refresh: Secret): Promise<PlatformTokens> {
    return this.#post('token', { grant_type: 'refresh_token', refresh_token: refresh.expose() }, readTokens);
  }

  async revoke(token: Secret): Promise<void> {
    await this.#post('revoke', { token: token.expose() }, () => undefined);
  }

  /** Sends a form. None is sent twice, because codes and refresh tokens can be used only once. */
  #post<T>(path: 'token' | 'revoke', fields: Record<string, string>, read: (body: Wire) => T): Promise<T> {
    const { clientId, clientSecret } = this.#app;
    const form = new URLSearchParams(clientSecret ? fields : { ...fields, client_id: clientId });
    const headers: Record<string, string> = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
    };
    // RFC 6749, section 2.3.1.
    if (clientSecret) {
      const pair = [clientId, clientSecret.expose()].map(encodeURIComponent).join(':');
      headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
    }
    const request = {
      operation: `oauth2/${path}`,
      target: { origin: this.#origin, chosenBy: 'operator' },
      method: 'POST',
      path: `/2/oauth2/${path}`,
      headers,
      text: form.toString(),
      limits: smallLimits,
      mostMs: refreshMs,
    } as const;
    return this.#transport.send(request, null, async (answer) => {
      if (answer.status >= 300) throw await problemOf(answer);
      return read(path === 'token' ? object(await answer.json(), 'body') : {});
    });
  }
}

async function problemOf(answer: PlatformAnswer): Promise<Error> {
  const { status, retryAfter } = answer;
  const body: unknown = await answer.json().catch(() => null);
  const code = Object(body).error;
  if (status === 400 && refusals.has(code))
    return new PosternError('auth_token_rejected', 'The platform refused the code or the token');
  if (status === 429) {
    const seconds = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Math.max(1, Number(retryAfter)) : 60;
    const message = "The platform's rate limit: too many sign-ins";
    return new PosternError('platform_rate_limit', message, { retryAfterSeconds: seconds });
  }
  if (status >= 500) return new PosternError('platform_failed', `The platform failed with status ${status}`);
  if (typeof code === 'string')
    return new PosternError('platform_app_refused', "The platform does not accept the operator's app for sign-ins");
  return new InvalidResponseError(`a body without error, with status ${status}`);
}

function readTokens(body: Wire): PlatformTokens {
  const refresh = optional(readToken, body.refresh_token, 'refresh_token', null);
  if (text(body.token_type, 'token_type').toLowerCase() !== 'bearer') throw new InvalidResponseError('token_type');
  const seconds = optional(readCount, body.expires_in, 'expires_in', usualSeconds);
  return {
    access: readToken(body.access_token, 'access_token'),
    refresh,
    expiresInSeconds: Math.min(maxSeconds, seconds),
    scopes: optional(text, body.scope, 'scope', '').split(' ').filter(Boolean),
  };
}

function readToken(value: unknown, field: string): Secret {
  if (typeof value === 'string' && tokenPattern.test(value)) return new Secret(value);
  throw new InvalidResponseError(`${field} is not a token`);
}
