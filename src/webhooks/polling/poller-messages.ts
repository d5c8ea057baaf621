import type { MessageEvent } from '../../shared/model/event.ts';
import type { Timer } from '../../shared/runtime/runtime.ts';
import type { PollerRecord, WebhookRecord } from '../../store/port.ts';
import { wants, wantsMessages } from '../delivery/poller-webhooks.ts';
import { messageBody } from '../shared/event-body.ts';
import type { OpenedMessage } from '../shared/message-opener.ts';
import type { OpenedForWebhooks } from '../shared/stored-event.ts';
import { MessageCodes, type MessageCodesParts } from './message-codes.ts';
import { WaitingMessages, type WaitingMessagesParts } from './waiting-messages.ts';

/** The time in milliseconds that other events wait for the keys of messages. */
const patienceMs = 2_000;

export type PollerMessagesParts = Omit<WaitingMessagesParts, 'codes'> & MessageCodesParts;

/**
 * Opens the messages of a poller for its webhooks, each with its own encryption code. If a code cannot open messages now, the messages of
 * its webhooks wait in the store. Other events and webhooks do not wait.
 */
export class PollerMessages {
  readonly #parts: PollerMessagesParts;
  readonly #codes: MessageCodes;
  readonly waiting: WaitingMessages;

  constructor(parts: PollerMessagesParts) {
    this.#parts = parts;
    this.#codes = new MessageCodes(parts);
    this.waiting = new WaitingMessages({ ...parts, codes: this.#codes });
  }

  /** Opens messages before they are appended. Returns the opened messages by the platform's event id. */
  async open(
    poller: PollerRecord,
    events: readonly MessageEvent[],
    idOf: (event: MessageEvent) => string,
  ): Promise<Map<string, OpenedForWebhooks>> {
    const found = new Map<string, OpenedForWebhooks & { webhooks: Set<string> }>();
    for (const [code, webhooks] of await this.#webhooksByCode(poller, events)) {
      const opened = await this.#openSoon(poller, code, events, webhooks);
      for (const [at, event] of events.entries()) {
        const said = opened?.[at];
        if (!said) continue;
        const { type } = said;
        const entry = found.get(event.id) ?? { type, body: messageBody(idOf(event), event, said), webhooks: new Set() };
        for (const webhook of webhooks) if (wants(webhook, type)) entry.webhooks.add(webhook.id);
        found.set(event.id, entry);
      }
    }
    return found;
  }

  /** Groups the webhooks that receive these events by code. Excludes webhooks whose messages wait already or must begin to wait. */
  async #webhooksByCode(poller: PollerRecord, events: readonly MessageEvent[]): Promise<Map<string, WebhookRecord[]>> {
    const { webhooks, vault } = this.#parts;
    const found = new Map<string, WebhookRecord[]>();
    if (events.length === 0) return found;
    for (const webhook of webhooks.all) {
      if (!webhook.hasEncryptionCode || webhook.keptSince === null) continue;
      if (!wantsMessages(webhook)) continue;
      const { encryptionCode: code, codeRefused } = vault.open(webhook);
      const waits = webhooks.messagesWait(webhook);
      if (code === null || waits?.fence === poller.fence) continue;
      // A code that was refused for another poller is not tried again.
      if (waits || codeRefused) await this.#codes.hold(poller, [webhook]);
      else found.set(code, [...(found.get(code) ?? []), webhook]);
    }
    return found;
  }

  /**
   * Opens messages with a code. Returns `null` if that takes longer than `patienceMs`. In this case opening continues while the events are
   * appended, and the messages wait until it has finished.
   */
  async #openSoon(
    poller: PollerRecord,
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ): Promise<(OpenedMessage | null)[] | null> {
    const opening = this.#codes.open(poller, code, events, webhooks);
    let timer: Timer | undefined;
    const tooLong = new Promise<'too long'>((resolve) => {
      timer = this.#parts.runtime.after(patienceMs, () => resolve('too long'));
    });
    const outcome = await Promise.race([opening, tooLong]).finally(() => timer?.cancel());
    if (outcome === 'too long') {
      this.waiting.lookOnce(opening);
      await this.#codes.hold(poller, webhooks);
      return null;
    }
    if (outcome.result === 'failed') this.waiting.lookAfter(outcome.error);
    return outcome.result === 'opened' ? outcome.messages : null;
  }
}
