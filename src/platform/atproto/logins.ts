import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mainSchema as createSession } from '@atcute/atproto/types/server/createSession';
import { mainSchema as refreshSession } from '@atcute/atproto/types/server/refreshSession';
import { LRUCache } from 'lru-cache';
import type { ProxyTarget } from '../../outbound/proxy-pool.ts';
import { PosternError } from '../../shared/errors/postern-error.ts';
import { parseUntrustedJson } from '../../shared/json/untrusted-json.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import type { Vault } from '../../shared/secrets/vault.ts';
import { InvalidResponseError, unreadable } from '../http/errors.ts';
import type { CredentialResolver, PlatformCall, PlatformState } from '../port.ts';
import type { DidResolver } from './did-resolver.ts';
import { asProblem, isTokenRefused, rejectedToken } from './problems.ts';
import type { XrpcClient } from './xrpc.ts';

/** A login: the account, its server and its tokens. */
export interface Login {
  did: string;
  /** The personal data server (PDS) of the account. */
  pds: ProxyTarget;
  access: string;
}

interface StoredLogin extends Login {
  refresh: string;
}

/** A login whose server is not known yet. */
type Session = Omit<StoredLogin, 'pds'>;

/** A stored login. `renewingUntil` is the time until which one process may renew the login, or 0 if none does. */
interface Entry {
  login: StoredLogin | null;
  renewingUntil: number;
}

/** The identifier and password in an `auth_token`. */
interface Credentials {
  identifier: string;
  password: string;
}

/** The time for which logins are stored. Refresh tokens are valid for at least 60 days. */
const storedMs = 60 * 24 * 60 * 60 * 1_000;
/** An entry without a login is stored for this time only, so that refused passwords do not fill the store. */
const claimedMs = 10 * 60_000;
const renewalMs = 30_000;
const pollMs = 200;
/** A refused password is not sent again for this time, because the network limits logins to 30 in 5 minutes. */
const refusedMs = 60_000;
/** A session is kept for this time if the server of the account could not be found, so that it needs no second login. */
const unplacedMs = 5 * 60_000;
/** While an account's server does not answer, its DID document is read at most this often. */
const movedMs = 10_000;
const maxCached = 10_000;
/** The limits of a response with tokens, which are cached and stored. */
const sessionLimits = { bytes: 16 * 1024, values: 500 };
/** A token that expires within this time is renewed before it is used. */
const marginMs = 60_000;
/** The maximum length of a token. Servers accept headers of 8 to 16 KiB. */
const maxToken = 8_192;

export interface LoginOptions {
  /** The server where accounts log in. */
  service: ProxyTarget;
  xrpc: XrpcClient;
  dids: DidResolver;
  state: PlatformState;
  /** The app passwords of connections. Default: there are none. */
  credentials?: CredentialResolver | undefined;
  vault: Vault;
  /** The key of the HMAC that names stored logins. */
  key: Buffer;
  runtime: Runtime;
}

/**
 * Provides the logins of actors. An `auth_token` is either `identifier:app-password` or an access token. Logins with a
 * password are stored encrypted, so that all gateways share them. One gateway at a time logs in or renews the tokens,
 * and the others wait for the result.
 */
export class Logins {
  readonly #options: LoginOptions;
  readonly #cache = new LRUCache<string, StoredLogin>({ max: maxCached });
  readonly #refused = new LRUCache<string, { until: number; error: PosternError }>({ max: maxCached });
  /** The times until which the network accepts no more logins of an account. */
  readonly #limited = new LRUCache<string, number>({ max: maxCached });
  readonly #unplaced = new LRUCache<string, Session>({ max: maxCached, ttl: unplacedMs });

  constructor(options: LoginOptions) {
    this.#options = options;
  }

  /** Returns the login of the call's actor. `refused` is an access token that the server did not accept any more. */
  async of(call: PlatformCall, refused: string | null = null): Promise<Login> {
    const { credentials } = this.#options;
    const given = (await credentials?.credentialOf(call)) ?? call.authToken;
    try {
      return await this.#ofToken(given.expose(), call, refused);
    } catch (error) {
      const isRejected = error instanceof PosternError && error.reason === 'auth_token_rejected';
      // Throws the reason why the connection does not work any more.
      if (credentials && isRejected && given !== call.authToken) await credentials.credentialOf(call, given);
      throw error;
    }
  }

  async #ofToken(token: string, call: PlatformCall, refused: string | null): Promise<Login> {
    const credentials = readCredentials(token);
    if (credentials === null) return this.#ofAccessToken(token, call, refused);
    const name = this.#nameOf(token);
    const earlier = this.#refused.get(name);
    if (earlier && earlier.until > this.#options.runtime.now()) throw earlier.error;
    const cached = this.#cache.get(name);
    if (cached && this.#isUsable(cached, refused)) return cached;
    return this.#shared(name, credentials, call, refused);
  }

  /** Returns a login at the account's new server, or `null` if the account has not moved. */
  async afterMove(call: PlatformCall, login: Login): Promise<Login | null> {
    const pds = await this.#options.dids.pdsOf(login.did, call, movedMs).catch(() => login.pds);
    return pds.origin === login.pds.origin ? null : this.of(call, login.access);
  }

  async #ofAccessToken(token: string, call: PlatformCall, refused: string | null): Promise<Login> {
    const claims = readClaims(token);
    if (refused !== null || claims?.sub === undefined || (claims.exp ?? 0) * 1_000 <= this.#options.runtime.now()) {
      throw rejectedToken();
    }
    const pds = await this.#options.dids.pdsOf(claims.sub, call);
    return { did: claims.sub, pds, access: token };
  }

  /** Reads the login from the store, or renews it and stores it. */
  async #shared(name: string, credentials: Credentials, call: PlatformCall, refused: string | null): Promise<Login> {
    const { state, runtime } = this.#options;
    const deadline = runtime.now() + renewalMs;
    while (runtime.now() < deadline) {
      const sealed = await state.read(name);
      const entry = this.#open(sealed, name);
      if (entry.login && this.#isUsable(entry.login, refused)) {
        this.#cache.set(name, entry.login);
        return entry.login;
      }
      if (entry.renewingUntil <= runtime.now()) {
        const claimed = await this.#write(name, { ...entry, renewingUntil: runtime.now() + renewalMs }, sealed);
        if (claimed !== null) return this.#renew(name, entry.login, claimed, credentials, call);
      }
      await sleep(pollMs);
      if (call.signal?.aborted) throw new PosternError('caller_hung_up', 'The caller disconnected');
    }
    throw new PosternError('platform_unreachable', 'The platform did not complete a login in time');
  }

  async #renew(
    name: string,
    old: StoredLogin | null,
    claimed: string,
    credentials: Credentials,
    caller: PlatformCall,
  ): Promise<Login> {
    // Do not abort the login when the client disconnects, because other calls wait for it.
    const call = { ...caller, signal: null };
    try {
      const login = (old && (await this.#refresh(old, call))) ?? (await this.#logIn(name, credentials, call));
      const sealed = await this.#write(name, { login, renewingUntil: 0 }, claimed);
      if (sealed !== null) this.#cache.set(name, login);
      return login;
    } catch (error) {
      if (error instanceof PosternError && isRefusal(error)) {
        this.#refused.set(name, { until: this.#options.runtime.now() + refusedMs, error });
      }
      // Store the old login again, so that its refresh token can be used after the outage.
      await this.#write(name, { login: old, renewingUntil: 0 }, claimed);
      throw error;
    }
  }

  /** Renews the tokens. Returns `null` if the refresh token is no longer valid, or if the account has moved. */
  async #refresh(old: StoredLogin, call: PlatformCall): Promise<StoredLogin | null> {
    const { xrpc, dids } = this.#options;
    const pds = await dids.pdsOf(old.did, call).catch(() => old.pds);
    if (pds.origin !== old.pds.origin) return null;
    try {
      const made = await xrpc.as({ target: old.pds, token: old.refresh }, call)(refreshSession, {
        limits: sessionLimits,
      });
      return { ...old, ...tokensOf(made) };
    } catch (error) {
      if (isTokenRefused(error)) return null;
      throw asProblem(error, null);
    }
  }

  async #logIn(name: string, credentials: Credentials, call: PlatformCall): Promise<StoredLogin> {
    const session = this.#unplaced.get(name) ?? (await this.#createSession(name, credentials, call));
    this.#unplaced.set(name, session);
    const pds = await this.#options.dids.pdsOf(session.did, call);
    this.#unplaced.delete(name);
    return { ...session, pds };
  }

  async #createSession(name: string, { identifier, password }: Credentials, call: PlatformCall): Promise<Session> {
    const { xrpc, service, runtime } = this.#options;
    const limitedMs = (this.#limited.get(name) ?? 0) - runtime.now();
    if (limitedMs > 0) {
      throw new PosternError('platform_rate_limit', "The platform's rate limit: too many logins of this account", {
        retryAfterSeconds: Math.ceil(limitedMs / 1_000),
      });
    }
    try {
      const made = await xrpc.as({ target: service, token: null }, call)(createSession, {
        input: { identifier, password },
        limits: sessionLimits,
      });
      return { did: made.did, ...tokensOf(made) };
    } catch (error) {
      const problem = asProblem(error, null);
      if (problem instanceof PosternError && problem.reason === 'platform_rate_limit') {
        this.#limited.set(name, runtime.now() + (problem.retryAfterSeconds ?? 0) * 1_000);
      }
      throw problem;
    }
  }

  #isUsable(login: Login, refused: string | null): boolean {
    if (login.access === refused) return false;
    const expiresAt = (readClaims(login.access)?.exp ?? Number.POSITIVE_INFINITY) * 1_000;
    return expiresAt - marginMs > this.#options.runtime.now();
  }

  #open(sealed: string | null, name: string): Entry {
    if (sealed === null) return { login: null, renewingUntil: 0 };
    return JSON.parse(this.#options.vault.open(sealed, recordOf(name))) as Entry;
  }

  /** Stores a login. Returns the stored text, or `null` if another process wrote first. */
  async #write(name: string, entry: Entry, previous: string | null): Promise<string | null> {
    const sealed = this.#options.vault.seal(JSON.stringify(entry), recordOf(name));
    const ttlMs = entry.login ? storedMs : claimedMs;
    return (await this.#options.state.write(name, sealed, previous, ttlMs)) === sealed ? sealed : null;
  }

  /** Returns the name of a stored login. It is an HMAC, so that weak passwords cannot be guessed from the store. */
  #nameOf(token: string): string {
    const mac = createHmac('sha256', this.#options.key).update(`${this.#options.service.origin}\0${token}`);
    return `login ${mac.digest('base64url')}`;
  }
}

/** Returns the tokens of a session, which are stored and become headers. */
function tokensOf({ accessJwt: access, refreshJwt: refresh }: { accessJwt: string; refreshJwt: string }) {
  if (access.length <= maxToken && refresh.length <= maxToken) return { access, refresh };
  throw unreadable(new InvalidResponseError('a token is too long for a header'));
}

const isRefusal = ({ reason }: PosternError) => reason === 'auth_token_rejected' || reason === 'platform_refused';

const recordOf = (name: string) => `platform state ${name}`;

/**
 * Parses an identifier and a password. Returns `null` for an access token, which has no colon. A DID contains two
 * colons itself.
 */
function readCredentials(token: string): Credentials | null {
  const [, identifier, password] = /^(did:[a-z]+:[^:]+|[^:]+):(.+)$/.exec(token) ?? [];
  return identifier === undefined || password === undefined ? null : { identifier, password };
}

/** Reads the claims of a JSON Web Token without checking its signature, which its server does. */
function readClaims(token: string): { sub?: string; exp?: number } | null {
  try {
    const claims = parseUntrustedJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    if (typeof claims !== 'object' || claims === null) return null;
    const { sub, exp } = claims as Record<string, unknown>;
    return { ...(typeof sub === 'string' && { sub }), ...(typeof exp === 'number' && { exp }) };
  } catch {
    return null;
  }
}
