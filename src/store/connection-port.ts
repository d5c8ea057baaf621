import type { ConnectionView } from '../shared/model/connection.ts';
import type { AuditEntry } from './audit-port.ts';
import type { NewAccountEvent } from './port.ts';

/** A login of a platform user, which an account may use by its id instead of a token. */
export interface ConnectionRecord {
  id: string;
  account: string;
  status: ConnectionView['status'];
  /** The scopes that the next sign-in asks for, or that the login has. */
  scopes: readonly string[];
  /** The platform's id of the user; `null` before the first sign-in. */
  userId: string | null;
  /** The user and the tokens, encrypted; `null` without a login. */
  login: string | null;
  /** The sign-in that has begun, encrypted; `null` if there is none. */
  signIn: string | null;
  /** When the sign-in ends that has begun; `null` if there is none. */
  signInEndsAt: number | null;
  /** Why the status is not `active`, or why the last reconnect failed. */
  error: string | null;
  createdAt: number;
  lastUsedAt: number | null;
  /** When the login ends that cannot be refreshed; `null` if it can be refreshed or if there is none. */
  expiresAt: number | null;
  /** The process that refreshes the login, and until when no other one may; `null` if none does. */
  refreshing: { readonly by: string; readonly until: number } | null;
  /** When the next revocation is tried at the platform; `null` unless the connection is deleted. */
  revokeAt: number | null;
  /** When a deleted connection disappears, even if the platform has not confirmed the revocation; `null` unless it is deleted. */
  goneAt: number | null;
}

/** A record as it is stored. Each write raises the revision. */
export interface StoredConnection extends ConnectionRecord {
  revision: number;
}

/** The position of a connection in the list of its account. */
export type ConnectionPosition = Pick<ConnectionRecord, 'createdAt' | 'id'>;

/**
 * Stores connections. All processes share them. Deleted connections, which have `revokeAt`, are stored until the platform has confirmed the
 * revocation, and are found only by `find`, `listAll` and `toRevoke`. They do not count in the limits.
 */
export interface ConnectionStore {
  /**
   * Creates a connection unless the account has `most` connections. A pending one also needs less than `mostPending` pending connections of
   * the account whose sign-in has not ended. First deletes the account's `pending` and `failed` connections whose sign-in ended more than
   * `unusedConnectionTtlMs` ago; without a sign-in, their creation counts. If the id exists, changes nothing and returns `created`.
   */
  create(
    record: ConnectionRecord,
    limits: { most: number; mostPending: number },
    audit?: AuditEntry,
  ): Promise<'created' | 'too_many' | 'too_many_pending'>;
  /** Returns the connection, whatever its account, and even if it is deleted. */
  find(id: string): Promise<StoredConnection | null>;
  /** Returns the connections of an account after `after`, oldest first, then by id. */
  list(account: string, limit: number, after: ConnectionPosition | null): Promise<StoredConnection[]>;
  /** Returns connections of all accounts by id, deleted ones too, beginning after this id. */
  listAll(limit: number, after?: string): Promise<StoredConnection[]>;
  /**
   * Replaces a connection, but not its account, `createdAt` and `lastUsedAt`, if its revision is still that of `record`. Returns the stored
   * connection, or `null`, and changes nothing, if another write came first or the connection was removed. Records `event` with it, as
   * `AccountEventStore.add` does.
   */
  replace(record: StoredConnection, audit?: AuditEntry, event?: NewAccountEvent): Promise<StoredConnection | null>;
  /** Records uses without raising the revision. `lastUsedAt` never decreases, and unknown ids are ignored. Uses may be lost in a crash. */
  touch(uses: readonly { id: string; at: number }[]): Promise<void>;
  /** Returns deleted connections of all accounts whose `revokeAt` has passed, oldest first. */
  toRevoke(limit: number): Promise<StoredConnection[]>;
  /** Removes a connection for good. */
  remove(id: string): Promise<void>;
}

/** The time in milliseconds for which the revocation of a deleted connection is tried at the platform. */
export const revocationTtlMs = 24 * 3_600_000;
/** The time in milliseconds for which a connection is stored after a first sign-in that ended without a login. */
export const unusedConnectionTtlMs = 24 * 3_600_000;
