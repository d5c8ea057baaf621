import { PosternError } from '../errors/postern-error.ts';
import type { MessageEvent } from '../model/event.ts';
import type { PollerRecord, WebhookRecord } from '../store/port.ts';
import { messageBody } from './event-body.ts';
import type { MessageOpener } from './message-opener.ts';
import type { PollerQueues } from './poller-queues.ts';
import type { WebhookVault } from './secrets.ts';

/** What a code cannot do it will not do later: a wrong one, one without guesses, an account without keys. */
const refusals = new Set(['forbidden', 'locked', 'conflict', 'bad_input', 'not_supported']);

export interface OpenedForWebhooks {
  body: string;
  /** Those whose own code opened it. */
  webhooks: ReadonlySet<string>;
}

interface Parts {
  vault: WebhookVault;
  opener: MessageOpener;
  queues: PollerQueues;
}

/** Opens the messages of a poller for its webhooks, each with its own code. */
export class PollerMessages {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** By the platform's event id. Throws where it should be tried again: too few key realms, a brake on wrong codes. */
  async open(
    poller: PollerRecord,
    events: readonly MessageEvent[],
    idOf: (event: MessageEvent) => string,
  ): Promise<Map<string, OpenedForWebhooks>> {
    const found = new Map<string, OpenedForWebhooks & { webhooks: Set<string> }>();
    for (const [code, webhooks] of this.#codes(events)) {
      const wanted = events.filter(({ type }) => webhooks.some((webhook) => wants(webhook, type)));
      const opened = await this.#openWith(poller, code, wanted, webhooks);
      for (const [at, event] of wanted.entries()) {
        const said = opened?.[at];
        if (!said) continue;
        const entry = found.get(event.id) ?? { body: messageBody(idOf(event), event, said), webhooks: new Set() };
        for (const webhook of webhooks) if (wants(webhook, event.type)) entry.webhooks.add(webhook.id);
        found.set(event.id, entry);
      }
    }
    return found;
  }

  /** Webhooks that have the same code are asked about once. */
  #codes(events: readonly MessageEvent[]): Map<string, WebhookRecord[]> {
    const codes = new Map<string, WebhookRecord[]>();
    if (events.length === 0) return codes;
    for (const webhook of this.#parts.queues.webhooks) {
      if (!webhook.hasEncryptionCode || webhook.keptSince === null) continue;
      if (!events.some(({ type }) => wants(webhook, type))) continue;
      const { encryptionCode, codeRefused } = this.#parts.vault.open(webhook);
      if (encryptionCode === null || codeRefused) continue;
      codes.set(encryptionCode, [...(codes.get(encryptionCode) ?? []), webhook]);
    }
    return codes;
  }

  /** `null` where the code was refused: its webhooks are told, and it is not tried again. */
  async #openWith(
    poller: PollerRecord,
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ) {
    const { opener, vault, queues } = this.#parts;
    try {
      return await opener.open({ account: poller.account, credentials: vault.openPoller(poller), code }, events);
    } catch (error) {
      if (!isCodeRefusal(error)) throw error;
      for (const { id } of webhooks) await queues.refuseCode(id, code, error.message);
      return null;
    }
  }
}

/** Whether asking again would be answered the same. */
export function isFinal(error: unknown): boolean {
  return !(error instanceof PosternError) || refusals.has(error.code);
}

/** A token that the platform refuses says nothing of the code. */
export function isCodeRefusal(error: unknown): error is PosternError {
  if (!(error instanceof PosternError) || error.message === 'Platform rejected auth_token') return false;
  return refusals.has(error.code);
}

function wants({ events }: WebhookRecord, type: string): boolean {
  return events === null || events.includes(type);
}
