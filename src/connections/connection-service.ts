import { createHash } from 'node:crypto';
import { NotSupportedError, type Platform, type PlatformSignIn } from '../platform/port.ts';
import { malformedField } from '../shared/errors/fields.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { AuditAuthor } from '../shared/model/audit.ts';
import type { ConnectionView, StartedConnectionView } from '../shared/model/connection.ts';
import { isLoopbackHost } from '../shared/model/loopback.ts';
import type { Page } from '../shared/model/page.ts';
import { parseUrl } from '../shared/model/parse-url.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import { base62 } from '../shared/secrets/base62.ts';
import type { Secret } from '../shared/secrets/secret.ts';
import {
  type ConnectionPosition,
  type ConnectionRecord,
  revocationTtlMs,
  type StoredConnection,
} from '../store/port.ts';
import { type ConnectedUser, type ConnectionRecords, connectionNotFound, hashOf, type Login } from './records.ts';
import { partOf, reconnectFailed, type SignInFlow } from './sign-in.ts';

export interface ConnectionServiceParts {
  records: ConnectionRecords;
  platform: Platform;
  flow: SignInFlow;
  /** Returns the address of this service for browsers; `null` if it is not known. */
  publicUrl: () => string | null;
  /** The origins of other web pages to which people may return. */
  returnOrigins: readonly string[];
  /** The error message for a platform without sign-in. */
  signInHint: string;
  /** True if the users of the platform have app passwords instead. */
  hasPasswords: boolean;
  /** Called after a connection was changed or deleted. */
  changed: (record: StoredConnection) => void;
  /** Called after a connection was deleted, whose login must be revoked at the platform. */
  revokeSoon: () => void;
}

export interface NewSignIn {
  account: string;
  author: AuditAuthor;
  /** Default: those of the connection, or for a new one `PlatformSignIn.defaultScopes`. */
  scopes: readonly string[] | null;
  returnTo: string | null;
  /** The identifier and the app password of a user of the AT Protocol, with which the sign-in needs no page. */
  login: Secret | null;
  /** The idempotency token of the call, from which the id and the one-time code are derived. */
  token: string;
}

const limits = { most: 1_000, mostPending: 100 };
/** The time for a sign-in, from the link to the answer of the platform. */
const signInMs = 10 * 60_000;
const notCompleted = 'The sign-in was not completed in time';

/** Implements the API calls for connections (docs/connections.md). */
export class ConnectionService {
  readonly #parts: ConnectionServiceParts;

  constructor(parts: ConnectionServiceParts) {
    this.#parts = parts;
  }

  async create({ account, author, scopes: wanted, login, ...request }: NewSignIn): Promise<StartedConnectionView> {
    const { records } = this.#parts;
    const id = idOf(request.token);
    const scopes = login ? [] : this.#scopesOf(wanted);
    const prepared = login ? null : this.#prepareSignIn(id, request);
    // The connection already exists if an earlier attempt of this request stored it and then failed.
    const known = await records.stored(records.store.find(id));
    if (known && known.revokeAt !== null) throw connectionNotFound(id);
    if (known) return this.#started(known, prepared?.code);
    const start = login ? this.#active(id, await this.#passwordLogin(account, login)) : prepared?.state(scopes);
    const record = { ...this.#newRecord(account, id, scopes), ...start };
    const entry = records.auditEntry(record, 'connection.created', { by: author });
    const outcome = await records.stored(records.store.create(record, limits, entry));
    if (outcome !== 'created') throw tooMany(outcome);
    return this.#started(record, prepared?.code);
  }

  /** Begins a new sign-in. The old login stays until it has succeeded. */
  async reconnect({ id, ...request }: NewSignIn & { id: string }): Promise<StartedConnectionView> {
    const { account, author, scopes: wanted, login } = request;
    const { records } = this.#parts;
    if (login) return this.#replacePassword({ id, account, author }, login);
    const scopes = this.#scopesOf(wanted);
    const { code, hash, state } = this.#prepareSignIn(id, request);
    const found = await records.find(account, id);
    // A repeated request must not end the sign-in that the first one has begun.
    if (records.signIns.open(found)?.code === hash) return this.#started(found, code);
    if (found.login === null) await this.#requirePendingPlace(found);
    const entry = records.auditEntry(found, 'connection.reconnect_begun', { by: author });
    const change = (record: ConnectionRecord) => {
      const asked = wanted === null ? record.scopes : scopes;
      const isFirst = record.login === null && { status: 'pending' as const, error: null, scopes: asked };
      return { ...state(asked), ...isFirst };
    };
    const stored = await records.change(found, (record) => (record.revokeAt === null ? change(record) : null), entry);
    if (!stored) throw connectionNotFound(id);
    return this.#started(stored, code);
  }

  async #replacePassword(
    { id, account, author }: Pick<NewSignIn, 'account' | 'author'> & { id: string },
    password: Secret,
  ): Promise<StartedConnectionView> {
    const { records, changed } = this.#parts;
    const found = await records.find(account, id);
    const login = await this.#passwordLogin(account, password);
    const { user } = login;
    if (user.id !== found.userId) {
      const message = `The app password belongs to @${user.userName}, and not to the user of the connection ${id}`;
      throw new PosternError('connection_other_user', `${message}. Make a new connection for @${user.userName}`);
    }
    const change = { ...this.#active(id, login), error: null };
    const entry = records.auditEntry(found, 'connection.connected', { by: author, user });
    const stored = await records.change(found, ({ revokeAt }) => (revokeAt === null ? change : null), entry);
    if (!stored) throw connectionNotFound(id);
    changed(stored);
    return this.#started(stored);
  }

  async #passwordLogin(account: string, password: Secret): Promise<Login> {
    const { records, flow, hasPasswords } = this.#parts;
    if (!hasPasswords) throw new NotSupportedError('app passwords');
    try {
      return lastingLogin(records.issuer, await flow.userOf(account, password), password);
    } catch (error) {
      if (!(error instanceof PosternError && error.reason === 'auth_token_rejected')) throw error;
      throw new PosternError(error.reason, 'Platform rejected identifier and app_password');
    }
  }

  /** Creates an active connection with a fixed id and a login that never ends, or restores it. */
  async provide(account: string, id: string, user: ConnectedUser, access: Secret): Promise<void> {
    const { store } = this.#parts.records;
    const login = this.#active(id, lastingLogin(this.#parts.records.issuer, user, access));
    const known = await store.find(id);
    if (known?.revokeAt === null) {
      await this.#parts.records.change(known, () => ({ ...login, error: null, expiresAt: null }));
    } else {
      // A deleted connection is stored until it was revoked.
      if (known) await store.remove(id);
      const scopes = this.#parts.platform.signIn?.scopes ?? [];
      await store.create({ ...this.#newRecord(account, id, scopes), ...login }, limits);
    }
  }

  /** Lists connections, oldest first. `only` are those that the API key may use; `null` if it may use all. */
  async list(
    account: string,
    { count, cursor }: { count: number; cursor: string | null },
    only: readonly string[] | null = null,
  ): Promise<Page<ConnectionView>> {
    const { records } = this.#parts;
    const after = readPosition(cursor);
    const found =
      only === null
        ? await records.stored(records.store.list(account, count + 1, after))
        : (await this.#some(account, only)).filter((record) => after === null || compare(record, after) > 0);
    const page = found.slice(0, count);
    const last = found.length > count ? page.at(-1) : undefined;
    const next = last ? Buffer.from(JSON.stringify([last.createdAt, last.id])).toString('base64url') : null;
    return { items: page.map((record) => this.#viewOf(record)), cursor: next };
  }

  /** Returns a connection, unless the API key may use only others. */
  async find(account: string, id: string, only: readonly string[] | null = null): Promise<ConnectionView> {
    if (only && !only.includes(id)) throw connectionNotFound(id);
    return this.#viewOf(await this.#parts.records.find(account, id));
  }

  async delete(account: string, author: AuditAuthor, id: string): Promise<{ id: string; deleted: true }> {
    const { records, changed, revokeSoon } = this.#parts;
    const found = await records.find(account, id);
    const now = records.now();
    const entry = records.auditEntry(found, 'connection.deleted', { by: author });
    const gone = { revokeAt: now, goneAt: now + revocationTtlMs, signIn: null, signInEndsAt: null };
    const stored = await records.change(found, ({ revokeAt }) => (revokeAt === null ? gone : null), entry);
    if (!stored) throw connectionNotFound(id);
    changed(stored);
    revokeSoon();
    return { id, deleted: true };
  }

  async #some(account: string, ids: readonly string[]): Promise<StoredConnection[]> {
    const { records } = this.#parts;
    const found = await Promise.all(ids.map((id) => records.stored(records.store.find(id))));
    return found
      .flatMap((record) => (record?.account === account && record.revokeAt === null ? [record] : []))
      .sort(compare);
  }

  /** Refuses a sign-in for a connection without a login if too many others wait for theirs. */
  async #requirePendingPlace({ account, id }: ConnectionRecord): Promise<void> {
    const { records } = this.#parts;
    const all = await records.stored(records.store.list(account, limits.most, null));
    const others = all.filter((record) => record.id !== id && this.#stateOf(record).status === 'pending');
    if (others.length >= limits.mostPending) throw tooMany('too_many_pending');
  }

  #newRecord(account: string, id: string, scopes: readonly string[]): ConnectionRecord {
    return {
      id,
      account,
      status: 'pending',
      scopes,
      userId: null,
      login: null,
      signIn: null,
      signInEndsAt: null,
      error: null,
      createdAt: this.#parts.records.now(),
      lastUsedAt: null,
      expiresAt: null,
      refreshing: null,
      revokeAt: null,
      goneAt: null,
    };
  }

  #active(id: string, login: Login) {
    return { status: 'active' as const, userId: login.user.id, login: this.#parts.records.logins.seal(id, login) };
  }

  #platformSignIn(): PlatformSignIn {
    const { platform, signInHint } = this.#parts;
    if (!platform.signIn) throw new PosternError('not_supported', signInHint);
    return platform.signIn;
  }

  #scopesOf(wanted: readonly string[] | null): readonly string[] {
    const { scopes, defaultScopes, leastScopes } = this.#platformSignIn();
    if (wanted === null) return defaultScopes;
    const unknown = wanted.find((scope) => !scopes.includes(scope));
    if (unknown !== undefined) throw malformedField('scopes', `must be some of ${scopes.join(', ')}`);
    return scopes.filter((scope) => wanted.includes(scope) || leastScopes.includes(scope));
  }

  /** Checks the requirements of a sign-in. Returns its one-time code, and its state for some scopes. */
  #prepareSignIn(id: string, { returnTo, token }: Pick<NewSignIn, 'returnTo' | 'token'>) {
    const { records, publicUrl, returnOrigins } = this.#parts;
    const publicOrigin = publicUrl();
    if (publicOrigin === null)
      throw new PosternError('not_supported', 'Sign-ins are not set up: the operator must set PUBLIC_URL');
    if (returnTo !== null) checkReturnTo(returnTo, [...originsOf(publicOrigin), ...returnOrigins]);
    // The code is derived from the token of the call, so that a repeated call returns the same link.
    const secret = base62(digest('connection code', token), 32);
    const hash = hashOf(secret);
    const redirectUri = `${publicOrigin}/connect/callback`;
    return {
      hash,
      code: `${partOf(id)}-${secret}`,
      state: (scopes: readonly string[]) => ({
        signIn: records.signIns.seal(id, { code: hash, scopes, redirectUri, returnTo, begun: null }),
        signInEndsAt: records.now() + signInMs,
      }),
    };
  }

  #started(record: ConnectionRecord, code: string | null = null): StartedConnectionView {
    const { id, createdAt, signInEndsAt } = record;
    const { status } = this.#stateOf(record);
    if (code === null) return { id, status, authorize_url: null, expires_at: null };
    const expires_at = formatIsoTime(signInEndsAt ?? createdAt + signInMs);
    return { id, status, authorize_url: `${this.#parts.publicUrl()}/connect/${code}`, expires_at };
  }

  #viewOf(record: ConnectionRecord): ConnectionView {
    const { id, scopes, createdAt, lastUsedAt, signInEndsAt } = record;
    const { status, error, isOver } = this.#stateOf(record);
    const endsAt = status === 'pending' ? signInEndsAt : record.expiresAt;
    return {
      id,
      status,
      user: this.#parts.records.logins.open(record)?.user ?? null,
      scopes: [...scopes],
      created_at: formatIsoTime(createdAt),
      last_used_at: lastUsedAt === null ? null : formatIsoTime(lastUsedAt),
      expires_at: endsAt === null ? null : formatIsoTime(endsAt),
      sign_in_ends_at: signInEndsAt === null || isOver ? null : formatIsoTime(signInEndsAt),
      error,
    };
  }

  /** `isOver` is true if nobody has completed the last sign-in in time. */
  #stateOf({ status, error, signInEndsAt }: ConnectionRecord) {
    const isOver = signInEndsAt !== null && signInEndsAt <= this.#parts.records.now();
    if (!isOver) return { status, error, isOver };
    if (status === 'pending') return { status: 'failed' as const, error: error ?? notCompleted, isOver };
    return { status, error: error ?? reconnectFailed(notCompleted), isOver };
  }
}

/** Returns a login that is never refreshed. */
function lastingLogin(issuer: string, user: ConnectedUser, access: Secret): Login {
  return { issuer, user, access: access.expose(), refresh: null, endsAt: null, marginMs: 0 };
}

function digest(use: string, token: string): Buffer {
  return createHash('sha512').update(`${use} ${token}`).digest();
}

function idOf(token: string): string {
  return `conn_${base62(digest('connection', token), 22)}`;
}

function tooMany(outcome: 'too_many' | 'too_many_pending'): PosternError {
  const isPending = outcome === 'too_many_pending';
  const most = isPending
    ? `${limits.mostPending} connections to which nobody has signed in yet`
    : `${limits.most} connections`;
  const remedy = isPending ? 'Wait until their sign-ins end, or delete one' : 'Delete one first';
  return new PosternError('connection_limit', `An account may have at most ${most}. ${remedy}`);
}

function compare(one: ConnectionPosition, other: ConnectionPosition): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : Number(one.id > other.id));
}

function readPosition(cursor: string | null): ConnectionPosition | null {
  if (cursor === null) return null;
  const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [number, string];
  return { createdAt, id };
}

/** Returns the origins of the service in browsers. On loopback, people open it by any of its names. */
function originsOf(publicUrl: string): readonly string[] {
  const { hostname, origin } = new URL(publicUrl);
  if (!isLoopbackHost(hostname)) return [origin];
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => origin.replace(hostname, name));
}

/** Refuses other pages than those of the operator, so that the service is no open redirect. */
function checkReturnTo(text: string, origins: readonly string[]): void {
  const url = /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  if (url && url.username === '' && url.password === '' && origins.includes(url.origin)) return;
  throw malformedField('return_to', `must be a URL without credentials at ${origins.join(' or ')}`);
}
