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
import { decryptedOrNull } from '../shared/secrets/vault.ts';
import { type ConnectionPlace, type ConnectionRecord, revocationTtlMs, type StoredConnection } from '../store/port.ts';
import { type ConnectedUser, type ConnectionRecords, connectionNotFound, hashOf, type Login } from './records.ts';
import type { ConnectionCalls, NewConnection } from './service.ts';
import type { SignIn } from './sign-in.ts';

export interface ConnectionServiceParts {
  records: ConnectionRecords;
  platform: Platform;
  signIn: SignIn;
  /** Returns the address of this service for browsers; `null` if it is not known. */
  publicUrl: () => string | null;
  /** The origins of other web pages to which people may return. */
  returnOrigins: readonly string[];
  /** Why the platform offers no sign-in, for a message. */
  noSignIn: string;
  /** True if the users of the platform have app passwords instead. */
  hasPasswords: boolean;
  /** Called after a connection was changed or deleted. */
  changed: (record: StoredConnection) => void;
  /** Called after a connection was deleted, whose login must be revoked at the platform. */
  revokeSoon: () => void;
}

const limits = { most: 1_000, mostPending: 100 };
/** The time for a sign-in, from the link to the answer of the platform. */
const signInMs = 10 * 60_000;
const maxReturnTo = 2_000;
const notCompleted = 'The sign-in was not completed in time';

/** Implements the API calls for connections (docs/connections.md). */
export class ConnectionService implements ConnectionCalls {
  readonly #parts: ConnectionServiceParts;

  constructor(parts: ConnectionServiceParts) {
    this.#parts = parts;
  }

  async create({ account, author, scopes: wanted, returnTo, token }: NewConnection): Promise<StartedConnectionView> {
    const { records } = this.#parts;
    const scopes = this.#scopesOf(wanted);
    const begun = this.#beginning(returnTo, token);
    const id = idOf(token);
    // The connection already exists if an earlier attempt of this request stored it and then failed.
    const known = await records.stored(records.store.find(id));
    const record = known ?? { ...this.#newRecord(account, id, scopes), ...begun.state(id) };
    if (!known) await this.#store(record, author);
    return this.#started(record, begun.code(id));
  }

  async createWithPassword({
    account,
    author,
    login: password,
    token,
  }: Parameters<ConnectionCalls['createWithPassword']>[0]): Promise<ConnectionView> {
    const { records } = this.#parts;
    const id = idOf(token);
    const known = await records.stored(records.store.find(id));
    if (known) return this.#viewOf(known);
    const login = await this.#passwordLogin(account, password);
    const record = { ...this.#newRecord(account, id, []), ...this.#active(id, login) };
    await this.#store(record, author);
    return this.#viewOf(record);
  }

  async reconnectWithPassword({
    account,
    author,
    login: password,
    id,
  }: Parameters<ConnectionCalls['reconnectWithPassword']>[0]): Promise<ConnectionView> {
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
    return this.#viewOf(stored);
  }

  async #passwordLogin(account: string, password: Secret): Promise<Login> {
    const { signIn, hasPasswords } = this.#parts;
    if (!hasPasswords) throw new NotSupportedError('app passwords');
    const user = await signIn.userOf(account, password);
    return lastingLogin(user, password);
  }

  /** Creates an active connection with a fixed id and a login that never ends, or restores it. */
  async provide({
    account,
    id,
    user,
    access,
  }: {
    account: string;
    id: string;
    user: ConnectedUser;
    access: Secret;
  }): Promise<void> {
    const { store } = this.#parts.records;
    const login = this.#active(id, lastingLogin(user, access));
    const known = await store.find(id);
    if (known?.revokeAt === null) {
      await this.#parts.records.change(known, () => ({ ...login, error: null, expiresAt: null }));
    } else {
      // A deleted connection is stored until it was revoked.
      if (known) await store.remove(id);
      await store.create({ ...this.#newRecord(account, id, this.#signIn().scopes), ...login }, limits);
    }
  }

  async list(
    account: string,
    { count, cursor }: { count: number; cursor: string | null },
    only: readonly string[] | null = null,
  ): Promise<Page<ConnectionView>> {
    const { records } = this.#parts;
    const after = readPlace(cursor);
    const found =
      only === null
        ? await records.stored(records.store.list(account, count + 1, after))
        : (await this.#some(account, only)).filter((record) => after === null || compare(record, after) > 0);
    const page = found.slice(0, count);
    const last = found.length > count ? page.at(-1) : undefined;
    const next = last ? Buffer.from(JSON.stringify([last.createdAt, last.id])).toString('base64url') : null;
    return { items: page.map((record) => this.#viewOf(record)), cursor: next };
  }

  async find(account: string, id: string): Promise<ConnectionView> {
    return this.#viewOf(await this.#parts.records.find(account, id));
  }

  async reconnect({
    account,
    author,
    id,
    returnTo,
    token,
  }: Parameters<ConnectionCalls['reconnect']>[0]): Promise<StartedConnectionView> {
    const { records } = this.#parts;
    this.#signIn();
    const begun = this.#beginning(returnTo, token);
    const code = begun.code(id);
    const found = await records.find(account, id);
    // A repeated request must not end the sign-in that the first one has begun.
    if (records.openSignIn(found)?.code === begun.hash) return this.#started(found, code);
    const state = begun.state(id);
    const entry = records.auditEntry(found, 'connection.reconnect_begun', { by: author });
    const isGone = ({ revokeAt }: ConnectionRecord) => revokeAt !== null;
    const change = ({ login }: ConnectionRecord) => ({
      ...state,
      ...(login === null && { status: 'pending' as const, error: null }),
    });
    const stored = await records.change(found, (record) => (isGone(record) ? null : change(record)), entry);
    if (!stored) throw connectionNotFound(id);
    return this.#started(stored, code);
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

  /** Returns the calls of a key that may use only these connections. */
  only(ids: readonly string[] | null): ConnectionCalls {
    if (ids === null) return this;
    const listed = (account: string, page: { count: number; cursor: string | null }) => this.list(account, page, ids);
    const find = async (account: string, id: string) => {
      if (!ids.includes(id)) throw connectionNotFound(id);
      return this.find(account, id);
    };
    const refused = async () => {
      throw new PosternError('key_connection_not_allowed', 'This API key may not change connections. Use another key');
    };
    const changes = {
      create: refused,
      createWithPassword: refused,
      reconnect: refused,
      reconnectWithPassword: refused,
    };
    return { list: listed, find, ...changes, delete: refused };
  }

  async #some(account: string, ids: readonly string[]): Promise<StoredConnection[]> {
    const { records } = this.#parts;
    const found = await Promise.all(ids.map((id) => records.stored(records.store.find(id))));
    return found
      .flatMap((record) => (record?.account === account && record.revokeAt === null ? [record] : []))
      .sort(compare);
  }

  async #store(record: ConnectionRecord, by: AuditAuthor): Promise<void> {
    const { records } = this.#parts;
    const entry = records.auditEntry(record, 'connection.created', { by });
    const outcome = await records.stored(records.store.create(record, limits, entry));
    if (outcome === 'created') return;
    const isPending = outcome === 'too_many_pending';
    const most = isPending
      ? `${limits.mostPending} connections to which nobody has signed in yet`
      : `${limits.most} connections`;
    const remedy = isPending ? 'Wait until their sign-ins end, or delete one' : 'Delete one first';
    throw new PosternError('connection_limit', `An account may have at most ${most}. ${remedy}`);
  }

  #newRecord(account: string, id: string, scopes: readonly string[]): ConnectionRecord {
    return {
      ...{ id, account, status: 'pending', scopes, userId: null, login: null, signIn: null, signInEndsAt: null },
      ...{ error: null, createdAt: this.#parts.records.now(), lastUsedAt: null, expiresAt: null, refreshing: null },
      ...{ revokeAt: null, goneAt: null },
    };
  }

  #active(id: string, login: Login) {
    return { status: 'active' as const, userId: login.user.id, login: this.#parts.records.sealLogin(id, login) };
  }

  #signIn(): PlatformSignIn {
    const { platform, noSignIn } = this.#parts;
    if (!platform.signIn) throw new NotSupportedError(noSignIn);
    return platform.signIn;
  }

  #scopesOf(wanted: readonly string[] | null): readonly string[] {
    const { scopes, defaultScopes, leastScopes } = this.#signIn();
    if (wanted === null) return defaultScopes;
    const unknown = wanted.find((scope) => !scopes.includes(scope));
    if (unknown !== undefined) throw malformedField('scopes', `must be some of ${scopes.join(', ')}`);
    return scopes.filter((scope) => wanted.includes(scope) || leastScopes.includes(scope));
  }

  /** Checks what a sign-in needs. Returns its one-time code and its state for a connection. */
  #beginning(returnTo: string | null, token: string) {
    const { records, publicUrl, returnOrigins } = this.#parts;
    const own = publicUrl();
    if (own === null)
      throw new NotSupportedError('PUBLIC_URL is not set, to which people return after they have signed in');
    if (returnTo !== null) checkReturnTo(returnTo, [...originsOf(own), ...returnOrigins]);
    // The code is derived from the token of the call, so that a repeated call returns the same link.
    const secret = base62(digest('connection code', token), 32);
    const redirectUri = `${own}/connect/callback`;
    const hash = hashOf(secret);
    return {
      hash,
      code: (id: string) => `${id.slice('conn_'.length)}-${secret}`,
      state: (id: string) => ({
        signIn: records.sealSignIn(id, { code: hash, redirectUri, returnTo, begun: null }),
        signInEndsAt: records.now() + signInMs,
      }),
    };
  }

  #started(record: ConnectionRecord, code: string): StartedConnectionView {
    const { id, createdAt, signInEndsAt } = record;
    const expires_at = formatIsoTime(signInEndsAt ?? createdAt + signInMs);
    return {
      id,
      status: this.#stateOf(record).status,
      authorize_url: `${this.#parts.publicUrl()}/connect/${code}`,
      expires_at,
    };
  }

  #viewOf(record: ConnectionRecord): ConnectionView {
    const { id, scopes, createdAt, lastUsedAt, signInEndsAt } = record;
    const { status, error, isOver } = this.#stateOf(record);
    const endsAt = status === 'pending' ? signInEndsAt : record.expiresAt;
    return {
      id,
      status,
      // A login under a dropped secret key cannot be shown.
      user: decryptedOrNull(() => this.#parts.records.openLogin(record))?.user ?? null,
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
    return { status: status === 'pending' ? ('failed' as const) : status, error: error ?? notCompleted, isOver };
  }
}

/** Returns a login that is never refreshed. */
function lastingLogin(user: ConnectedUser, access: Secret): Login {
  return { user, access: access.expose(), refresh: null, endsAt: null, marginMs: 0 };
}

function digest(use: string, token: string): Buffer {
  return createHash('sha512').update(`${use} ${token}`).digest();
}

function idOf(token: string): string {
  return `conn_${base62(digest('connection', token), 22)}`;
}

function compare(one: ConnectionPlace, other: ConnectionPlace): number {
  return one.createdAt - other.createdAt || (one.id < other.id ? -1 : Number(one.id > other.id));
}

function readPlace(cursor: string | null): ConnectionPlace | null {
  if (cursor === null) return null;
  const [createdAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [number, string];
  return { createdAt, id };
}

/** Returns the origins of the service at `own` in browsers. On loopback, people open it by any of its names. */
function originsOf(own: string): readonly string[] {
  const { hostname, origin } = new URL(own);
  if (!isLoopbackHost(hostname)) return [origin];
  return ['127.0.0.1', 'localhost', '[::1]'].map((name) => origin.replace(hostname, name));
}

/** Refuses other pages than those of the operator, so that the service is no open redirect. */
function checkReturnTo(text: string, origins: readonly string[]): void {
  const url = text.length <= maxReturnTo && /^https?:\/\//i.test(text) ? parseUrl(text) : null;
  if (url && url.username === '' && url.password === '' && origins.includes(url.origin)) return;
  throw malformedField(
    'return_to',
    `must be a URL without credentials, of at most ${maxReturnTo} characters, at ${origins.join(' or ')}`,
  );
}
