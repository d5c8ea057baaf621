import type { PollerReference } from './webhook-port.ts';

/** What happened, as it is delivered. Kept for `eventTtlMs`. */
export interface EventRecord {
  /** Derived from account, the platform's event id and type: the same however often it is polled. */
  id: string;
  type: string;
  /** When it was appended, by the store's clock. */
  at: number;
  /** Sealed: the exact bytes. */
  sealed: string;
}

/** An event in the order of its poller. */
export interface StoredEventRecord extends EventRecord {
  /** Rises by one with each event of its poller. */
  place: number;
}

export interface Append {
  poller: PollerReference;
  /** Where the poller is afterwards. */
  cursor: string;
  /** In their order. Those that are there already are passed over, and so are their deliveries. */
  events: readonly Omit<EventRecord, 'at'>[];
  /** Which webhooks get which of them. Those of webhooks that are gone are left out. */
  deliveries: readonly { event: string; webhook: string }[];
}

/** What webhooks are to get of events that were appended before. */
export interface LateDeliveries {
  poller: PollerReference;
  /** What takes the place of what is kept of them. */
  events: readonly Pick<EventRecord, 'id' | 'sealed'>[];
  /** Those of events that are not kept (any more) and of webhooks that are gone are left out. */
  deliveries: readonly { event: string; webhook: string }[];
}

export interface EventStore {
  /**
   * Appends events with their deliveries and moves the cursor, all or nothing as seen by who asks afterwards: where it is
   * cut short, the same append again completes it. `superseded` where the fence is old.
   */
  append(append: Append): Promise<'appended' | 'superseded'>;
  /**
   * Queues them, due at once; those that are there already stay as they are. Cut short, it has queued some; asked again,
   * it queues the rest. `superseded`: nothing was queued.
   */
  queueLate(late: LateDeliveries): Promise<'queued' | 'superseded'>;
  /** Events of a poller behind a place, oldest first. */
  after(account: string, poller: string, place: number, limit: number): Promise<StoredEventRecord[]>;
  /** The place of an event, and when it was appended; `null` where it is not kept (any more). */
  place(account: string, poller: string, event: string): Promise<Pick<StoredEventRecord, 'place' | 'at'> | null>;
  /** The place of the event that a poller appended last; 0 where there was none. */
  lastPlace(account: string, poller: string): Promise<number>;
  /** Forgets events whose time is past, with their deliveries, be these over or too late. Answers how many events. */
  sweep(): Promise<number>;
}

export type DeliveryState = 'waiting' | 'delivered' | 'given_up';

export interface DeliveryRecord {
  event: string;
  type: string;
  webhook: string;
  state: DeliveryState;
  /** Attempts made; a replay begins again at 0. */
  attempts: number;
  /** When the next attempt may be made; `null` where none will. */
  nextAt: number | null;
  /** True where it waits because of a replay. */
  replayed: boolean;
  /** Of the last attempt; `null` before the first. */
  last: AttemptRecord | null;
}

export interface AttemptRecord {
  at: number;
  durationMs: number;
  /** HTTP status of the answer; `null` where there was none. */
  responseCode: number | null;
  /** One sentence; `null` where it was delivered. */
  error: string | null;
  /** Sealed: the beginning of the answer; `null` where there was none. */
  excerpt: string | null;
}

/** One that waits, with what is to be sent. */
export interface WaitingDelivery extends DeliveryRecord {
  /** Sealed: the exact bytes. */
  sealed: string;
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
}

export interface DeliveryPosition {
  at: number;
  event: string;
}

export interface DeliveryStore {
  /**
   * What waits for a webhook, in the order of `nextAt`, ties by place: those of a replay, or all others. Includes what is
   * not due yet.
   */
  waiting(account: string, webhook: string, replayed: boolean, limit: number): Promise<WaitingDelivery[]>;
  /**
   * Notes how attempts ended, for one poller at a time; where they were delivered, also as the webhooks' `lastDeliveryAt`,
   * which never moves back. `superseded`: nothing was noted. A result other than `delivered` counts only for what still
   * waits and has not been tried as often yet: whoever is late takes nothing back.
   */
  finish(poller: PollerReference, results: readonly DeliveryResult[]): Promise<'noted' | 'superseded'>;
  /** Newest event first, ties by id descending; those after a position where one is given. */
  list(
    account: string,
    webhook: string,
    limit: number,
    after?: DeliveryPosition,
  ): Promise<(DeliveryRecord & { eventAt: number })[]>;
  /**
   * Queues all events of the last `eventTtlMs` again that this webhook was to get, due at once and with no attempts made,
   * and wakes its poller. What waits for its first attempt stays where it is, and is counted. Answers how many. Cut
   * short, it has queued some; asked again, it queues the rest.
   */
  replay(account: string, webhook: string): Promise<number>;
  /**
   * Ends what waits for a webhook that is gone for good. The error stands in `last`, which is of this moment where no
   * attempt was made. Cut short, it has ended some; asked again, it ends the rest.
   */
  giveUp(account: string, webhook: string, error: string): Promise<void>;
  /** Over all accounts: how many wait, and since when the oldest of them that is due does. */
  backlog(): Promise<{ waiting: number; oldestDueAt: number | null }>;
}

/** How long an event is kept, for replays and streams. */
export const eventTtlMs = 24 * 3_600_000;
