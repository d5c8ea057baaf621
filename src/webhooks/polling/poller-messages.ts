import { PosternError } from '../../shared/errors/postern-error.ts';
import { isMessageType, type MessageEvent } from '../../shared/model/event.ts';
import { chance, type Timer } from '../../shared/runtime/runtime.ts';
import type { WebhookRecord } from '../../store/port.ts';
import type { DeliveryQueues } from '../delivery/delivery-queue.ts';
import { type PollerRun, type PollerWebhooks, wants, wantsMessages } from '../delivery/poller-run.ts';
import { isCodeRefusal, type MessageOpener, type OpenedMessage } from '../shared/message-opener.ts';
import type { MessagesWait } from '../shared/secrets.ts';
import { messageBody, type OpenedForWebhooks, packMessage, unpackEvent } from '../shared/stored-event.ts';
import { backoffMs } from './poll-delays.ts';

/** The time in milliseconds that other events wait for the keys of messages. */
const patienceMs = 2_000;
/** The number of stored events in one read. */
const eventsAtOnce = 100;
/** The maximum size of the messages in one page, in encrypted characters. */
const charsAtOnce = 1_024 * 1_024;

export interface PollerMessagesParts {
  run: PollerRun;
  webhooks: PollerWebhooks;
  queues: DeliveryQueues;
  opener: MessageOpener;
}

/**
 * Opens the messages of a poller for its webhooks, each with its own encryption code. If a code cannot open messages now, the messages of
 * its webhooks wait in the store, and are queued when they can be opened. Other events and webhooks do not wait.
 */
export class PollerMessages {
  readonly #parts: PollerMessagesParts;
  readonly #run: PollerRun;
  #timer: Timer | undefined;
  /** The time at which the timer fires. */
  #retryAt = Number.POSITIVE_INFINITY;
  /** The last search for waiting messages that was begun. */
  #retrying: Promise<void> = Promise.resolve();
  /** Calls of `#open` that took longer than `patienceMs`. Their codes must not be tried again at the same time. */
  readonly #slow = new Set<Promise<void>>();
  #failures = 0;
  #ended = false;

  constructor(parts: PollerMessagesParts) {
    this.#parts = parts;
    this.#run = parts.run;
  }

  /** Opens messages before they are appended. Returns the opened messages by the platform's event id. */
  async open(
    events: readonly MessageEvent[],
    idOf: (event: MessageEvent) => string,
  ): Promise<Map<string, OpenedForWebhooks>> {
    const found = new Map<string, OpenedForWebhooks & { webhooks: Set<string> }>();
    if (events.length === 0) return found;
    for (const [code, webhooks] of await this.#readyByCode()) {
      const opened = await this.#openSoon(code, events, webhooks);
      for (const [at, event] of events.entries()) {
        const message = opened?.[at];
        if (!message) continue;
        const { type } = message;
        const body = messageBody(idOf(event), event, message);
        const entry = found.get(event.id) ?? { type, body, webhooks: new Set() };
        for (const webhook of webhooks) if (wants(webhook, type)) entry.webhooks.add(webhook.id);
        found.set(event.id, entry);
      }
    }
    return found;
  }

  /** Must be called when messages may wait or when a webhook may have another code. */
  retryWaiting(): void {
    this.#retryIn(0);
  }

  /** Starts no more work. Resolves when the running work has ended. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    await Promise.all([this.#retrying, ...this.#slow]);
  }

  /** Groups the webhooks that receive messages by code. Excludes webhooks whose messages wait already or must begin to wait. */
  async #readyByCode(): Promise<Map<string, WebhookRecord[]>> {
    const ready: WebhookRecord[] = [];
    for (const webhook of this.#parts.webhooks.all) {
      if (!webhook.hasEncryptionCode || webhook.keptSince === null || !wantsMessages(webhook)) continue;
      const waits = this.#waitOf(webhook);
      if (waits?.fence === this.#run.record.fence) continue;
      // A code that was refused for another poller is not tried again.
      if (waits || this.#run.vault.open(webhook).codeRefused) await this.#hold([webhook]);
      else ready.push(webhook);
    }
    return this.#byCode(ready);
  }

  #byCode(webhooks: readonly WebhookRecord[]): Map<string, WebhookRecord[]> {
    const found = new Map<string, WebhookRecord[]>();
    for (const webhook of webhooks) {
      const { encryptionCode: code, codeRefused } = this.#run.vault.open(webhook);
      if (code !== null && !codeRefused) found.set(code, [...(found.get(code) ?? []), webhook]);
    }
    return found;
  }

  /**
   * Opens messages with a code. Returns `null` if that fails or takes longer than `patienceMs`. In the second case opening continues while
   * the events are appended, and the messages wait until it has finished.
   */
  async #openSoon(
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ): Promise<(OpenedMessage | null)[] | null> {
    const opening = this.#open(code, events, webhooks);
    let timer: Timer | undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = this.#run.runtime.after(patienceMs, () => resolve('timeout'));
    });
    const opened = await Promise.race([opening, timeout]).finally(() => timer?.cancel());
    if (opened !== 'timeout') return opened;
    const slow = opening.catch(this.#run.failure).then(() => {
      this.#slow.delete(slow);
      this.retryWaiting();
    });
    this.#slow.add(slow);
    await this.#hold(webhooks);
    return null;
  }

  /**
   * Opens messages with one encryption code. If that fails, stores that the messages of the webhooks with this code wait, and returns
   * `null`. A code that is wrong or unusable is not tried again until its owner sets another one; other failures are retried.
   */
  async #open(
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ): Promise<(OpenedMessage | null)[] | null> {
    const { vault, record, failure } = this.#run;
    try {
      const credentials = vault.openPoller(record);
      return await this.#parts.opener.open({ account: record.account, credentials, code }, events);
    } catch (error) {
      const refused = isCodeRefusal(error) ? { code, reason: error.message } : null;
      if (!refused) failure(error);
      await this.#hold(webhooks, refused);
      if (!refused) this.#retryAfter(error);
      return null;
    }
  }

  #retryAfter(error: unknown): void {
    const { field, retryAfterSeconds } = error instanceof PosternError ? error : {};
    // A refusal by the guess throttle is retried after a normal pause, because the retry costs no guess and other callers may extend the
    // refusal.
    const seconds = field === 'encryption_code' ? undefined : retryAfterSeconds;
    this.#retryIn(backoffMs(this.#failures++, seconds, chance(this.#run.runtime)));
  }

  /** Sets the timer, unless it fires earlier already. */
  #retryIn(delayMs: number): void {
    const { runtime } = this.#run;
    const at = runtime.now() + delayMs;
    if (this.#ended || at >= this.#retryAt) return;
    this.#timer?.cancel();
    this.#retryAt = at;
    this.#timer = runtime.after(delayMs, () => {
      this.#retryAt = Number.POSITIVE_INFINITY;
      this.#retrying = this.#retrying.then(() => this.#retry());
    });
  }

  async #retry(): Promise<void> {
    await Promise.all(this.#slow);
    if (this.#ended || this.#run.isStopped) return;
    try {
      await this.#queueWaiting();
    } catch (error) {
      this.#run.failure(error);
      this.#retryAfter(error);
    }
  }

  /** Queues a page of waiting messages for each webhook. */
  async #queueWaiting(): Promise<void> {
    const { webhooks, queues } = this.#parts;
    if (!webhooks.all.some(({ hasEncryptionCode }) => hasEncryptionCode)) return;
    await queues.read(false);
    let queued = false;
    const waiting = webhooks.all.filter((webhook) => this.#waitOf(webhook) !== null);
    for (const [code, sharing] of this.#byCode(waiting)) {
      for (const webhook of sharing) {
        const page = await this.#queuePage(code, webhook, sharing);
        if (page === 'more') this.retryWaiting();
        // The other webhooks with this code would fail too, and each attempt may cost a guess or much time.
        if (page === 'waits') break;
        queued = true;
      }
    }
    if (queued) await queues.read(true);
  }

  /** Queues one page of the messages of a webhook. `sharing` contains all webhooks that wait with the same code. */
  async #queuePage(
    code: string,
    webhook: WebhookRecord,
    sharing: readonly WebhookRecord[],
  ): Promise<'waits' | 'more' | 'last'> {
    const { store, vault, record: poller, appending } = this.#run;
    const { account, id } = poller;
    const waits = this.#waitOf(webhook);
    if (waits === null) return 'last';
    const page = await store.events.after(account, id, waits.behind, eventsAtOnce, charsAtOnce);
    const messages = page.flatMap((event) => {
      const kept = isMessageType(event.type) && unpackEvent(vault.openBody(account, event.id, event.sealed));
      return kept && kept.message !== null ? [{ id: event.id, body: kept.body, message: kept.message }] : [];
    });
    const sealed = messages.map(({ message }) => message);
    const contents = await this.#open(code, sealed, sharing);
    if (contents === null) return 'waits';
    const opened = messages.flatMap((message, at) => {
      const content = contents[at];
      if (!content || !wants(webhook, content.type)) return [];
      return [{ ...message, opened: messageBody(message.id, message.message, content) }];
    });
    const late = {
      poller,
      // Messages that already have a stored body keep it, so that every webhook gets the same bytes.
      events: opened
        .filter(({ body }) => body === null)
        .map(({ id, opened, message }) => ({ id, sealed: vault.sealBody(account, id, packMessage(opened, message)) })),
      deliveries: opened.map(({ id }) => ({ event: id, webhook: webhook.id })),
    };
    const upTo = page.at(-1)?.place ?? waits.behind;
    return appending.run(async () => {
      if ((await store.events.queueLate(late)) === 'superseded') {
        this.#run.supersede();
        return 'waits';
      }
      const isLast = (await store.events.lastPlace(account, id)) <= upTo;
      await this.#release(webhook.id, isLast ? null : upTo);
      this.#failures = 0;
      return isLast ? 'last' : 'more';
    });
  }

  /** Returns the position from which messages of a webhook wait to be opened. Returns `null` if none wait. */
  #waitOf(webhook: WebhookRecord): MessagesWait | null {
    const { messagesWait } = this.#run.vault.open(webhook);
    return messagesWait?.poller === this.#run.record.id ? messagesWait : null;
  }

  /**
   * Stores that the messages of these webhooks wait from the next append on, unless earlier messages already wait. A code in `refused` is
   * not tried again until the owner of the webhook sets another code.
   */
  async #hold(
    webhooks: readonly WebhookRecord[],
    refused: { code: string; reason: string } | null = null,
  ): Promise<void> {
    const { store, vault, record } = this.#run;
    const { account, id: poller, fence } = record;
    const behind = await store.events.lastPlace(account, poller);
    const change = (webhook: WebhookRecord): WebhookRecord | null => {
      const secrets = vault.open(webhook);
      const before = this.#waitOf(webhook);
      const isHeld = before !== null && before.fence >= fence;
      const isRefused = refused?.code === secrets.encryptionCode && !secrets.codeRefused;
      if (isHeld && !isRefused) return null;
      const sealed = vault.seal(webhook, {
        ...secrets,
        ...(!isHeld && { messagesWait: { behind, ...before, poller, fence } }),
        ...(isRefused && { codeRefused: refused.reason }),
      });
      return { ...webhook, sealed };
    };
    for (const { id } of webhooks) await this.#parts.webhooks.rewrite(id, change);
  }

  /**
   * Stores that the messages of a webhook up to a position no longer wait. `null` means that no messages wait at all. A position that was
   * stored by a newer run of the poller is kept, because that run relies on it.
   */
  #release(id: string, upTo: number | null): Promise<void> {
    const { vault, record } = this.#run;
    return this.#parts.webhooks.rewrite(id, (webhook) => {
      const before = this.#waitOf(webhook);
      if (before === null || before.fence > record.fence) return null;
      const { messagesWait: _before, ...secrets } = vault.open(webhook);
      const messagesWait = upTo === null ? {} : { messagesWait: { ...before, behind: upTo } };
      return { ...webhook, sealed: vault.seal(webhook, { ...secrets, ...messagesWait }) };
    });
  }
}
