import { type Fault, OperatorError } from '../shared/errors/operator-error.ts';
import type { DeliveryStore, EventStore } from './event-port.ts';
import type { IdempotencyStore } from './idempotency-port.ts';
import type { Balance, LedgerStore } from './ledger-port.ts';
import type { PollerStore, WebhookStore } from './webhook-port.ts';

export * from './event-port.ts';
export * from './idempotency-port.ts';
export * from './ledger-port.ts';
export * from './webhook-port.ts';

/**
 * What Postern keeps, in domain verbs. Every adapter passes `test/store/conformance.ts`.
 *
 * Promises that hold for every verb: it applies wholly or not at all; what it acknowledged survives the death of
 * the process and of the machine; a reader sees all that was acknowledged before it asked. A verb that cannot reach
 * the store throws `StoreUnavailableError`; a write that throws it may have been applied or not.
 * Times are milliseconds since the Unix epoch; money is whole micro-dollars. Stored documents carry a version, so
 * that a later release can tell which shape it reads.
 */
export interface Store {
  /** For messages, such as `sqlite`. */
  readonly kind: string;
  readonly accounts: AccountStore;
  readonly keys: KeyStore;
  readonly ledger: LedgerStore;
  readonly idempotency: IdempotencyStore;
  readonly processes: ProcessStore;
  readonly webhooks: WebhookStore;
  readonly pollers: PollerStore;
  readonly events: EventStore;
  readonly deliveries: DeliveryStore;
  readonly secretCheck: SecretCheckStore;
  /** The store's clock, as this process knows it. Processes of one store agree on it, whatever their own clocks say. */
  now(): number;
  /** Throws `StoreUnavailableError` unless the store can read and write now. */
  ready(): Promise<void>;
  /** What an operator may want to know of the store, and what is wrong with it. */
  inspect(): Promise<StoreReport>;
  /** Finishes the writes that wait; every verb throws `StoreUnavailableError` afterwards. */
  close(): Promise<void>;
}

export class StoreUnavailableError extends OperatorError {
  override readonly name = 'StoreUnavailableError';
}

export interface StoreReport {
  /** Such as `['version', 'SQLite 3.45.1']`. */
  facts: readonly (readonly [name: string, value: string])[];
  faults: readonly Fault[];
}

export interface AccountRecord {
  id: string;
  name: string;
  createdAt: number;
  /** Calls a minute that each of its keys may make; `null` where the service's own limit holds. */
  rateLimit: number | null;
}

export interface AccountStore {
  /** Adds an account without credit or limit. Ids are unique: one that exists is left as it is and answers false. */
  create(account: Omit<AccountRecord, 'rateLimit'>): Promise<boolean>;
  find(id: string): Promise<AccountRecord | null>;
  /** False where there is no such account. */
  setRateLimit(id: string, rateLimit: number | null): Promise<boolean>;
  /** All accounts with their balances, oldest first, ties by id. */
  list(): Promise<(AccountRecord & Balance)[]>;
}

export interface KeyRecord {
  id: string;
  account: string;
  name: string;
  /** The readable beginning of the key, enough to recognise it and useless for anything else. */
  prefix: string;
  /** SHA-256 of the whole key, hex. The key itself is never stored. */
  hash: string;
  createdAt: number;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export interface KeyStore {
  /** Adds a key. Ids and hashes are unique: one that exists is left as it is and answers false. */
  create(key: KeyRecord): Promise<boolean>;
  /** The key with this hash, revoked or not. */
  findByHash(hash: string): Promise<KeyRecord | null>;
  /** Oldest first, ties by id; of every account where none is named. */
  list(account?: string): Promise<KeyRecord[]>;
  /** Marks the key revoked at `at`, unless it was already. The key as it is now; `null` where there is none. */
  revoke(id: string, at: number): Promise<KeyRecord | null>;
  /** Notes uses. `lastUsedAt` never moves back; ids that do not exist are passed over. May be lost in a crash. */
  touch(uses: readonly { id: string; at: number }[]): Promise<void>;
}

/** One sealed value by which a process can tell, before it serves, that it has the key of what the store holds. */
export interface SecretCheckStore {
  read(): Promise<string | null>;
  /**
   * Replaces the value if it is still `previous` (`null`: there is none). Returns the value that is stored afterwards. If
   * several processes write at once, the first one succeeds and the others get its value.
   */
  write(value: string, previous: string | null): Promise<string>;
  /** Sealed texts of other records: the latest of each kind, at most ten. Empty if the store holds none. */
  samples(): Promise<string[]>;
  /** Deletes the value and every record with a sealed text: webhooks, pollers, events, deliveries and idempotency keys. */
  discardSealed(): Promise<void>;
}

/** Which processes share the store. */
export interface ProcessStore {
  /** Notes that this process lives, for the next `processTtlMs`. Answers how many do, this one included. */
  beat(id: string): Promise<number>;
  leave(id: string): Promise<void>;
}

/** How long a process counts as alive after it was heard of. */
export const processTtlMs = 30_000;
