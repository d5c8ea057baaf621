import { OperatorError, type OperatorProblem } from '../shared/errors/operator-error.ts';
import { PosternError } from '../shared/errors/postern-error.ts';
import type { KeyRestrictions } from '../shared/model/key-restrictions.ts';
import type { Micros } from '../shared/model/money.ts';
import type { AuditEntry, AuditStore } from './audit-port.ts';
import type { ConnectionStore } from './connection-port.ts';
import type { DeliveryStore, EventStore } from './event-port.ts';
import type { IdempotencyStore } from './idempotency-port.ts';
import type { Balance, LedgerStore } from './ledger-port.ts';
import type { PollerStore, WebhookStore } from './webhook-port.ts';

export * from './audit-port.ts';
export * from './connection-port.ts';
export * from './event-port.ts';
export * from './idempotency-port.ts';
export * from './ledger-port.ts';
export * from './webhook-port.ts';

/**
 * The port for all persistent data of Postern. Every adapter passes `test/store/conformance.ts`. All methods give these guarantees: a
 * method is applied completely or not at all; acknowledged data survives a crash of the process and of the machine; a read sees all data
 * that was acknowledged before it began. A method throws `StoreUnavailableError` if the store cannot be reached; a write that throws it may
 * or may not have been applied. Times are milliseconds since the Unix epoch, and amounts of money are integers in micro-dollars. Stored
 * documents have a version, so that a later release can recognise their shape.
 */
export interface Store {
  /** The kind of store for messages, such as `sqlite`. */
  readonly kind: string;
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly audit: AuditStore;
  readonly ledger: LedgerStore;
  readonly statistics: CallStatisticsStore;
  readonly idempotency: IdempotencyStore;
  readonly processes: ProcessStore;
  readonly webhooks: WebhookStore;
  readonly pollers: PollerStore;
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly accountEvents: AccountEventStore;
  readonly secretCheck: SecretCheckStore;
  readonly platformState: PlatformStateStore;
  readonly identifiers: IdentifierStore;
  readonly connections: ConnectionStore;
  /** Returns the number of calls that wait for the thread of the store. Not set if the store has no thread of its own. */
  readonly callsWaiting?: () => number;
  /** Returns the time of the store's clock. All processes of one store agree on it, even if their own clocks differ. */
  now(): number;
  /** Throws `StoreUnavailableError` unless the store can read and write now. */
  ready(): Promise<void>;
  /** Returns facts about the store and its problems, for the operator. */
  inspect(): Promise<StoreReport>;
  /** Finishes pending writes and closes the store. Every later call throws `StoreUnavailableError`. */
  close(): Promise<void>;
}

export class StoreUnavailableError extends OperatorError {
  override readonly name = 'StoreUnavailableError';
}

export interface StoreReport {
  /** Facts such as `['version', 'SQLite 3.45.1']`. */
  facts: readonly (readonly [name: string, value: string])[];
  problems: readonly OperatorProblem[];
}

export interface AccountRecord {
  id: string;
  name: string;
  createdAt: number;
  /** The maximum number of calls per minute for each key of the account. `null` means that the limit of the service applies. */
  rateLimit: number | null;
  /** A commit that takes `paid − charged` below this amount records an event. `null` for no events. */
  lowCreditThreshold: Micros | null;
  /** The time from which the account counts as deleted. Its amounts of money are stored on. */
  deletedAt: number | null;
}

export interface AccountStore {
  /** Creates an account without credit, own rate limit and threshold. Returns false, and changes nothing, if the id exists. */
  create(account: Pick<AccountRecord, 'id' | 'name' | 'createdAt'>): Promise<boolean>;
  find(id: string): Promise<AccountRecord | null>;
  /** Returns false if the account does not exist. `audit` is stored only if the name changes. */
  rename(id: string, name: string, audit?: AuditEntry): Promise<boolean>;
  /** Returns false if the account does not exist. `audit` is stored only if the value changes. */
  setRateLimit(id: string, rateLimit: number | null, audit?: AuditEntry): Promise<boolean>;
  /** Returns false if the account does not exist. `audit` is stored only if the value changes. */
  setLowCreditThreshold(id: string, threshold: Micros | null, audit?: AuditEntry): Promise<boolean>;
  /** Returns all accounts with their balances, oldest first, then by id. */
  list(): Promise<(AccountRecord & Balance)[]>;
  /**
   * Marks the account as deleted at `at`, unless it is already, and clears its name and its settings. Returns the time of the deletion, or
   * `null` if the account does not exist. Commits are still applied, so that calls in flight are charged.
   */
  markDeleted(id: string, at: number): Promise<number | null>;
  /**
   * Deletes a batch of the account's data, API keys first, and returns the number of records; 0 if nothing is left. Amounts of money stay:
   * the account, usage, payments without their descriptions, and holds and commits until they expire. Connections with a login are kept as
   * deleted, with `revokeAt` now, until their login is revoked.
   */
  erase(id: string): Promise<number>;
}

export interface KeyRecord {
  id: string;
  account: string;
  name: string;
  /** The readable beginning of the key. It is long enough to recognise the key and too short to guess it. */
  prefix: string;
  /** The SHA-256 of the whole key in hex. The key itself is never stored. */
  hash: string;
  /** `null` if the key has no restrictions. */
  restrictions: KeyRestrictions | null;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export interface KeyStore {
  /** Creates a key. Returns false, and changes nothing, if its id or hash exists. */
  create(key: KeyRecord, audit?: AuditEntry): Promise<boolean>;
  /**
   * Creates a key unless its account has `most` keys that are not revoked, and deletes the account's revoked keys except the `most` that were
   * revoked last. Returns `exists`, and changes nothing, if the id or hash of the key exists.
   */
  createWithin(key: KeyRecord, most: number, audit?: AuditEntry): Promise<'created' | 'exists' | 'too_many'>;
  /** Returns the key with this hash, even if it is revoked. */
  findByHash(hash: string): Promise<KeyRecord | null>;
  /** Returns the key with this id, even if it is revoked. */
  find(id: string): Promise<KeyRecord | null>;
  /** Returns the keys of an account, or of all accounts, oldest first, then by id. */
  list(account?: string): Promise<KeyRecord[]>;
  /** Marks the key as revoked at `at`, unless it is already revoked. Returns the updated key, or `null` if it does not exist. */
  revoke(id: string, at: number, audit?: AuditEntry): Promise<KeyRecord | null>;
  /** Records uses of keys. `lastUsedAt` never decreases, and unknown ids are ignored. Uses may be lost in a crash. */
  touch(uses: readonly { id: string; at: number }[]): Promise<void>;
}

/** Stores one encrypted value. With it a process checks at its start whether it has the secret key of the stored data. */
export interface SecretCheckStore {
  read(): Promise<string | null>;
  /**
   * Replaces the value if it is still `previous` (`null` if there is none). Returns the value that is stored afterwards. If several
   * processes write at once, the first one succeeds and the others get its value.
   */
  write(value: string, previous: string | null): Promise<string>;
  /** Returns the latest encrypted texts of each kind of record, at most twelve. Returns an empty list if the store contains none. */
  samples(): Promise<string[]>;
  /**
   * Deletes the value and every record with encrypted text: webhooks, pollers, events, deliveries, idempotency keys, connections, waiting
   * account events and records of the platform adapter.
   */
  discardSealed(): Promise<void>;
}

/** Stores encrypted records of a platform adapter, such as login sessions. All processes share the records. */
export interface PlatformStateStore {
  /** Returns the record. Returns `null` if it does not exist or has expired. */
  read(key: string): Promise<string | null>;
  /**
   * Replaces the record if it is still `previous` (`null` if there is none). The new record expires after `ttlMs`. Returns the record that
   * is stored afterwards, or an empty string if there is none.
   */
  write(key: string, sealed: string, previous: string | null, ttlMs: number): Promise<string>;
}

/** An identifier of the platform that is too long for a numeric id, and the hash that its id contains instead. */
export interface HashedIdentifier {
  hash: string;
  identifier: string;
}

/** Stores identifiers of a platform by their hash. All processes share them. */
export interface IdentifierStore {
  /** Returns the identifier with this hash. Returns `null` if it is unknown or has expired. */
  find(hash: string): Promise<string | null>;
  /**
   * Stores identifiers for `ttlMs`. An identifier that is already stored expires later. If more than `maxCount` are stored, those that
   * expire first are deleted.
   */
  save(identifiers: readonly HashedIdentifier[], ttlMs: number, maxCount: number): Promise<void>;
}

/** Registers the processes that share the store. */
export interface ProcessStore {
  /** Records a heartbeat of this process, which is valid for `processTtlMs`. Returns the number of live processes, including this one. */
  beat(id: string): Promise<number>;
  leave(id: string): Promise<void>;
}

/** The time in milliseconds for which a process counts as alive after a heartbeat. */
export const processTtlMs = 30_000;

/** An event about an account. It is stored here until its deliveries are queued. */
export interface AccountEvent {
  id: string;
  account: string;
  type: string;
  /** The time by the store's clock. */
  at: number;
  /** The exact bytes of the event, encrypted; `null` if the ledger recorded it, which knows only the amounts. */
  sealed: string | null;
  /** For `account.low_credit`: `paid − charged` after the commit, and the threshold. */
  amounts: { readonly credit: Micros; readonly threshold: Micros } | null;
}

/** An event whose time is that of its record. */
export type NewAccountEvent = Pick<AccountEvent, 'id' | 'account' | 'type'> & { sealed: string };

/**
 * Stores events about accounts. A commit of the ledger that takes the credit of an account below its threshold records one with the type
 * `account.low_credit`.
 */
export interface AccountEventStore {
  /** Records an event. Changes nothing if an event with this id was recorded within `eventTtlMs`. */
  add(event: NewAccountEvent): Promise<void>;
  /** Returns the events of all accounts whose deliveries are not queued yet, oldest first. */
  waiting(limit: number): Promise<AccountEvent[]>;
  /**
   * Stores the bytes of an event with a delivery for each of these webhooks, due at once, and notifies their pollers. Appends the event, as
   * `accountEventRow`, to the events of those pollers of the account that a live stream has used within `eventTtlMs`. The event is then no
   * longer waiting. Deliveries to deleted webhooks are ignored. If the call fails midway, a repeated call queues the rest. If the event no
   * longer waits, nothing changes.
   */
  queue(event: AccountEvent, sealed: string, webhooks: readonly string[]): Promise<void>;
}

/**
 * Converts a `StoreUnavailableError` to an error for the caller. `what` describes the failed operation, such as `API keys cannot be
 * checked`.
 */
export async function orStoreUnavailable<T>(asking: Promise<T>, what: string): Promise<T> {
  try {
    return await asking;
  } catch (error) {
    if (!(error instanceof StoreUnavailableError)) throw error;
    throw new PosternError('store_away', `The store is unavailable, so ${what}. Retry shortly`, {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
}

/** The outcomes of the calls of one action within one hour. */
export interface CallStatistics {
  account: string;
  /** The hour in hours since the Unix epoch. */
  hour: number;
  /** The name of the action, such as `tweet/create`. */
  action: string;
  /** The number of failed calls by error code. */
  errors: Record<string, number>;
  /** The number of successful calls in each bucket of durations (`billing/duration-histogram.ts`). */
  durations: Record<number, number>;
}

/** Stores the outcomes of calls apart from the ledger, because money never depends on them. They are deleted after `statisticsTtlMs`. */
export interface CallStatisticsStore {
  /** Adds these numbers to those of the same account, hour and action in one transaction. */
  add(statistics: readonly CallStatistics[]): Promise<void>;
  /** Returns the statistics with `fromHour <= hour < toHour`, ordered by hour, then by action. */
  list(account: string, fromHour: number, toHour: number): Promise<CallStatistics[]>;
}

/** The time in milliseconds for which statistics are stored after their hour: 400 days. */
export const statisticsTtlMs = 400 * 86_400_000;
