import { LRUCache } from 'lru-cache';
import type { CredentialResolver, PlatformCall, PlatformSignIn, PlatformTokens } from '../platform/port.ts';
import { refreshMs } from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { EventBody } from '../shared/model/event-bodies.ts';
import type { CancelSignal } from '../shared/runtime/cancellation.ts';
import { upTo } from '../shared/runtime/lru.ts';
import { type Runtime, repeat, sleep } from '../shared/runtime/runtime.ts';
import { Secret } from '../shared/secrets/secret.ts';
import type { NewAccountEvent, StoredConnection } from '../store/port.ts';
import { type ConnectionRecords, connectionNotFound, isHeld, type Login, loginOf, maxPauseMs } from './records.ts';

/** The time for which a login is used without reading it again, so that a deletion or revocation takes effect in every process. */
const cachedMs = 1_000;
const maxCached = 10_000;
/** The time that one process has for a refresh. It is longer than the request, so an expired claim belongs to a dead process. */
const claimMs = refreshMs + 5_000;
/** The time after a refresh whose outcome is unknown until the next one. */
const pauseMs = 1_000;
/** The time until the next refresh if the platform refuses the operator's app. */
const appRefusedMs = 30_000;
/** The longest that a call waits for a refresh: for a claim of a dead process, and then for its own. */
const maxWaitMs = claimMs + refreshMs + pauseMs;
const pollMs = 100;
/** The time that a stopping process gives to running refreshes. */
const graceMs = claimMs;
/** A token that is refused directly after a refresh is not refreshed again for this time. */
const doubtedMs = 10_000;
/** Uses are stored in this interval, each connection at most once in `useMs`. */
const flushMs = 10_000;
const useMs = 60_000;

/** The end of a login, for `connection.expired`. */
export interface EndedLogin {
  account: string;
  /** Identifies the end among those of the account. */
  key: string;
  fields: Omit<EventBody<'connection.expired'>, 'id' | 'type' | 'created_at' | 'account_id'>;
}

export interface ConnectionLoginsParts {
  records: ConnectionRecords;
  runtime: Runtime;
  /** Returns the platform's sign-in. A function, because the platform is opened later. */
  signIn: () => PlatformSignIn | undefined;
  /** Called after a login has ended or was repaired, or its connection was deleted. */
  onChange: (account: string, id: string) => void;
  /** Returns the event of an end, which is stored with it. */
  sealEnd: (ended: EndedLogin) => NewAccountEvent;
  /** Called after a failure that is not the caller's. The work is repeated. */
  onError: (error: unknown) => void;
}

interface CachedLogin {
  record: StoredConnection;
  login: Login | null;
  readAt: number;
}

/**
 * Resolves ids of connections to tokens. One process at a time refreshes a login: it claims the record, sends the refresh token once, and
 * stores the new pair by compare-and-set before anyone uses it. The others wait for the result.
 */
export class ConnectionLogins implements CredentialResolver {
  readonly #parts: ConnectionLoginsParts;
  readonly #process: string;
  readonly #cache = new LRUCache<string, CachedLogin>(upTo(maxCached));
  readonly #reading = new Map<string, Promise<CachedLogin>>();
  readonly #refreshing = new Map<string, Promise<CachedLogin>>();
  /** Access tokens that replaced a refused one, and until when they are not refreshed if they are refused too. */
  readonly #doubted = new LRUCache<string, { access: string; until: number }>(upTo(maxCached));
  readonly #uses = new Map<string, number>();
  readonly #flushing;

  constructor(parts: ConnectionLoginsParts) {
    this.#parts = parts;
    this.#process = parts.runtime.randomBytes(9).toString('base64url');
    this.#flushing = repeat(parts.runtime, flushMs, () => this.#flush());
  }

  /** See `CredentialResolver`. */
  async credentialOf(
    { account, authToken, signal }: Pick<PlatformCall, 'account' | 'authToken' | 'signal'>,
    refused: Secret | null = null,
  ): Promise<Secret> {
    const id = authToken.expose();
    if (!isConnectionId(authToken)) return authToken;
    let opened = requireUsable(await this.#read(id), account);
    if (opened.login && opened.login.issuer !== this.#parts.records.issuer) throw otherIssuer(id);
    const refusedAccess = refused?.expose() ?? null;
    if (!this.#isFresh(opened, refusedAccess)) {
      const refreshing = this.#refreshing.get(id) ?? this.#begin(id, opened, refusedAccess);
      // Calls do not wait while the old token still works.
      if (!this.#isValid(opened, refusedAccess))
        opened = requireUsable(await unlessAborted(refreshing, signal), account);
    }
    const access = opened.login?.access;
    if (!access || access === refusedAccess) throw rejected();
    const { lastUsedAt } = opened.record;
    const now = this.#parts.records.now();
    if (lastUsedAt === null || now - lastUsedAt >= useMs) this.#uses.set(id, now);
    return new Secret(access);
  }

  /** Must be called after this process has changed the connection. */
  readonly changed = (record: StoredConnection): CachedLogin => {
    // `onChange` reads the cache.
    const opened = this.#opened(record);
    this.#parts.onChange(record.account, record.id);
    return opened;
  };

  /** Resolves when no refresh runs any more, because its token would be lost. */
  async close(): Promise<void> {
    this.#flushing.cancel();
    await Promise.race([Promise.allSettled(this.#refreshing.values()), sleep(this.#parts.runtime, graceMs)]);
    await this.#flush();
  }

  async #flush(): Promise<void> {
    // Tokens stay in memory only while they are used.
    const oldest = this.#parts.runtime.now() - cachedMs;
    for (const [id, { readAt }] of this.#cache) if (readAt < oldest) this.#cache.delete(id);
    if (this.#uses.size === 0) return;
    const uses = [...this.#uses].map(([id, at]) => ({ id, at }));
    this.#uses.clear();
    await this.#parts.records.store.touch(uses).catch(this.#parts.onError);
  }

  async #read(id: string): Promise<CachedLogin> {
    const cached = this.#cache.get(id);
    const ageMs = cached ? this.#parts.runtime.now() - cached.readAt : 0;
    // The clock may have been set back. Other connections are read again, because another process may have repaired them.
    if (cached?.record.status === 'active' && ageMs >= 0 && ageMs < cachedMs) return cached;
    const known = this.#reading.get(id);
    if (known) return known;
    const reading = this.#readAgain(id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #readAgain(id: string): Promise<CachedLogin> {
    const { records } = this.#parts;
    const record = await records.stored(records.store.find(id));
    if (record === null || record.revokeAt !== null) throw connectionNotFound(id);
    return this.#opened(record);
  }

  #opened(record: StoredConnection): CachedLogin {
    const { records, runtime } = this.#parts;
    const opened = { record, login: records.logins.open(record), readAt: runtime.now() };
    // A read that began before a change of this process must not hide it.
    if ((this.#cache.get(record.id)?.record.revision ?? 0) <= record.revision) this.#cache.set(record.id, opened);
    return opened;
  }

  /** Returns true if the access token needs no refresh, or if another one would not help. */
  #isFresh(opened: CachedLogin, refused: string | null): boolean {
    const { access = null, refresh = null, marginMs = 0 } = opened.login ?? {};
    if (access === null || access !== refused) return this.#isValid(opened, refused, refresh === null ? 0 : marginMs);
    const doubted = this.#doubted.get(opened.record.id);
    return doubted?.access === access && doubted.until > this.#parts.runtime.now() && this.#isValid(opened, null);
  }

  /** Returns true if the access token works for `marginMs` more, as far as this process knows. */
  #isValid({ login }: CachedLogin, refused: string | null, marginMs = 0): boolean {
    if (!login || login.access === refused) return false;
    return login.endsAt === null || login.endsAt - marginMs > this.#parts.records.now();
  }

  #begin(id: string, opened: CachedLogin, refused: string | null): Promise<CachedLogin> {
    const refreshing = this.#refresh(opened, refused).finally(() => this.#refreshing.delete(id));
    refreshing.catch(() => {});
    this.#refreshing.set(id, refreshing);
    return refreshing;
  }

  /** Refreshes the login, or waits until another process has done so. */
  async #refresh(first: CachedLogin, refused: string | null): Promise<CachedLogin> {
    const { records, runtime } = this.#parts;
    const until = runtime.now() + maxWaitMs;
    for (let opened = first; runtime.now() < until; opened = await this.#readAgain(first.record.id)) {
      const { record, login } = opened;
      if (record.status !== 'active' || !login || this.#isFresh(opened, refused)) return opened;
      const { refreshing } = record;
      if (refreshing && isHeld(record, records.now())) {
        const seconds = Math.ceil((refreshing.until - records.now()) / 1_000);
        // Only a pause is longer than a claim.
        if (seconds * 1_000 > claimMs) throw refreshPaused(seconds);
        await sleep(runtime, pollMs);
        continue;
      }
      const claim = { by: this.#process, until: records.now() + claimMs };
      const claimed = await records.stored(records.store.replace({ ...record, refreshing: claim }));
      // A process that was suspended has lost its claim.
      if (claimed && claim.until - refreshMs > records.now())
        return this.#refreshClaimed(claimed, login, {
          refused,
          isRepeated: refreshing !== null && refreshing.by !== '',
        });
    }
    throw new PosternError('platform_timeout', 'The login of the connection was not refreshed in time');
  }

  /** `isRepeated` is true if an earlier refresh ended without a known outcome, so that its token may have been used. */
  async #refreshClaimed(
    claimed: StoredConnection,
    login: Login,
    { refused, isRepeated }: { refused: string | null; isRepeated: boolean },
  ): Promise<CachedLogin> {
    const { records, runtime, onError } = this.#parts;
    const signIn = this.#parts.signIn();
    const wasRefused = login.access === refused;
    if (login.refresh === null) return this.#end(claimed, login, wasRefused ? 'revoked' : 'ended');
    const sentAt = records.now();
    let tokens: PlatformTokens;
    try {
      if (!signIn) throw new PosternError('platform_app_refused', 'The operator has removed the app for sign-ins');
      tokens = await signIn.refresh(new Secret(login.refresh));
    } catch (error) {
      if (isRefusal(error)) return this.#end(claimed, login, isRepeated ? 'lost' : wasRefused ? 'revoked' : 'expired');
      const by = isRepeated || isUnknown(error) ? this.#process : '';
      const refreshing = { by, until: records.now() + pauseAfter(error) };
      await records.change(claimed, (record) => (isHolder(record, claimed) ? { refreshing } : null));
      throw error;
    }
    const scopes = tokens.scopes.length > 0 ? tokens.scopes : claimed.scopes;
    const refresh = tokens.refresh ?? new Secret(login.refresh);
    const { login: renewed, expiresAt } = loginOf(records.issuer, login.user, { ...tokens, refresh }, sentAt);
    const change = { scopes, expiresAt, login: records.logins.seal(claimed.id, renewed), refreshing: null };
    // Whatever else was changed in the meantime, the new pair replaces the old one, which the platform no longer accepts.
    const ifSame = (record: StoredConnection) => (records.logins.has(record, login) ? change : null);
    const stored = await records.storeLogin(claimed, renewed, ifSame, { onError });
    if (!stored) return this.#readAgain(claimed.id);
    if (wasRefused) this.#doubted.set(claimed.id, { access: tokens.access.expose(), until: runtime.now() + doubtedMs });
    return this.#opened(stored);
  }

  /** Ends the login: its tokens are deleted, and everything that uses the connection stops until somebody signs in again. */
  async #end(claimed: StoredConnection, login: Login, why: keyof typeof endReasons): Promise<CachedLogin> {
    const { records, sealEnd } = this.#parts;
    const { user } = login;
    const { id, account, revision } = claimed;
    const status: 'expired' | 'revoked' = why === 'revoked' ? why : 'expired';
    const reason = endReasons[why];
    const ended = records.logins.seal(id, { ...login, access: null, refresh: null });
    const entry = records.auditEntry(claimed, `connection.${status}`, { user, reason });
    const fields = {
      connection_id: id,
      user_id: user.id,
      userName: user.userName,
      status,
      reason: `${reason}. ${remedyFor(id)}`,
    };
    const stored = await records.change(
      claimed,
      (record) =>
        record.revokeAt === null && records.logins.has(record, login)
          ? { status, login: ended, error: reason, expiresAt: null, refreshing: null }
          : null,
      entry,
      sealEnd({ account, key: `${id} ${revision}`, fields }),
    );
    if (!stored) return this.#readAgain(id);
    return this.changed(stored);
  }
}

/** Why a login ended, for `error` and `connection.expired`. */
const endReasons = {
  ended: 'The login has expired, and it has no refresh token (scope offline.access)',
  expired: 'The login has expired, and the platform refused to refresh it',
  lost: 'A refresh of the login was interrupted, and the platform accepts its refresh token only once',
  revoked: 'The platform no longer accepts the login, because the person withdrew the consent or changed the password',
} as const;

const isRefusal = (error: unknown) => error instanceof PosternError && error.reason === 'auth_token_rejected';

/** Errors after which the platform has certainly not used the refresh token. */
const unused: ReadonlySet<unknown> = new Set(['platform_rate_limit', 'platform_app_refused', 'platform_paused']);

/** Returns the time until the next refresh. */
function pauseAfter(error: unknown): number {
  if (!(error instanceof PosternError)) return pauseMs;
  if (error.reason === 'platform_app_refused') return appRefusedMs;
  return Math.min(maxPauseMs, Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1_000));
}

const isUnknown = (error: unknown) => !(error instanceof PosternError && unused.has(error.reason));

function refreshPaused(seconds: number): PosternError {
  const message = `The platform refused to refresh logins for now. Repeat the call in ${seconds} s`;
  return new PosternError('platform_rate_limit', message, { retryAfterSeconds: seconds });
}

const rejected = () => new PosternError('auth_token_rejected', 'Platform rejected auth_token');

function otherIssuer(id: string): PosternError {
  const message = `The login of the connection ${id} belongs to another platform or app than this service has now`;
  return new PosternError('platform_app_refused', `${message}. ${remedyFor(id)}`);
}

function isHolder({ refreshing }: StoredConnection, claimed: StoredConnection): boolean {
  return refreshing?.by === claimed.refreshing?.by && refreshing?.until === claimed.refreshing?.until;
}

const remedyFor = (id: string) => `POST /connections/${id}/reconnect begins a new sign-in`;

/** Returns true for an `auth_token` that names a connection, even if it cannot exist. */
export function isConnectionId(authToken: Secret): boolean {
  return authToken.expose().startsWith('conn_');
}

/** Throws the reason why the account cannot use a connection. */
function requireUsable(opened: CachedLogin, account: string): CachedLogin {
  const { record } = opened;
  const { id, status } = record;
  if (record.account !== account || record.revokeAt !== null) throw connectionNotFound(id);
  const remedy = remedyFor(id);
  switch (status) {
    case 'active': {
      if (opened.login !== null) return opened;
      const cause = 'is encrypted with a secret key that this gateway does not have (SECRET_KEY)';
      throw new PosternError('connection_expired', `The login of the connection ${id} ${cause}. ${remedy}`);
    }
    case 'pending':
    case 'failed':
      throw new PosternError('connection_pending', `Nobody has signed in to the connection ${id} yet. ${remedy}`);
    default:
      throw new PosternError(`connection_${status}`, `The connection ${id} does not work: ${record.error}. ${remedy}`);
  }
}

/** Settles like `work`, but rejects when the caller hangs up. The work continues. */
function unlessAborted<T>(work: Promise<T>, signal: CancelSignal | null): Promise<T> {
  if (signal === null) return work;
  return new Promise((resolve, reject) => {
    const hangUp = () => reject(new PosternError('caller_hung_up', 'The caller disconnected'));
    signal.addEventListener('abort', hangUp, { once: true });
    if (signal.aborted) hangUp();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', hangUp));
  });
}
