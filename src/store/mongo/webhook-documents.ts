import type { IndexDescription } from 'mongodb';
import type { DeliveryState, LoggedAttempt } from '../port.ts';
import type { Versioned } from './collections.ts';

/** `_id` is the id of the webhook. */
export interface WebhookDocument extends Versioned {
  _id: string;
  account: string;
  poller: string;
  createdAt: Date;
  url: string;
  sealed: string;
  hasEncryptionCode: boolean;
  events: string[] | null;
  valid: boolean;
  keptSince: Date | null;
  lastValidatedAt: Date | null;
  failingSince: Date | null;
  lastDeliveryAt: Date | null;
  /** This and the next two fields are missing in documents of earlier releases. */
  undeliveredSince?: Date | null;
  undeliveredError?: string | null;
  pausedAt?: Date | null;
  lastError: string | null;
  revision: number;
  /** Missing before the first handshake. `holder` is missing while no process holds the lease, and `last` before the first result. */
  handshake?: {
    number: number;
    holder?: string | null;
    until: Date;
    last?: { number: number; target: string; outcome: string };
  };
}

/**
 * `_id` is the account. Every transaction on the webhooks of an account writes this document first, so that these transactions are
 * serialised.
 */
export interface WebhookTurnDocument extends Versioned {
  _id: string;
  turn: number;
}

/** `_id` is the id of the poller. */
export interface PollerDocument extends Versioned {
  _id: string;
  account: string;
  sealed: string;
  createdAt: Date;
  cursor: string | null;
  stopped: string | null;
  /** Missing in documents of earlier releases. */
  unreachable?: string | null;
  webhooks: number;
  streamedUntil: Date | null;
  /** The time until which the poller is needed. `always` while it has webhooks. */
  keptUntil: Date;
  runner: string | null;
  fence: number;
  /** The id of the claim that assigned the poller to its process. The process finds its new pollers by this id. */
  claim: string | null;
  woken: boolean;
  lastPlace: number;
  appendedAt: Date;
  /** Missing in documents of earlier releases. */
  gapAt?: Date | null;
  /** An append that was begun. A process that finds a pending append completes it before it changes the poller. */
  pending: PendingAppend | null;
}

export interface PendingAppend {
  cursor: string | null;
  at: Date;
  gap?: boolean;
  /** The first event has the position `lastPlace + 1`. */
  events: { id: string; type: string; sealed: string; webhooks: string[] }[];
}

export interface RunnerDocument extends Versioned {
  _id: string;
  expiresAt: Date;
}

/** `_id` consists of account, poller and event. */
export interface EventDocument extends Versioned {
  _id: string;
  id: string;
  account: string;
  poller: string;
  place: number;
  type: string;
  at: Date;
  expiresAt: Date;
  sealed: string;
}

/** `_id` consists of account, event and webhook. */
export interface DeliveryDocument extends Versioned {
  _id: string;
  account: string;
  event: string;
  webhook: string;
  /** The poller of the event. The webhook may have moved to another poller since. */
  poller: string;
  place: number;
  type: string;
  eventAt: Date;
  expiresAt: Date;
  state: DeliveryState;
  attempts: number;
  nextAt: Date | null;
  replayed: boolean;
  last: AttemptDocument | null;
  /** The attempts. Missing before the first one. */
  log?: LoggedAttempt[];
}

export interface AttemptDocument {
  at: Date;
  durationMs: number;
  responseCode: number | null;
  error: string | null;
}

/** A date later than all others that every reader of the database can still represent. */
export const endOfTime = new Date(Date.UTC(9_999, 0));

/** Selects URLs in plain text. Encrypted text begins with its version. */
export const plainUrl = { $gte: 'http', $lt: 'httq' };

export function webhookIndexes(expiry: IndexDescription) {
  return {
    webhooks: [
      { name: 'by_account', key: { account: 1, createdAt: -1, _id: -1 } },
      { name: 'by_poller', key: { account: 1, poller: 1, createdAt: 1, _id: 1 } },
      { name: 'by_plain_url', key: { url: 1 }, partialFilterExpression: { url: plainUrl } },
    ],
    webhookTurns: [],
    pollers: [
      { name: 'by_runner', key: { runner: 1, woken: 1, keptUntil: 1 } },
      { name: 'by_kept_until', key: { keptUntil: 1 } },
      { name: 'by_account', key: { account: 1, streamedUntil: 1 } },
    ],
    runners: [expiry],
    events: [expiry, { name: 'by_place', key: { account: 1, poller: 1, place: 1 } }],
    deliveries: [
      expiry,
      { name: 'by_webhook', key: { account: 1, webhook: 1, eventAt: -1, event: -1 } },
      {
        name: 'waiting',
        key: { account: 1, webhook: 1, replayed: 1, nextAt: 1, place: 1 },
        partialFilterExpression: { state: 'waiting' },
      },
      { name: 'waiting_since', key: { nextAt: 1 }, partialFilterExpression: { state: 'waiting' } },
    ],
  };
}
