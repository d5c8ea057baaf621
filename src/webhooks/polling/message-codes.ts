import type { MessageEvent } from '../../shared/model/event.ts';
import type { PollerRecord, Store, WebhookRecord } from '../../store/port.ts';
import { isCodeRefusal, type MessageOpener, type OpenedMessage } from '../shared/message-opener.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import type { PollerQueues } from './poller-queues.ts';

interface Parts {
  store: Store;
  vault: WebhookVault;
  opener: MessageOpener;
  queues: PollerQueues;
  /** What may be otherwise later. */
  onFault: (error: unknown) => void;
}

/** The codes of webhooks, as they are tried. */
export class MessageCodes {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `null` where the code opens nothing, now or ever: the messages of its webhooks wait, and it is tried again or not. */
  async open(
    poller: PollerRecord,
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ): Promise<(OpenedMessage | null)[] | null> {
    const { opener, vault, onFault } = this.#parts;
    const { account } = poller;
    try {
      return await opener.open({ account, credentials: vault.openPoller(poller), code }, events);
    } catch (error) {
      const refused = isCodeRefusal(error) ? { code, reason: error.message } : null;
      if (!refused) onFault(error);
      await this.hold(poller, webhooks, refused);
      return null;
    }
  }

  /** Their messages wait from what is appended next on, unless they wait already. */
  async hold(
    { account, id }: PollerRecord,
    webhooks: readonly WebhookRecord[],
    refused: Parameters<PollerQueues['holdMessages']>[2] = null,
  ): Promise<void> {
    const { store, queues } = this.#parts;
    const behind = await store.events.lastPlace(account, id);
    for (const webhook of webhooks) await queues.holdMessages(webhook.id, behind, refused);
  }
}

export function wants({ events }: WebhookRecord, type: string): boolean {
  return events === null || events.includes(type);
}
