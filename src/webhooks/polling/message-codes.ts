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
 * The result of opening messages with a code. `refused`: the code is wrong or unusable, so its owner must give another one.
 * `failed`: a retry may succeed.
 */
export type CodeOutcome =
  | { result: 'opened'; messages: (OpenedMessage | null)[] }
  | { result: 'refused' }
  | { result: 'failed'; error: unknown };

/** Opens messages with the codes of webhooks, and stores in each webhook from which place its messages wait. */
export class MessageCodes {
  readonly #parts: MessageCodesParts;

  constructor(parts: MessageCodesParts) {
    this.#parts = parts;
  }

  /** Opens messages with one code. If that fails, the messages of its webhooks wait. */
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
      if (!refused) run.fault(error);
      await this.hold(poller, webhooks, refused);
      return refused ? { result: 'refused' } : { result: 'failed', error };
    }
  }

  /** Makes the messages of these webhooks wait from the next append on, unless they already wait. */
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
