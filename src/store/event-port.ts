import type { PollerReference } from './webhook-port.ts';

/** An event of an account. It is stored for `eventTtlMs`. */
export interface EventRecord {
  /** Derived from the account and the platform's event id and type, so that repeated polls give the same id. */
  id: string;
  type: string;
  /** The time of the append by the store's clock. */
  at: number;
  /** The exact bytes of the event, encrypted. */
  sealed: string;
}

/** An event with its position among the events of its poller. */
export interface StoredEventRecord extends EventRecord {
  /** The position of the event. It increases by one with each event of the poller. */
  place: number;
}

export interface Append {
  poller: PollerReference;
  /** The poller's cursor after the append. */
  cursor: string;
  /** The events in their order. Events that are already stored are ignored together with their deliveries. */
  events: readonly Omit<EventRecord, 'at'>[];
  /** The webhooks that receive each event. Deliveries to deleted webhooks are ignored. */
  deliveries: readonly { event: string; webhook: string }[];
  /** True if earlier events are missing. Sets the poller's `gapAt`, unless all events are already stored. */
  gap?: boolean;
}

/** Deliveries of events that were appended earlier. */
export interface LateDeliveries {
  poller: PollerReference;
  /** New encrypted content, which replaces the stored content of these events. */
  events: readonly Pick<EventRecord, 'id' | 'sealed'>[];
  /** The deliveries to queue. Deliveries of events that are not stored, and deliveries to deleted webhooks, are ignored. */
  deliveries: readonly { event: string; webhook: string }[];
}

export interface EventStore {
  /**
   * Appends events with their deliveries and moves the cursor. Readers see either the complete append or nothing of it. If the call fails
   * midway, a repeated call completes the append. Returns `superseded` if the fence is outdated.
   */
  append(append: Append): Promise<'appended' | 'superseded'>;
  /**
   * Queues deliveries that are due at once. Existing deliveries are not changed. If the call fails midway, a repeated call queues the rest.
   * Returns `superseded`, and queues nothing, if the fence is outdated.
   */
  queueLate(late: LateDeliveries): Promise<'queued' | 'superseded'>;
  /**
   * Returns the events of a poller after a position, oldest first: at most `limit`, and none after the one with which they reach
   * `maxChars` encrypted characters (default: no maximum).
   */
  after(account: string, poller: string, place: number, limit: number, maxChars?: number): Promise<StoredEventRecord[]>;
  /** Returns the position of an event and the time of its append. Returns `null` if the event is not stored. */
  place(account: string, poller: string, event: string): Promise<Pick<StoredEventRecord, 'place' | 'at'> | null>;
  /** Returns the exact bytes of an event, encrypted. Returns `null` if the event is not stored. */
  sealed(account: string, poller: string, event: string): Promise<string | null>;
  /** Returns the position of the last event of a poller. Returns 0 if the poller has no events. */
  lastPlace(account: string, poller: string): Promise<number>;
  /** Deletes expired events with their deliveries, including deliveries that still wait. Returns the number of deleted events. */
  sweep(): Promise<number>;
}

export type DeliveryState = 'waiting' | 'delivered' | 'given_up';

export interface DeliveryRecord {
  event: string;
  type: string;
  webhook: string;
  state: DeliveryState;
  /** The number of attempts so far. A replay resets it to 0. */
  attempts: number;
  /** The time of the next attempt; `null` if there will be none. */
  nextAt: number | null;
  /** True if the delivery was queued by a replay. */
  replayed: boolean;
  /** The last attempt; `null` before the first one. */
  last: AttemptRecord | null;
}

export interface AttemptRecord {
  at: number;
  durationMs: number;
  /** The HTTP status of the response; `null` if there was no response. */
  responseCode: number | null;
  /** The error in one sentence; `null` if the event was delivered. */
  error: string | null;
}

/** An attempt in the log of a delivery. */
export interface LoggedAttempt extends AttemptRecord {
  /** The number of the attempt. It begins with 1 again after a replay. */
  attempt: number;
  /** The signatures of the request and the excerpt of the response body, encrypted; `null` if no request was made. */
  exchange: string | null;
}

/** The number of attempts that the log of a delivery keeps. */
export const loggedAttempts = 10;

export interface WaitingDelivery extends DeliveryRecord {
  /** The poller that stored the event. */
  poller: string;
  eventAt: number;
  place: number;
}

export interface DeliveryResult {
  event: string;
  webhook: string;
  state: DeliveryState;
  attempts: number;
  nextAt: number | null;
  last: AttemptRecord;
  exchange: LoggedAttempt['exchange'];
}

/** Selects deliveries of one webhook for a replay. */
export interface ReplayFilter {
  /** Only the delivery of this event. */
  event?: string | undefined;
  /** Only events that were appended at this time or later. */
  since?: number | undefined;
  /** Only deliveries that were given up, or that wait for another attempt after a failed one. */
  failed?: boolean | undefined;
}

export interface DeliveryPosition {
  at: number;
  event: string;
}

export interface DeliveryStore {
  /**
   * Returns the waiting deliveries of a webhook, either those of replays or all others. They are ordered by `nextAt` and then by position,
   * and include deliveries that are not due yet.
   */
  waiting(account: string, webhook: string, replayed: boolean, limit: number): Promise<WaitingDelivery[]>;
  /**
   * Stores the results of delivery attempts of one poller, and adds the attempts to the logs of their deliveries, which keep the last
   * `loggedAttempts`. A delivered result also updates the webhook's `lastDeliveryAt`. Returns `superseded`, and stores nothing, if the fence
   * is outdated. A failed result is ignored if the delivery no longer waits or already has as many attempts, so that a late result cannot
   * undo a newer one. A delivered result that is stored already is ignored too.
   */
  finish(poller: PollerReference, results: readonly DeliveryResult[]): Promise<'noted' | 'superseded'>;
  /** Deletes the deliveries to a webhook of the events of a poller. */
  drop(account: string, webhook: string, poller: string): Promise<void>;
  /** Lists deliveries by event, newest first, then by id in descending order. If a position is given, the list begins after it. */
  list(
    account: string,
    webhook: string,
    limit: number,
    after?: DeliveryPosition,
  ): Promise<(DeliveryRecord & { eventAt: number })[]>;
  /** Returns one delivery with its log, oldest attempt first. Returns `null` if the event is not stored or has no such delivery. */
  find(
    account: string,
    webhook: string,
    event: string,
  ): Promise<{ delivery: DeliveryRecord; attempts: LoggedAttempt[] } | null>;
  /** Returns the number of waiting deliveries of a webhook, at most `most`, and the due time of the first one. */
  queued(account: string, webhook: string, most: number): Promise<{ count: number; nextAt: number | null }>;
  /**
   * Queues the selected deliveries of this webhook from the last `eventTtlMs` again, due at once and with 0 attempts, and notifies its
   * poller. Deliveries that wait for their first attempt are not changed but counted. Returns the number of queued deliveries. If the call
   * fails midway, a repeated call queues the rest.
   */
  replay(account: string, webhook: string, filter?: ReplayFilter): Promise<number>;
  /**
   * Returns the number of waiting deliveries of all accounts, and the due time of the oldest one; `null` if none is due. Deliveries of
   * paused and invalid webhooks do not count, because they wait for the owner.
   */
  backlog(): Promise<{ waiting: number; oldestDueAt: number | null }>;
}

/**
 * The type of an account event among the events of a poller. The bytes have its own type. The streams of releases that do not know account
 * events leave it out, because they have no message for this type.
 */
export const accountEventRow = 'message.account';

/** The time in milliseconds for which an event is stored for replays and streams. */
export const eventTtlMs = 24 * 3_600_000;
