/**
 * Webhooks, the pollers that feed them, and what is delivered.
 *
 * A poller reads the activity of one platform account for one API account. Its webhooks, events and deliveries belong to
 * it, and one process at a time runs it: whoever claimed it last, as long as that process is heard of
 * (`ProcessStore.beat`). Each claim raises the poller's `fence`; what is written for an older one is refused, so that a
 * process which slept through its replacement can change nothing.
 */

/** What callers give and the store keeps of a webhook. Secrets are sealed by whoever writes them. */
export interface WebhookRecord {
  id: string;
  account: string;
  poller: string;
  createdAt: number;
  url: string;
  /** Sealed: its secret (and the one before it), its encryption code. */
  sealed: string;
  hasEncryptionCode: boolean;
  /** Event types to deliver; `null` for all. */
  events: string[] | null;
  valid: boolean;
  /** Since when events are kept for it: its first validity. `null` before. */
  keptSince: number | null;
  lastValidatedAt: number | null;
  /** Of the first of the faults that follow each other until now, in checks of a valid webhook; `null` while there is none. */
  failingSince: number | null;
  lastDeliveryAt: number | null;
  /** One sentence for its owner. */
  lastError: string | null;
  /** Raised by every `update`. */
  revision: number;
}

export interface WebhookPosition {
  createdAt: number;
  id: string;
}

export interface WebhookStore {
  /**
   * Adds a webhook, and its poller unless that is there (then it stays as it is, but for `sealed`). `too_many` where the
   * account has `limit` webhooks already.
   */
  create(webhook: WebhookRecord, poller: NewPoller, limit: number): Promise<'created' | 'too_many'>;
  find(account: string, id: string): Promise<WebhookRecord | null>;
  /** Newest first, ties by id; those after a position where one is given. */
  list(account: string, limit: number, after?: WebhookPosition): Promise<WebhookRecord[]>;
  /** Those of a poller, oldest first. */
  ofPoller(account: string, poller: string): Promise<WebhookRecord[]>;
  /**
   * Puts this in the place of the webhook with this id, if its revision is still the one given, and wakes its poller. The
   * revision is raised by one. A webhook may move to another poller, which must exist; what it was to get stays its own.
   * False where it was changed meanwhile, or is gone.
   */
  update(webhook: WebhookRecord): Promise<boolean>;
  /** Removes it with its deliveries and wakes its poller; a poller without webhooks goes once nothing else keeps it. */
  remove(account: string, id: string): Promise<boolean>;
}

export interface NewPoller {
  /** Derived from account, `auth_token` and proxy by whoever makes it: the same for the same three. */
  id: string;
  account: string;
  /** Sealed: `auth_token`, proxy. */
  sealed: string;
  createdAt: number;
}

export interface PollerRecord extends NewPoller {
  /** The platform's, behind the last event that was appended. `null`: it begins with what is new. */
  cursor: string | null;
  /** Why it stopped asking the platform, for people; `null` while it asks. */
  stopped: string | null;
  /** A live stream wants it until then, whether or not it has webhooks. */
  streamedUntil: number | null;
  fence: number;
}

export interface PollerReference {
  account: string;
  id: string;
  fence: number;
}

export interface PollerStore {
  find(account: string, id: string): Promise<PollerRecord | null>;
  /** Makes it where there is none, and keeps it at least until then for a live stream. */
  keepForStream(poller: NewPoller, until: number): Promise<void>;
  /** Takes at most so many pollers that no living process runs, and that have a webhook or a stream. */
  claim(process: string, limit: number): Promise<PollerRecord[]>;
  /** Gives them up; those that are no longer this fence's are left as they are. */
  release(pollers: readonly PollerReference[]): Promise<void>;
  /** Which of these this fence still runs. */
  confirm(pollers: readonly PollerReference[]): Promise<string[]>;
  /** All there are to run, by whomever. */
  count(): Promise<number>;
  /** Of those that this process runs: which were woken (by a change of a webhook, a replay, a stream) since it asked last. */
  woken(process: string): Promise<string[]>;
  /** Stops it for this reason, or lets it go on (`null`). False where the fence is old. */
  stop(poller: PollerReference, reason: string | null): Promise<boolean>;
  /** Gives it new sealed credentials, lets it go on, and wakes it. */
  renew(poller: Pick<NewPoller, 'account' | 'id' | 'sealed'>): Promise<void>;
}

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
export interface PlacedEvent extends EventRecord {
  /** Rises by one with each event of its poller. */
  place: number;
}

export interface Append {
  poller: PollerReference;
  /** Where the poller is afterwards. */
  cursor: string;
  /** In their order. Those that are there already are passed over, and so are their deliveries. */
  events: readonly Omit<EventRecord, 'at'>[];
  /** Which webhooks get which of them. */
  deliveries: readonly { event: string; webhook: string }[];
}

export interface EventStore {
  /**
   * Appends events with their deliveries and moves the cursor, all or nothing as seen by who asks afterwards: where it is
   * cut short, the same append again completes it. `superseded` where the fence is old.
   */
  append(append: Append): Promise<'appended' | 'superseded'>;
  /** Events of a poller behind a place, oldest first. */
  after(account: string, poller: string, place: number, limit: number): Promise<PlacedEvent[]>;
  /** The place of an event; `null` where it is not kept (any more). */
  place(account: string, poller: string, event: string): Promise<number | null>;
  /** The place of the last event of a poller; 0 where it has none. */
  lastPlace(account: string, poller: string): Promise<number>;
  /** Forgets events, and deliveries that are over or too late, whose time is past. Answers how many events. */
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
  /** Notes how attempts ended, for one poller at a time; also the webhooks' `lastDeliveryAt`. `superseded`: nothing was noted. */
  finish(poller: PollerReference, results: readonly DeliveryResult[]): Promise<'noted' | 'superseded'>;
  /** Newest event first, ties by id; those after a position where one is given. */
  list(
    account: string,
    webhook: string,
    limit: number,
    after?: DeliveryPosition,
  ): Promise<(DeliveryRecord & { eventAt: number })[]>;
  /** Queues all events of the last `eventTtlMs` again that this webhook was to get, and wakes its poller. Answers how many. */
  replay(account: string, webhook: string): Promise<number>;
  /** Ends what waits for a webhook that is gone for good. */
  giveUp(account: string, webhook: string, error: string): Promise<void>;
  /** Over all accounts: how many wait, and since when the oldest of them that is due does. */
  backlog(): Promise<{ waiting: number; oldestDueAt: number | null }>;
}

/** How long an event is kept, for replays and streams. */
export const eventTtlMs = 24 * 3_600_000;
