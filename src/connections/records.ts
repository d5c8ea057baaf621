import { createHash, timingSafeEqual } from 'node:crypto';
import type { PlatformTokens } from '../platform/port.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import { type AuditAction, type AuditAuthor, service } from '../shared/model/audit.ts';
import { connectionIdPattern } from '../shared/model/connection.ts';
import { type Runtime, sleep } from '../shared/runtime/runtime.ts';
import { decryptedOrNull, type Vault } from '../shared/secrets/vault.ts';
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
  /** The platform and the app to which the login belongs. Its tokens are sent to no other. */
  issuer: string;
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
  scopes: readonly string[];
  redirectUri: string;
  returnTo: string | null;
  /** Set when the person goes on to the platform. */
  begun: {
    /** The hash of the secret in `state`. */
    state: string;
    /** The hash of the cookie. */
    cookie: string;
    verifier: string;
    /** True after the first valid callback. Later ones are refused. */
    isAnswered: boolean;
  } | null;
}

/** The longest margin before the end of an access token, and the fraction of its lifetime if this is shorter. */
const maxMarginMs = 60_000;
const marginShare = 1 / 5;

/** The parts of a record that a new login sets. The lifetime counts from the request for the tokens, because its answer may be slow. */
export function loginOf(
  issuer: string,
  user: ConnectedUser,
  tokens: PlatformTokens,
  sentAt: number,
): { login: Login; expiresAt: number | null } {
  const lifetimeMs = tokens.expiresInSeconds * 1_000;
  const login = {
    issuer,
    user,
    access: tokens.access.expose(),
    refresh: tokens.refresh?.expose() ?? null,
    endsAt: sentAt + lifetimeMs,
    marginMs: Math.min(maxMarginMs, lifetimeMs * marginShare),
  };
  return { login, expiresAt: tokens.refresh ? null : login.endsAt };
}

/** The purposes of the encrypted fields of a connection. */
export const sealPurposes = {
  login: (id: string) => `connection ${id} login`,
  signIn: (id: string) => `connection ${id} sign-in`,
};

/** Encrypts one field of connections. */
class SealedField<T> {
  readonly #vault: Vault;
  readonly #field: keyof typeof sealPurposes;

  constructor(vault: Vault, field: keyof typeof sealPurposes) {
    this.#vault = vault;
    this.#field = field;
  }

  seal(id: string, value: T): string {
    return this.#vault.seal(JSON.stringify(value), sealPurposes[this.#field](id));
  }

  /** Returns `null` if the field is empty, or encrypted with a secret key that this process does not have. */
  open(record: ConnectionRecord): T | null {
    const sealed = record[this.#field];
    const text = sealed && decryptedOrNull(() => this.#vault.open(sealed, sealPurposes[this.#field](record.id)));
    return text === null ? null : (JSON.parse(text) as T);
  }

  /** Returns true if the record still has this value. Its encryption may have changed (`postern secrets rotate`). */
  has(record: ConnectionRecord, value: T): boolean {
    return JSON.stringify(this.open(record)) === JSON.stringify(value);
  }
}

/** The logins of connections, encrypted with `vault`. */
export const sealedLogins = (vault: Vault) => new SealedField<Login>(vault, 'login');

/** The pause before a write is repeated that the store has not answered. */
const storeRetryMs = 100;

export interface ConnectionRecordsParts {
  /** See `Login.issuer`. */
  issuer: string;
  store: Pick<Store, 'connections' | 'now'>;
  vault: Vault;
  runtime: Runtime;
}

/** Reads and writes connections. Methods throw `unavailable` if the store cannot be reached. */
export class ConnectionRecords {
  readonly store: ConnectionStore;
  readonly issuer: string;
  readonly logins: SealedField<Login>;
  readonly signIns: SealedField<SignInState>;
  readonly #parts: ConnectionRecordsParts;

  constructor(parts: ConnectionRecordsParts) {
    this.#parts = parts;
    this.store = parts.store.connections;
    this.issuer = parts.issuer;
    this.logins = sealedLogins(parts.vault);
    this.signIns = new SealedField(parts.vault, 'signIn');
  }

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

  /**
   * As `change`, for new tokens, which would be lost with the write. Repeats the write until the store has answered. Returns `null` if
   * `change` did, and the record has another login.
   */
  async storeLogin(
    first: StoredConnection,
    login: Login,
    change: (record: StoredConnection) => Partial<ConnectionRecord> | null,
    { audit, onError }: { audit?: AuditEntry; onError: (error: unknown) => void },
  ): Promise<StoredConnection | null> {
    for (;;) {
      try {
        const stored = await this.change(first, change, audit);
        if (stored) return stored;
        // An attempt that failed may have stored the login.
        const now = await this.stored(this.store.find(first.id));
        return now && this.logins.has(now, login) ? now : null;
      } catch (error) {
        if (!(error instanceof PosternError && error.reason === 'store_away')) throw error;
        onError(error);
        await sleep(this.#parts.runtime, storeRetryMs);
      }
    }
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
  return new PosternError(
    'connection_not_found',
    `Connection not found: ${id}. GET /connections lists the connections of this account`,
  );
}

/** The longest pause until a login is refreshed again. */
export const maxPauseMs = 15 * 60_000;

/** Returns true while a claim or a pause keeps other refreshes from beginning. One that ends implausibly late was stored before the clock was set back, and is ignored. */
export function isHeld({ refreshing }: StoredConnection, now: number): boolean {
  return refreshing !== null && refreshing.until > now && refreshing.until - now <= maxPauseMs;
}

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('base64url');

/** Returns true if the hash is that of the secret. */
export function matches(secret: string | null, hash: string): boolean {
  return secret !== null && timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(hash));
}
