import type { Collection, Db, IndexDescription, Long, ServerSessionId } from 'mongodb';
import type { KeyRestrictions } from '../../shared/model/key-restrictions.ts';
import type { AuditEntry, CommitOutcome, SettlementOutcome, StoredConnection } from '../port.ts';
import {
  type DeliveryDocument,
  type EventDocument,
  type PollerDocument,
  type RunnerDocument,
  type WebhookDocument,
  type WebhookTurnDocument,
  webhookIndexes,
} from './webhook-documents.ts';

/**
 * A 64-bit integer. It is written as `Long`, because the driver would write numbers above 32 bits as a double. The driver reads both as
 * numbers.
 */
type Int64 = number | Long;

/** `v` is the version of the document's shape. It allows a later release to leave old documents unchanged. */
export interface Versioned {
  v: 1;
}

export interface AccountDocument extends Versioned {
  _id: string;
  name: string;
  createdAt: Date;
  rateLimit: number | null;
  /** Missing in documents of earlier releases. */
  lowCreditThreshold?: Int64 | null;
  /** Missing while the account is not deleted. */
  deletedAt?: Date;
  paid: Int64;
  charged: Int64;
  /** The open credit of the account's holds is `paid − charged − avail`. */
  avail: Int64;
  /**
   * Counts the transactions on the account. Every transaction changes it, and MongoDB serialises transactions that write the same document.
   */
  turn: number;
  touchedAt?: Date;
}

/** `_id` is the hash of the key, so that keys are found and unique on every shard. */
export interface KeyDocument extends Versioned {
  _id: string;
  id: string;
  account: string;
  name: string;
  prefix: string;
  /** Missing if an earlier release created the key. */
  restrictions?: KeyRestrictions | null;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** Makes the ids of keys unique. A unique index cannot do this in a collection that is sharded by hash. */
export interface KeyIdDocument extends Versioned {
  _id: string;
  hash: string;
}

/** `_id` consists of account, writer and generation. */
export interface HoldDocument extends Versioned {
  _id: string;
  account: string;
  open: Int64;
  until: Date;
  /** The API key whose budget the credit belongs to. Missing if there is none. */
  key?: string;
}

/** The charges of an API key with a daily budget. `_id` consists of account and key. */
export interface KeyChargesDocument extends Versioned {
  _id: string;
  account: string;
  day: number;
  micros: Int64;
  expiresAt: Date;
}

/** `_id` consists of account, hour and action. */
export interface UsageDocument extends Versioned {
  _id: string;
  account: string;
  hour: number;
  action: string;
  calls: Int64;
  micros: Int64;
  /** Missing in documents of earlier releases. */
  platformMicros?: Int64;
}

/** `_id` consists of account, hour and action. */
export interface StatisticsDocument extends Versioned {
  _id: string;
  account: string;
  hour: number;
  expiresAt: Date;
  action: string;
  errors?: Record<string, Int64>;
  durations?: Record<string, Int64>;
}

type CommittedReservation = Extract<CommitOutcome, { status: 'applied' }>['granted'][number];

/** An event of an account that waits for its deliveries. `_id` is the id of the event. */
export interface AccountEventDocument extends Versioned {
  _id: string;
  account: string;
  type: string;
  at: Date;
  sealed: string | null;
  amounts: { credit: Int64; threshold: Int64 } | null;
}

/** The form in which earlier releases store `account.low_credit`. */
export interface LowCreditDocument extends Versioned {
  _id: string;
  account: string;
  at: Date;
  credit: Int64;
  threshold: Int64;
}

export interface CommitDocument extends Versioned {
  _id: string;
  account: string;
  at: Date;
  expiresAt: Date;
  granted: CommittedReservation[];
  settled: SettlementOutcome[];
  late: SettlementOutcome[];
  left: Int64;
}

export interface PaymentDocument extends Versioned {
  _id: string;
  account: string;
  micros: Int64;
  description: string;
  createdAt: Date;
}

export type AuditDocument = Versioned & { _id: string; at: Date; expiresAt: Date } & Omit<AuditEntry, 'id' | 'at'>;

/** `_id` consists of account and key. */
export interface IdempotencyDocument extends Versioned {
  _id: string;
  account: string;
  key: string;
  /** Changes with every write. A write replaces the document only if its revision is still the one that was read. */
  revision: string;
  since: Date;
  expiresAt: Date;
  fingerprint: string;
  owner: string;
  until: Date;
  again: boolean;
  answer: string | null;
  /** Missing while the request was not repeated as a read. */
  repetitions?: number;
}

/** The size of the responses that an account has kept within an hour. `_id` consists of account and hour. */
export interface KeptResponsesDocument extends Versioned {
  _id: string;
  account: string;
  hour: number;
  bytes: Int64;
  expiresAt: Date;
}

export interface ProcessDocument extends Versioned {
  _id: string;
  expiresAt: Date;
}

/** A process with transactions, and the sessions that they use. */
export interface WriterDocument extends Versioned {
  _id: string;
  sessions: ServerSessionId[];
  until: Date;
}

export interface PlatformStateDocument extends Versioned {
  _id: string;
  sealed: string;
  expiresAt: Date;
}

export interface IdentifierDocument extends Versioned {
  /** The hash. */
  _id: string;
  identifier: string;
  expiresAt: Date;
}

/** Times are numbers. Connections are no expiring documents, because those that are deleted wait for their revocation. */
export type ConnectionDocument = Versioned & { _id: string } & Omit<StoredConnection, 'id'>;

export interface MetaDocument extends Versioned {
  _id: 'schema' | 'lock' | 'ready' | 'secret_check';
  version?: number;
  /** The oldest schema version that can use the store, in the document `schema`. */
  compatibleSince?: number;
  owner?: string;
  until?: Date;
  at?: Date;
  /** The value of the document `secret_check`. */
  value?: string;
}

/**
 * Returns an `_id` that consists of several parts, which may contain any characters. Queries also contain the account, which determines the
 * shard.
 */
export function idOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

export interface Collections {
  accounts: Collection<AccountDocument>;
  apiKeys: Collection<KeyDocument>;
  apiKeyIds: Collection<KeyIdDocument>;
  holds: Collection<HoldDocument>;
  usage: Collection<UsageDocument>;
  statistics: Collection<StatisticsDocument>;
  keyCharges: Collection<KeyChargesDocument>;
  lowCredit: Collection<LowCreditDocument>;
  accountEvents: Collection<AccountEventDocument>;
  commits: Collection<CommitDocument>;
  payments: Collection<PaymentDocument>;
  audit: Collection<AuditDocument>;
  idempotency: Collection<IdempotencyDocument>;
  keptResponses: Collection<KeptResponsesDocument>;
  processes: Collection<ProcessDocument>;
  writers: Collection<WriterDocument>;
  webhooks: Collection<WebhookDocument>;
  webhookTurns: Collection<WebhookTurnDocument>;
  pollers: Collection<PollerDocument>;
  runners: Collection<RunnerDocument>;
  events: Collection<EventDocument>;
  deliveries: Collection<DeliveryDocument>;
  platformState: Collection<PlatformStateDocument>;
  identifiers: Collection<IdentifierDocument>;
  connections: Collection<ConnectionDocument>;
  meta: Collection<MetaDocument>;
}

export function collectionsOf(db: Db): Collections {
  return {
    accounts: db.collection('accounts'),
    apiKeys: db.collection('api_keys'),
    apiKeyIds: db.collection('api_key_ids'),
    holds: db.collection('holds'),
    usage: db.collection('usage'),
    statistics: db.collection('call_statistics'),
    keyCharges: db.collection('key_charges'),
    lowCredit: db.collection('low_credit'),
    accountEvents: db.collection('account_events'),
    commits: db.collection('ledger_commits'),
    payments: db.collection('payments'),
    audit: db.collection('audit'),
    idempotency: db.collection('idempotency'),
    keptResponses: db.collection('kept_responses'),
    processes: db.collection('processes'),
    writers: db.collection('writers'),
    webhooks: db.collection('webhooks'),
    webhookTurns: db.collection('webhook_turns'),
    pollers: db.collection('pollers'),
    runners: db.collection('runners'),
    events: db.collection('events'),
    deliveries: db.collection('deliveries'),
    platformState: db.collection('platform_state'),
    identifiers: db.collection('identifiers'),
    connections: db.collection('connections'),
    meta: db.collection('meta'),
  };
}

/** MongoDB deletes a document within about a minute after `expiresAt`. Readers must ignore documents after `expiresAt`. */
const expiry: IndexDescription = { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 };

/** The indexes of all collections besides `_id`. Every collection must be listed, because transactions expect it to exist. */
export const indexes: Readonly<Record<keyof Collections, readonly IndexDescription[]>> = {
  accounts: [],
  apiKeys: [{ name: 'by_account', key: { account: 1, createdAt: 1, id: 1 } }],
  apiKeyIds: [],
  holds: [
    { name: 'by_until', key: { until: 1 } },
    { name: 'by_account', key: { account: 1, until: 1 } },
  ],
  usage: [{ name: 'by_account', key: { account: 1, hour: 1, action: 1 } }],
  statistics: [{ name: 'by_account', key: { account: 1, hour: 1, action: 1 } }, expiry],
  keyCharges: [expiry],
  lowCredit: [{ name: 'by_at', key: { at: 1, _id: 1 } }],
  accountEvents: [{ name: 'by_at', key: { at: 1, _id: 1 } }],
  commits: [expiry],
  payments: [{ name: 'by_account', key: { account: 1, createdAt: -1, _id: -1 } }],
  audit: [{ name: 'by_account', key: { account: 1, at: -1, _id: -1 } }, expiry],
  idempotency: [expiry],
  keptResponses: [{ name: 'by_account', key: { account: 1, hour: 1 } }, expiry],
  processes: [expiry],
  platformState: [expiry],
  identifiers: [expiry],
  connections: [
    { name: 'by_account', key: { account: 1, createdAt: 1, _id: 1 } },
    { name: 'by_revoke_at', key: { revokeAt: 1 } },
  ],
  writers: [],
  ...webhookIndexes(expiry),
  meta: [],
};
