/**
 * Webhooks, and the pollers that feed them.
 *
 * A poller reads the activity of one platform account for one API account. Its webhooks and events belong to it, and one
 * process at a time runs it: whoever claimed it last, as long as that process is heard of (`PollerStore.beat`). Each
 * claim raises the poller's `fence`; what is written for an older one is refused, so that a process which slept through
 * its replacement can change nothing.
 *
 * A poller lasts while a webhook or a stream keeps it. One that nothing keeps is gone for every verb, though its events
 * stay for their time; wanted again, it begins anew: without a cursor, as of the new `createdAt`, run by nobody. So a
 * stream that resumes behind an event from before `createdAt` has missed what happened between.
 */

/** What callers give and the store keeps of a webhook. Secrets are sealed by whoever writes them. */
export interface WebhookRecord {
  id: string;
  account: string;
  poller: string;
  createdAt: number;
  /** Sealed. In plain text if an earlier release wrote it. */
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
  /** Why the last handshake failed, or that the receiver is gone (410), for its owner. */
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
   * Adds a webhook, and its poller unless that is there (then it stays as it is, but for `sealed`), which it wakes.
   * `too_many` where the account has `limit` webhooks already. The same webhook again changes nothing: `created`.
   */
  create(webhook: WebhookRecord, poller: NewPoller, limit: number): Promise<'created' | 'too_many'>;
  find(account: string, id: string): Promise<WebhookRecord | null>;
  /** Newest first, ties by id descending; those after a position where one is given. */
  list(account: string, limit: number, after?: WebhookPosition): Promise<WebhookRecord[]>;
  /**
   * Webhooks of any account whose URL an earlier release wrote in plain text. Once it returns none, the files of the
   * embedded store hold no plain URL either.
   */
  withPlainUrl(limit: number): Promise<WebhookRecord[]>;
  /** Those of a poller, oldest first. */
  ofPoller(account: string, poller: string): Promise<WebhookRecord[]>;
  /**
   * Puts this in the place of the webhook with this id, if its revision is still the one given, and wakes its poller. The
   * revision is raised by one; `createdAt` stays, and so does `lastDeliveryAt`, which is `DeliveryStore.finish`'s. A
   * webhook may move to another poller, which is given as well and treated as `create` does, unless it is known to be
   * there; what the webhook was to get stays its own. False where it was changed meanwhile, or is gone.
   */
  update(webhook: WebhookRecord, poller?: NewPoller): Promise<boolean>;
  /** Removes it and wakes its poller, then its deliveries, of which a crash may leave some until their events go. */
  remove(account: string, id: string): Promise<boolean>;
  /**
   * Takes the handshake lease of a webhook for `handshakeLeaseMs`, unless another holder has it. Returns the state
   * afterwards, `null` if the webhook is gone. The lease is not taken either if a handshake of the same target has ended
   * that was numbered `joined` or later: its outcome is in `last`. So a caller waits for the handshake that another process
   * runs by asking again. Changes neither the revision nor the poller.
   */
  beginHandshake(lease: HandshakeLease, joined: number | null): Promise<HandshakeState | null>;
  /** Gives the lease of this number back, with the outcome of the handshake if there is one. */
  endHandshake(lease: HandshakeLease, number: number, outcome: string | null): Promise<void>;
}

export interface HandshakeLease {
  account: string;
  webhook: string;
  /** The process that runs the handshake. Asked again by the same holder, the lease is taken again. */
  holder: string;
  /** Identifies the URL and the secret that the handshake checks. */
  target: string;
}

export interface HandshakeState {
  /** Raised whenever the lease is taken. */
  number: number;
  /** `null` while nobody has the lease. */
  holder: string | null;
  /** The handshake that ended last. */
  last: { number: number; target: string; outcome: string } | null;
}

/** Longer than a handshake takes (10 s), so that a lease that has run out belongs to a process that died. */
export const handshakeLeaseMs = 13_000;

export interface NewPoller {
  /** Derived from account, `auth_token` and proxy by whoever makes it: the same for the same three. */
  id: string;
  account: string;
  /** Sealed: `auth_token`, proxy. */
  sealed: string;
  createdAt: number;
  /** The platform's, where it begins if it is made; left out or `null`: with what is new when it is first run. */
  cursor?: string | null;
}

export interface PollerRecord extends NewPoller {
  /** The platform's, behind the last event that was appended. */
  cursor: string | null;
  /** Why it stopped asking the platform, for people; `null` while it asks. */
  stopped: string | null;
  /**
   * Sealed: why the platform cannot be reached, once that has lasted for a while; `null` while it can be reached. It is
   * cleared when the poller stops, is renewed or begins anew.
   */
  unreachable: string | null;
  /** A live stream wants it until then, whether or not it has webhooks. */
  streamedUntil: number | null;
  /** When it appended an event last; 0 before the first. */
  appendedAt: number;
  fence: number;
}

export interface PollerReference {
  account: string;
  id: string;
  fence: number;
}

export interface PollerStore {
  /**
   * Notes that this process runs pollers, all that it has claimed, for the next `pollerTtlMs`. Answers how many processes
   * do, this one included.
   */
  beat(process: string): Promise<number>;
  /** It runs none from now on: all that it had can be claimed at once. */
  leave(process: string): Promise<void>;
  find(account: string, id: string): Promise<PollerRecord | null>;
  /** Makes it where there is none, and keeps it at least until then for a live stream. Wakes it where it had none. */
  keepForStream(poller: NewPoller, until: number): Promise<void>;
  /** Takes at most so many pollers that no living process runs. To take one counts as a `beat`. */
  claim(process: string, limit: number): Promise<PollerRecord[]>;
  /** Gives them up; those that are no longer this fence's are left as they are. */
  release(pollers: readonly PollerReference[]): Promise<void>;
  /**
   * Which of these this process still runs under this fence. What else stands in its name is given up: pollers that it
   * claimed without hearing of it, since the answer was lost. Not to be asked while it claims.
   */
  confirm(process: string, pollers: readonly PollerReference[]): Promise<string[]>;
  /** All there are to run, by whomever. */
  count(): Promise<number>;
  /**
   * Of those that this process runs: which were woken (by a change of a webhook, a replay, a stream) since it asked last
   * or claimed them, each told once. Where this throws, some may be lost: any may have been woken.
   */
  woken(process: string): Promise<string[]>;
  /**
   * Stops it for this reason, or lets it go on (`null`). False where the fence is old, or where it was given other
   * sealed credentials than these: a refusal says nothing of those.
   */
  stop(poller: PollerReference & Pick<NewPoller, 'sealed'>, reason: string | null): Promise<boolean>;
  /** Sets `unreachable`. False in the same cases as `stop`. Does not wake it. */
  setUnreachable(
    poller: PollerReference & Pick<NewPoller, 'sealed'>,
    unreachable: PollerRecord['unreachable'],
  ): Promise<boolean>;
  /** Gives it new sealed credentials, lets it go on, and wakes it. */
  renew(poller: Pick<NewPoller, 'account' | 'id' | 'sealed'>): Promise<void>;
}

/**
 * How long a process that runs pollers counts as alive after its last `beat`. Less than `processTtlMs`: with a beat every
 * third of it and a claim as often, the pollers of a process that died are run by others within 20 s.
 */
export const pollerTtlMs = 12_000;
