import type { Collection, Db, IndexDescription, Long, ServerSessionId } from 'mongodb';
import type { SettlementOutcome } from '../port.ts';
import {
  type DeliveryDocument,
  type EventDocument,
  type PollerDocument,
  type RunnerDocument,
  type WebhookDocument,
  type WebhookTurnDocument,
  webhookIndexes,
} from './webhook-documents.ts';

/** A number of ours in 64 bits: the driver would write what exceeds 32 as a double. It reads both as numbers. */
type Int64 = number | Long;

/** `v` is the version of a document's own shape, so that a later release may leave old ones as they are. */
export interface Versioned {
  v: 1;
}

export interface AccountDocument extends Versioned {
  _id: string;
  name: string;
  createdAt: Date;
  rateLimit: number | null;
  paid: Int64;
  charged: Int64;
  /** What its holds have open is `paid − charged − avail`. */
  avail: Int64;
  /** Counts the transactions, so that each changes the document, which is what makes it wait for others. */
  turn: number;
  touchedAt?: Date;
}

/** `_id` is the hash: findable and unique on every shard. */
export interface KeyDocument extends Versioned {
  _id: string;
  id: string;
  account: string;
  name: string;
  prefix: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  revokedAt: Date | null;
}

/** Makes the ids of keys unique too, which an index cannot where the collection is sharded by hash. */
export interface KeyIdDocument extends Versioned {
  _id: string;
  hash: string;
}

/** `_id` is of account, writer and generation. */
export interface HoldDocument extends Versioned {
  _id: string;
  account: string;
  open: Int64;
  until: Date;
}

/** `_id` is of account, hour and action. */
export interface UsageDocument extends Versioned {
  _id: string;
  account: string;
  hour: number;
  action: string;
  calls: Int64;
  micros: Int64;
}

export interface CommitDocument extends Versioned {
  _id: string;
  account: string;
  at: Date;
  expiresAt: Date;
  granted: boolean[];
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

/** `_id` is of account and key. */
export interface IdempotencyDocument extends Versioned {
  _id: string;
  account: string;
  key: string;
  /** Changes with every write: whoever read the document replaces that one or none. */
  revision: string;
  since: Date;
  expiresAt: Date;
  fingerprint: string;
  owner: string;
  until: Date;
  again: boolean;
  answer: string | null;
}

export interface ProcessDocument extends Versioned {
  _id: string;
  expiresAt: Date;
}

/** A process with transactions, and the sessions that they run in. */
export interface WriterDocument extends Versioned {
  _id: string;
  sessions: ServerSessionId[];
  until: Date;
}

export interface MetaDocument extends Versioned {
  _id: 'schema' | 'lock' | 'ready' | 'secret_check';
  version?: number;
  owner?: string;
  until?: Date;
  at?: Date;
  /** Of `secret_check`. */
  value?: string;
}

/** An `_id` of several parts, whatever signs they hold. Queries name the account beside it, by which shards are found. */
export function idOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts);
}

export interface Collections {
  accounts: Collection<AccountDocument>;
  apiKeys: Collection<KeyDocument>;
  apiKeyIds: Collection<KeyIdDocument>;
  holds: Collection<HoldDocument>;
  usage: Collection<UsageDocument>;
  commits: Collection<CommitDocument>;
  payments: Collection<PaymentDocument>;
  idempotency: Collection<IdempotencyDocument>;
  processes: Collection<ProcessDocument>;
  writers: Collection<WriterDocument>;
  webhooks: Collection<WebhookDocument>;
  webhookTurns: Collection<WebhookTurnDocument>;
  pollers: Collection<PollerDocument>;
  runners: Collection<RunnerDocument>;
  events: Collection<EventDocument>;
  deliveries: Collection<DeliveryDocument>;
  meta: Collection<MetaDocument>;
}

export function collectionsOf(db: Db): Collections {
  return {
    accounts: db.collection('accounts'),
    apiKeys: db.collection('api_keys'),
    apiKeyIds: db.collection('api_key_ids'),
    holds: db.collection('holds'),
    usage: db.collection('usage'),
    commits: db.collection('ledger_commits'),
    payments: db.collection('payments'),
    idempotency: db.collection('idempotency'),
    processes: db.collection('processes'),
    writers: db.collection('writers'),
    webhooks: db.collection('webhooks'),
    webhookTurns: db.collection('webhook_turns'),
    pollers: db.collection('pollers'),
    runners: db.collection('runners'),
    events: db.collection('events'),
    deliveries: db.collection('deliveries'),
    meta: db.collection('meta'),
  };
}

/** Removed by MongoDB within a minute or so after `expiresAt`; readers treat what is past it as gone already. */
const expiry: IndexDescription = { name: 'expiry', key: { expiresAt: 1 }, expireAfterSeconds: 0 };

/** The indexes beside `_id`, by collection. Every collection stands here: transactions should find it made. */
export const indexes: Readonly<Record<keyof Collections, readonly IndexDescription[]>> = {
  accounts: [],
  apiKeys: [{ name: 'by_account', key: { account: 1, createdAt: 1, id: 1 } }],
  apiKeyIds: [],
  holds: [
    { name: 'by_until', key: { until: 1 } },
    { name: 'by_account', key: { account: 1, until: 1 } },
  ],
  usage: [{ name: 'by_account', key: { account: 1, hour: 1, action: 1 } }],
  commits: [expiry],
  payments: [{ name: 'by_account', key: { account: 1, createdAt: -1, _id: -1 } }],
  idempotency: [expiry],
  processes: [expiry],
  writers: [],
  ...webhookIndexes(expiry),
  meta: [],
};
