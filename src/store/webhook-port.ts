import type { AuditEntry } from './audit-port.ts';

/**
 * Webhooks and the pollers that read events for them.
 *
 * A poller reads the activity of one platform account for one API account. Its webhooks and events belong to it. One process runs a poller
 * at a time: the last one that claimed it, as long as this process sends heartbeats (`PollerStore.beat`). Each claim increases the poller's
 * `fence`. Writes with an older fence are refused, so that a suspended process that was replaced cannot change anything.
 *
 * A poller exists while a webhook or a stream uses it. Afterwards it is invisible to all methods, although its events are stored until they
 * expire. If it is needed again, it is reset: it has no cursor, a new `createdAt`, and no process. A stream that resumes after an event
 * from before `createdAt` has therefore missed the events in between.
 */

/** The stored data of a webhook that callers set. The caller of the store encrypts the secrets. */
export interface WebhookRecord {
  id: string;
  account: string;
  poller: string;
  createdAt: number;
  /** The URL, encrypted. It is plain text if an earlier release wrote it. */
  url: string;
  /** The secret, the previous secret and the encryption code, encrypted. */
  sealed: string;
  hasEncryptionCode: boolean;
  /** The event types to deliver; `null` for all types. */
  events: string[] | null;
  valid: boolean;
  /** The time of the webhook's first validity, from which events are stored for it; `null` before that. */
  keptSince: number | null;
  lastValidatedAt: number | null;
  /** The time since which all checks of a valid webhook have failed; `null` if the last check passed. */
  failingSince: number | null;
  lastDeliveryAt: number | null;
  /** The time of the first failed delivery attempt since the last event that was delivered; `null` if the last attempts succeeded. */
  undeliveredSince: number | null;
  /** The error of the last failed attempt; `null` if the last attempts succeeded. */
  undeliveredError: string | null;
  /** The time from which nothing is delivered, by the owner's choice; `null` if the webhook is not paused. */
  pausedAt: number | null;
  /** A message for the owner: the reason why the last handshake failed, or that the receiver responded with 410. */
  lastError: string | null;
  /** Incremented by every `update`. */
  revision: number;
}

/** A webhook that was compared with a new one: its id, and what determines its receiver and platform account. */
export type ComparedWebhook = Pick<WebhookRecord, 'id' | 'poller' | 'url'>;

export interface WebhookPosition {
  createdAt: number;
  id: string;
}

export interface WebhookStore {
  /**
   * Creates a webhook and notifies its poller. The poller is created if it does not exist; otherwise only its `sealed` is updated. Returns
   * `too_many` if the account already has `limit` webhooks. Creating the same webhook again changes nothing and returns
   * `created`. If `compared` is given and another webhook of the account is not in it, or has a different URL or poller
   * by now, returns `changed`.
   */
  create(
    webhook: WebhookRecord,
    poller: NewPoller,
    limit: number,
    audit?: AuditEntry,
    compared?: readonly ComparedWebhook[],
  ): Promise<'created' | 'too_many' | 'changed'>;
  find(account: string, id: string): Promise<WebhookRecord | null>;
  /** Lists webhooks, newest first, then by id in descending order. If a position is given, the list begins after it. */
  list(account: string, limit: number, after?: WebhookPosition): Promise<WebhookRecord[]>;
  /**
   * Returns webhooks of any account whose URL an earlier release stored in plain text. When it returns none, the files of the embedded
   * store contain no plain URLs either.
   */
  withPlainUrl(limit: number): Promise<WebhookRecord[]>;
  /** Returns webhooks of all accounts by id, beginning after this id. */
  listAll(limit: number, after?: string): Promise<WebhookRecord[]>;
  /** Replaces `url` and `sealed` with the same content in another encryption, and increments the revision, if the revision is unchanged. */
  reseal(webhook: Pick<WebhookRecord, 'account' | 'id' | 'revision' | 'url' | 'sealed'>): Promise<boolean>;
  /** Returns the webhooks of a poller, oldest first. */
  ofPoller(account: string, poller: string): Promise<WebhookRecord[]>;
  /**
   * Replaces the webhook with this id if its revision is unchanged, increments its revision, and notifies its poller. `createdAt` and the
   * fields that `DeliveryStore.finish` sets (`lastDeliveryAt`, `undeliveredSince`, `undeliveredError`) are not replaced, but a new URL
   * clears the last two. A webhook may move to another poller. The other poller must then be given, and is handled as in `create`. It may
   * be left out only if it is known to exist. Deliveries of the webhook stay with it. Returns false if the webhook was changed
   * concurrently or does not exist, or in the case of `changed` of `create`.
   */
  update(
    webhook: WebhookRecord,
    poller?: NewPoller,
    audit?: AuditEntry,
    compared?: readonly ComparedWebhook[],
  ): Promise<boolean>;
  /**
   * Deletes the webhook, notifies its poller, and then deletes its deliveries. After a crash, some deliveries may remain until their events
   * expire or the removal is repeated. Returns false if the webhook does not exist; its deliveries are deleted nevertheless.
   */
  remove(account: string, id: string, audit?: AuditEntry): Promise<boolean>;
  /**
   * Takes the handshake lease of a webhook for `handshakeLeaseMs`. Returns the state afterwards, or `null` if the webhook does not exist.
   * The lease is not taken if another holder has it. It is not taken either if a handshake of the same target with the number `joined` or
   * higher has ended, because its outcome is in `last`. A caller waits for a handshake of another process by calling this method
   * repeatedly. Changes neither the revision nor the poller.
   */
  beginHandshake(lease: HandshakeLease, joined: number | null): Promise<HandshakeState | null>;
  /** Releases the lease with this number, and stores the outcome of the handshake if there is one. */
  endHandshake(lease: HandshakeLease, number: number, outcome: string | null): Promise<void>;
}

export interface HandshakeLease {
  account: string;
  webhook: string;
  /** The process that runs the handshake. If it already has the lease, it gets the lease again. */
  holder: string;
  /** Identifies the URL and the secret that the handshake checks. */
  target: string;
}

export interface HandshakeState {
  /** Incremented whenever the lease is taken. */
  number: number;
  /** The process that has the lease; `null` if none has. */
  holder: string | null;
  /** The last handshake that ended. */
  last: { number: number; target: string; outcome: string } | null;
}

/** The duration of a handshake lease. It is longer than a handshake (10 s), so an expired lease belongs to a dead process. */
export const handshakeLeaseMs = 13_000;

export interface NewPoller {
  /** Derived from account, `auth_token` and proxy, so that equal values always give the same poller. */
  id: string;
  account: string;
  /** The `auth_token` and the proxy, encrypted. */
  sealed: string;
  createdAt: number;
  /** The platform's cursor at which a new poller begins. If it is missing or `null`, the poller begins with events after its first run. */
  cursor?: string | null;
}

export interface PollerRecord extends NewPoller {
  /** The platform's cursor after the last event that was appended. */
  cursor: string | null;
  /** The reason why polling was stopped, as a message for people; `null` while the platform is polled. */
  stopped: string | null;
  /**
   * The reason why the platform has been unreachable for some time, encrypted; `null` while it is reachable. It is cleared when the poller
   * is stopped, renewed or reset.
   */
  unreachable: string | null;
  /** A live stream needs the poller until this time, even if it has no webhooks. */
  streamedUntil: number | null;
  /** The time of the last append of an event; 0 before the first. */
  appendedAt: number;
  /** The time of the last append with a gap before it; `null` if there was none. */
  gapAt: number | null;
  fence: number;
}

export interface PollerReference {
  account: string;
  id: string;
  fence: number;
}

export interface PollerStore {
  /**
   * Records a heartbeat of a process that runs pollers. It is valid for `pollerTtlMs` and for all pollers of the process. Returns the
   * number of live processes, including this one.
   */
  beat(process: string): Promise<number>;
  /** Removes the process. Other processes can claim its pollers at once. */
  leave(process: string): Promise<void>;
  find(account: string, id: string): Promise<PollerRecord | null>;
  /**
   * Creates the poller if it does not exist and keeps it at least until `until` for a live stream. Notifies the poller if no stream used it
   * before.
   */
  keepForStream(poller: NewPoller, until: number): Promise<void>;
  /** Claims at most `limit` pollers that no live process runs. A claim counts as a `beat`. */
  claim(process: string, limit: number): Promise<PollerRecord[]>;
  /** Gives these pollers back. Pollers with a newer fence are not changed. */
  release(pollers: readonly PollerReference[]): Promise<void>;
  /**
   * Returns which of these pollers the process still runs with the same fence. All other pollers that are assigned to the process are given
   * back: it claimed them but never received the response. Must not be called during a claim.
   */
  confirm(process: string, pollers: readonly PollerReference[]): Promise<string[]>;
  /** Returns the number of pollers, no matter which process runs them. */
  count(): Promise<number>;
  /**
   * Returns the pollers of this process that were notified by a change of a webhook, a replay or a stream since the last call or their
   * claim. Each notification is returned once. If the call throws, some notifications may be lost, so the caller must refresh all its
   * pollers.
   */
  woken(process: string): Promise<string[]>;
  /**
   * Stops the poller for this reason, or continues it if the reason is `null`. Returns false if the fence is outdated or the poller has
   * other encrypted credentials, because the reason does not apply to those.
   */
  stop(poller: PollerReference & Pick<NewPoller, 'sealed'>, reason: string | null): Promise<boolean>;
  /** Sets `unreachable` without notifying the poller. Returns false in the same cases as `stop`. */
  setUnreachable(
    poller: PollerReference & Pick<NewPoller, 'sealed'>,
    unreachable: PollerRecord['unreachable'],
  ): Promise<boolean>;
  /** Returns pollers of all accounts by id, beginning after this id. */
  listAll(limit: number, after?: string): Promise<PollerRecord[]>;
  /** Replaces `sealed` and `unreachable` with the same content in another encryption and notifies the poller, if `sealed` is still `previous`. */
  reseal(poller: Pick<PollerRecord, 'account' | 'id' | 'sealed' | 'unreachable'>, previous: string): Promise<boolean>;
  /** Replaces the poller's encrypted credentials, if they are given, continues it, and notifies it. */
  renew(poller: Pick<NewPoller, 'account' | 'id'> & { sealed?: string }): Promise<void>;
}

/**
 * The time in milliseconds for which a process that runs pollers counts as alive after a heartbeat. It is shorter than `processTtlMs`:
 * heartbeats and claims happen three times within this time, so that the pollers of a dead process are taken over within 20 s.
 */
export const pollerTtlMs = 12_000;
