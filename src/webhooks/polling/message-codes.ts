import type { MessageEvent } from '../../shared/model/event.ts';
import type { PollerRecord, Store, WebhookRecord } from '../../store/port.ts';
import type { PollerWebhooks } from '../delivery/poller-webhooks.ts';
import { isCodeRefusal, type MessageOpener, type OpenedMessage } from '../shared/message-opener.ts';
import type { PollerRun } from '../shared/poller-run.ts';
import type { WebhookVault } from '../shared/secrets.ts';

export interface MessageCodesParts {
  store: Store;
  vault: WebhookVault;
  opener: MessageOpener;
  webhooks: PollerWebhooks;
  run: PollerRun;
}

/**
 * The result of opening messages with an encryption code. `refused` means that the code is wrong or unusable and the owner must set another
 * one. `failed` means that a retry may succeed.
 */
export type CodeOutcome =
  | { result: 'opened'; messages: (OpenedMessage | null)[] }
  | { result: 'refused' }
  | { result: 'failed'; error: unknown };

/** Opens messages with the encryption codes of webhooks, and stores for each webhook the position from which its messages wait. */
export class MessageCodes {
  readonly #parts: MessageCodesParts;

  constructor(parts: MessageCodesParts) {
    this.#parts = parts;
  }

  /** Opens messages with one encryption code. If that fails, stores that the messages of the webhooks with this code wait. */
  async open(
    poller: PollerRecord,
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ): Promise<CodeOutcome> {
    const { opener, vault, run } = this.#parts;
    const { account } = poller;
    try {
      const messages = await opener.open({ account, credentials: vault.openPoller(poller), code }, events);
      return { result: 'opened', messages };
    } catch (error) {
      const refused = isCodeRefusal(error) ? { code, reason: error.message } : null;
      if (!refused) run.failure(error);
      await this.hold(poller, webhooks, refused);
      return refused ? { result: 'refused' } : { result: 'failed', error };
    }
  }

  /** Stores that the messages of these webhooks wait from the next append on, unless they already wait. */
  async hold(
    { account, id }: PollerRecord,
    webhooks: readonly WebhookRecord[],
    refused: { code: string; reason: string } | null = null,
  ): Promise<void> {
    const { store, webhooks: known } = this.#parts;
    const behind = await store.events.lastPlace(account, id);
    for (const webhook of webhooks) await known.holdMessages(webhook.id, behind, refused);
  }
}
