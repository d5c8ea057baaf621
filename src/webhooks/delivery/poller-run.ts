import { isMessageType } from '../../shared/model/event.ts';
import type { DeliveryAttempt } from '../../shared/observability/tracing.ts';
import type { Runtime } from '../../shared/runtime/runtime.ts';
import { Semaphore } from '../../shared/runtime/semaphore.ts';
import { decryptedOrNull } from '../../shared/secrets/vault.ts';
import type { PollerRecord, Store, WebhookRecord } from '../../store/port.ts';
import { type CredentialResolver, isDeletedConnection } from '../shared/platform-access.ts';
import type { WebhookContext, WebhookVault } from '../shared/secrets.ts';
import { freshMs } from './send-gate.ts';

/** One delivery attempt. The last two fields are milliseconds since the event was stored; `null` if the attempt is not measured. */
export interface AttemptReport extends DeliveryAttempt {
  firstAfterMs: number | null;
  deliveredAfterMs: number | null;
}

/**
 * Receives reports from pollers and delivery queues for the log, metrics and live streams. The reports are callbacks instead of return
 * values, because the work is started by timers and no caller waits for it. The callbacks return nothing, so the work does not depend on
 * its observers.
 */
export interface PollerMonitor {
  attempted(attempt: AttemptReport): void;
  /** Reports that events were stored. `afterMs` is the age of each event according to the platform's time. */
  appended(poller: PollerRecord, afterMs: readonly number[]): void;
  /** Reports that the platform no longer has all events. */
  gap(poller: PollerRecord): void;
  /** Reports an error after which the work continues. `poller` is `null` if the error affects all pollers. */
  failed(error: unknown, poller: PollerRecord | null): void;
}

/** One run of a poller by this process: its record, and what all parts of the run use. */
export class PollerRun {
  readonly store: Store;
  readonly vault: WebhookVault;
  readonly runtime: Runtime;
  readonly monitor: PollerMonitor;
  /** Held while events are appended or waiting messages are queued, because each relies on data that the other stores. */
  readonly appending = new Semaphore(1);
  /** Resolves when the store refuses a write because another process has taken over the poller. */
  readonly superseded: Promise<void>;
  #resolveSuperseded = (): void => {};
  #record: PollerRecord;
  #isStopped = false;

  constructor(record: PollerRecord, { store, vault, runtime, monitor }: WebhookContext & { monitor: PollerMonitor }) {
    this.store = store;
    this.vault = vault;
    this.runtime = runtime;
    this.monitor = monitor;
    this.#record = record;
    this.renew(record);
    this.superseded = new Promise((resolve) => {
      this.#resolveSuperseded = resolve;
    });
  }

  get record(): PollerRecord {
    return this.#record;
  }

  /** True while the platform is not polled because it refuses the credentials. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Updates the record after it was read again. */
  renew(record: PollerRecord): void {
    this.#record = record;
    this.#isStopped = record.stopped !== null;
  }

  stop(): void {
    this.#isStopped = true;
  }

  supersede(): void {
    this.#resolveSuperseded();
  }

  readonly failure = (error: unknown): void => this.monitor.failed(error, this.#record);
}

/** The webhooks of one poller as last read from the store, and the changes that the poller makes to them. */
export class PollerWebhooks {
  readonly #run: PollerRun;
  readonly #logins: CredentialResolver;
  #known: ReadonlyMap<string, WebhookRecord> = new Map();
  /** The revision of each webhook whose receiver responded with 410. The change may not be stored yet. */
  readonly #gone = new Map<string, number>();
  #reading: Promise<void> = Promise.resolve();
  #readAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | null = null;

  constructor(run: PollerRun, logins: CredentialResolver) {
    this.#run = run;
    this.#logins = logins;
  }

  get all(): WebhookRecord[] {
    return [...this.#known.values()];
  }

  get readAt(): number {
    return this.#readAt;
  }

  find(id: string): WebhookRecord | undefined {
    return this.#known.get(id);
  }

  /**
   * Returns the deliveries of a group of events. Each webhook gets the first event whose type it subscribes to.
   * Webhooks that are currently invalid are included (docs/webhooks.md, The handshake).
   */
  deliveriesOf<Event extends { type: string }>(events: readonly Event[]): { event: Event; webhook: string }[] {
    return this.all.flatMap((webhook) => {
      const event = webhook.keptSince === null ? undefined : events.find(({ type }) => wants(webhook, type));
      return event ? [{ event, webhook: webhook.id }] : [];
    });
  }

  /** Reads the webhooks again. Reads run one after the other, so that an older result never replaces a newer one. */
  read(): Promise<void> {
    const reading = this.#reading.then(() => this.#readNow());
    this.#reading = reading.catch(() => {});
    return reading;
  }

  /** Reads the webhooks again. Unlike `read`, concurrent callers share one read. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.read().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** Returns true if the connection of the poller was deleted, so that nothing is delivered any more. */
  async isGone(): Promise<boolean> {
    const { vault, record } = this.#run;
    const credentials = decryptedOrNull(() => vault.openPoller(record));
    return credentials !== null && isDeletedConnection(this.#logins, record.account, credentials.authToken);
  }

  /** Returns true if a webhook that left the poller was deleted. Also returns true if the store cannot be read. */
  async isDeleted(id: string): Promise<boolean> {
    const { store, record } = this.#run;
    return (await store.webhooks.find(record.account, id).catch(() => null)) === null;
  }

  /**
   * Makes a webhook invalid because its receiver responded with 410 (docs/webhooks.md, The handshake). If the store fails, the webhook
   * stays valid.
   */
  async invalidate(id: string): Promise<void> {
    const webhook = this.#known.get(id);
    if (!webhook?.valid) return;
    this.#gone.set(id, webhook.revision);
    this.#know(webhook);
    const lastError = 'The receiver answered 410 Gone: nothing more is sent until it is validated again';
    try {
      await this.rewrite(id, (record) => ({ ...record, valid: false, lastError }));
    } catch (error) {
      this.#run.failure(error);
      this.#gone.delete(id);
      if (this.#known.get(id)?.revision === webhook.revision) this.#know(webhook);
    }
  }

  /** Changes a webhook and retries if the webhook was changed concurrently. Changes nothing if `change` returns `null`. */
  async rewrite(id: string, change: (record: WebhookRecord) => WebhookRecord | null): Promise<void> {
    const { store, record: poller } = this.#run;
    for (;;) {
      const record = await store.webhooks.find(poller.account, id);
      if (record?.poller !== poller.id) return;
      const changed = change(record);
      if (changed === null || (await store.webhooks.update(changed))) return;
    }
  }

  async #readNow(): Promise<void> {
    const { store, runtime, record } = this.#run;
    const { account, id: poller } = record;
    const readAt = runtime.now();
    const webhooks = await store.webhooks.ofPoller(account, poller);
    // If the store was slow, the read still counts as fresh for half of `freshMs`, so that deliveries continue.
    this.#readAt = Math.max(readAt, runtime.now() - freshMs / 2);
    this.#known = new Map(webhooks.map((webhook) => [webhook.id, this.#withGone(webhook)]));
    for (const id of this.#gone.keys()) if (!this.#known.has(id)) this.#gone.delete(id);
  }

  #know(webhook: WebhookRecord): void {
    this.#known = new Map(this.#known).set(webhook.id, this.#withGone(webhook));
  }

  #withGone(webhook: WebhookRecord): WebhookRecord {
    return this.#gone.get(webhook.id) === webhook.revision ? { ...webhook, valid: false } : webhook;
  }
}

export function wants({ events }: WebhookRecord, type: string): boolean {
  return events === null || events.includes(type);
}

/** Returns true if a webhook receives some messages. Which type a message has is known only after it is opened. */
export function wantsMessages({ events }: WebhookRecord): boolean {
  return events === null || events.some(isMessageType);
}
