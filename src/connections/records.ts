import { createHash, timingSafeEqual } from 'node:crypto';
import type { PlatformTokens } from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { type AuditAction, type AuditAuthor, service } from '../shared/model/audit.ts';
import { connectionIdPattern } from '../shared/model/connection.ts';
import type { Runtime } from '../shared/runtime/runtime.ts';
import type { Vault } from '../shared/secrets/vault.ts';
import {
  type AuditEntry,
  auditEntryOf,
  type ConnectionRecord,
  type ConnectionStore,
  type NewAccountEvent,
  orStoreUnavailable,
  type Store,
  type StoredConnection,
} from '../store/port.ts';

/** The user of a login, as the platform showed it at the last sign-in. */
export interface ConnectedUser {
  id: string;
  userName: string;
  name: string;
  profilePicture: string;
}

/** The encrypted login of a connection. */
export interface Login {
  user: ConnectedUser;
  /** The access token, or on the AT Protocol the identifier and the app password; `null` after the login has ended. */
  access: string | null;
  refresh: string | null;
  /** When the access token ends, by the store's clock; `null` if it never does. */
  endsAt: number | null;
  /** The time before this in which the access token is refreshed. */
  marginMs: number;
}

/** The encrypted state of a sign-in that has begun. Secrets that come back from a browser are stored as their hash. */
export interface SignInState {
  /** The hash of the secret in the one-time code. */
  code: string;
  redirectUri: string;
  returnTo: string | null;
  /** Set when the person goes on to the platform. */
  begun: {
    /** The hash of the secret in `state`. */
    state: string;
    /** The hash of the cookie. */
    cookie: string;
    verifier: string;
    /** True from the first valid answer of the platform on, so that no other one is accepted. */
    isAnswered: boolean;
  } | null;
}

/** The longest margin before the end of an access token, and the fraction of its lifetime if this is shorter. */
const maxMarginMs = 60_000;
const marginShare = 1 / 5;

/** The parts of a record that a new login sets. The lifetime counts from the request for the tokens, because its answer may be slow. */
export function loginOf(
  user: ConnectedUser,
  tokens: PlatformTokens,
  sentAt: number,
): { login: Login; expiresAt: number | null } {
  const lifetimeMs = tokens.expiresInSeconds * 1_000;
  const login = {
    user,
    access: tokens.access.expose(),
    refresh: tokens.refresh?.expose() ?? null,
    endsAt: sentAt + lifetimeMs,
    marginMs: Math.min(maxMarginMs, lifetimeMs * marginShare),
  };
  return { login, expiresAt: tokens.refresh ? null : login.endsAt };
}

export interface ConnectionRecordsParts {
  store: Pick<Store, 'connections' | 'now'>;
  vault: Vault;
  runtime: Runtime;
}

/** Reads and writes connections. Methods throw `unavailable` if the store cannot be reached. */
export class ConnectionRecords {
  readonly store: ConnectionStore;
  readonly #parts: ConnectionRecordsParts;

  constructor(parts: ConnectionRecordsParts) {
    this.#parts = parts;
    this.store = parts.store.connections;
  }

  /** The store's clock. */
  now(): number {
    return this.#parts.store.now();
  }

  random(bytes: number): Buffer {
    return this.#parts.runtime.randomBytes(bytes);
  }

  stored<T>(asked: Promise<T>): Promise<T> {
    return orStoreUnavailable(asked, 'connections cannot be looked up');
  }

  /** Returns a connection of the account. Throws `not_found`. */
  async find(account: string, id: string): Promise<StoredConnection> {
    const found = connectionIdPattern.test(id) ? await this.stored(this.store.find(id)) : null;
    if (found?.account !== account || found.revokeAt !== null) throw connectionNotFound(id);
    return found;
  }

  /**
   * Changes a connection. `change` is called again if another write came first, and may return `null` to change nothing. Returns the stored
   * connection, or `null`.
   */
  async change(
    first: StoredConnection,
    change: (record: StoredConnection) => Partial<ConnectionRecord> | null,
    audit?: AuditEntry,
    event?: NewAccountEvent,
  ): Promise<StoredConnection | null> {
    for (let record: StoredConnection | null = first; record; record = await this.stored(this.store.find(first.id))) {
      const changed = change(record);
      if (changed === null) return null;
      const stored = await this.stored(this.store.replace({ ...record, ...changed }, audit, event));
      if (stored) return stored;
    }
    return null;
  }

  sealLogin(id: string, login: Login): string {
    return this.#parts.vault.seal(JSON.stringify(login), `connection ${id} login`);
  }

  openLogin({ id, login }: ConnectionRecord): Login | null {
    return login === null ? null : (JSON.parse(this.#parts.vault.open(login, `connection ${id} login`)) as Login);
  }

  /** Returns true if the record still has this login. Its encryption may have changed (`postern secrets rotate`). */
  hasLogin(record: ConnectionRecord, login: Login): boolean {
    return JSON.stringify(this.openLogin(record)) === JSON.stringify(login);
  }

  /** Returns true if the record still has this sign-in, as `hasLogin`. */
  hasSignIn(record: ConnectionRecord, signIn: SignInState): boolean {
    return JSON.stringify(this.openSignIn(record)) === JSON.stringify(signIn);
  }

  sealSignIn(id: string, signIn: SignInState): string {
    return this.#parts.vault.seal(JSON.stringify(signIn), `connection ${id} sign-in`);
  }

  openSignIn({ id, signIn }: ConnectionRecord): SignInState | null {
    return signIn === null
      ? null
      : (JSON.parse(this.#parts.vault.open(signIn, `connection ${id} sign-in`)) as SignInState);
  }

  auditEntry(
    { account, id }: ConnectionRecord,
    action: AuditAction,
    { by = service, user, ...details }: { by?: AuditAuthor; user?: ConnectedUser | undefined; reason?: string } = {},
  ): AuditEntry {
    const subject = { type: 'connection' as const, id, name: user?.userName ?? id };
    return auditEntryOf(this.#parts.runtime, { account, action, by, subject, details });
  }
}

export function connectionNotFound(id: string): PosternError {
  const message = `Connection not found: ${id}. It was deleted, or it belongs to another account: use another one`;
  return new PosternError('connection_not_found', message);
}

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Compares in constant time. */
export function matches(secret: string | null, hash: string): boolean {
  return secret !== null && timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(hash));
}
