import { PosternError } from '../../shared/errors/postern-error.ts';
import { isMessageType } from '../../shared/model/event.ts';
import { chance, type Runtime, type Timer } from '../../shared/runtime/runtime.ts';
import type { PollerRecord, Store, WebhookRecord } from '../../store/port.ts';
import type { DeliveryQueues } from '../delivery/delivery-queues.ts';
import { type PollerWebhooks, wants } from '../delivery/poller-webhooks.ts';
import { messageBody } from '../shared/event-body.ts';
import type { PollerRun } from '../shared/poller-run.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { packMessage, unpackEvent } from '../shared/stored-event.ts';
import type { CodeOutcome, MessageCodes } from './message-codes.ts';
import { backoffMs } from './poll-delay.ts';

/** The number of stored events in one read. */
const eventsAtOnce = 100;
/** The maximum size of the messages in one page, in encrypted characters. */
const charsAtOnce = 1_024 * 1_024;

export interface WaitingMessagesParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  run: PollerRun;
  webhooks: PollerWebhooks;
  codes: MessageCodes;
  queues: DeliveryQueues;
}

/**
 * Delivers messages of a poller that could not be opened when they arrived. Queues them when they can be opened, concurrently with the
 * poller's other work.
 */
export class WaitingMessages {
  readonly #parts: WaitingMessagesParts;
  #timer: Timer | undefined;
  /** The time at which the timer fires. */
  #lookAt = Number.POSITIVE_INFINITY;
  /** The last search for waiting messages that was begun. */
  #looking: Promise<void> = Promise.resolve();
  /** Attempts of `PollerMessages` that are still running. Their encryption codes must not be tried here at the same time. */
  readonly #trying = new Set<Promise<void>>();
  #failures = 0;
  #ended = false;

  constructor(parts: WaitingMessagesParts) {
    this.#parts = parts;
  }

  /** Must be called when messages may wait or when a webhook may have another code. */
  look(): void {
    this.#lookIn(0);
  }

  /** Tries again after a pause that depends on the error. */
  lookAfter(error: unknown): void {
    const { field, retryAfterSeconds } = error instanceof PosternError ? error : {};
    // A refusal by the guess throttle is retried after a normal pause, because the retry costs no guess and other callers may extend the
    // refusal.
    const askedFor = field === 'encryption_code' ? undefined : retryAfterSeconds;
    this.#lookIn(backoffMs(this.#failures++, askedFor, chance(this.#parts.runtime)));
  }

  /** Searches for waiting messages after this attempt has ended. */
  lookOnce(trying: Promise<CodeOutcome>): void {
    const over = trying
      .then((outcome) => {
        if (outcome.result === 'failed') this.lookAfter(outcome.error);
      })
      .catch(this.#parts.run.failure)
      .then(() => {
        this.#trying.delete(over);
        this.look();
      });
    this.#trying.add(over);
  }

  /** Starts no more work. Resolves when the running work has ended. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    await Promise.all([this.#looking, ...this.#trying]);
  }

  /** Sets the timer, unless it fires earlier already. */
  #lookIn(delayMs: number): void {
    const { runtime } = this.#parts;
    const at = runtime.now() + delayMs;
    if (this.#ended || at >= this.#lookAt) return;
    this.#timer?.cancel();
    this.#lookAt = at;
    this.#timer = runtime.after(delayMs, () => {
      this.#lookAt = Number.POSITIVE_INFINITY;
      this.#looking = this.#looking.then(() => this.#lookNow());
    });
  }

  async #lookNow(): Promise<void> {
    await Promise.all(this.#trying);
    const { run } = this.#parts;
    if (this.#ended || run.isStopped) return;
    try {
      await this.#queueAll(run.record);
    } catch (error) {
      run.failure(error);
      this.lookAfter(error);
    }
  }

  /** Queues a page of messages for each webhook. */
  async #queueAll(poller: PollerRecord): Promise<void> {
    const { webhooks: known, queues } = this.#parts;
    if (!known.all.some(({ hasEncryptionCode }) => hasEncryptionCode)) return;
    await queues.read(false);
    let queued = false;
    for (const [code, webhooks] of this.#waiting()) {
      for (const webhook of webhooks) {
        const page = await this.#queuePage(poller, code, webhook, webhooks);
        if (page === 'more') this.look();
        // The other webhooks with this code would fail too, and each attempt may cost a guess or much time.
        if (page === 'waits') break;
        queued = true;
      }
    }
    if (queued) await queues.read(true);
  }

  /** Returns the webhooks whose messages wait, grouped by encryption code. */
  #waiting(): Map<string, WebhookRecord[]> {
    const { webhooks, vault } = this.#parts;
    const waiting = new Map<string, WebhookRecord[]>();
    for (const webhook of webhooks.all) {
      const { encryptionCode: code, codeRefused } = vault.open(webhook);
      if (code === null || codeRefused || webhooks.messagesWait(webhook) === null) continue;
      waiting.set(code, [...(waiting.get(code) ?? []), webhook]);
    }
    return waiting;
  }

  /** Queues one page of the messages of a webhook. `sharing` contains all webhooks that wait with the same code. */
  async #queuePage(
    poller: PollerRecord,
    code: string,
    webhook: WebhookRecord,
    sharing: readonly WebhookRecord[],
  ): Promise<'waits' | 'more' | 'last'> {
    const { store, vault, webhooks, codes, run } = this.#parts;
    const { account, id } = poller;
    const waits = webhooks.messagesWait(webhook);
    if (waits === null) return 'last';
    const page = await store.events.after(account, id, waits.behind, eventsAtOnce, charsAtOnce);
    const messages = page.flatMap((event) => {
      const kept = isMessageType(event.type) && unpackEvent(vault.openBody(account, event.id, event.sealed));
      return kept && kept.message !== null ? [{ id: event.id, body: kept.body, message: kept.message }] : [];
    });
    const sealed = messages.map(({ message }) => message);
    const outcome = await codes.open(poller, code, sealed, sharing);
    if (outcome.result === 'failed') this.lookAfter(outcome.error);
    if (outcome.result !== 'opened') return 'waits';
    const opened = messages.flatMap((message, at) => {
      const content = outcome.messages[at];
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
    return run.turn.run(async () => {
      if ((await store.events.queueLate(late)) === 'superseded') {
        run.supersede();
        return 'waits';
      }
      const isLast = (await store.events.lastPlace(account, id)) <= upTo;
      await webhooks.releaseMessages(webhook.id, isLast ? null : upTo);
      this.#failures = 0;
      return isLast ? 'last' : 'more';
    });
  }
}
