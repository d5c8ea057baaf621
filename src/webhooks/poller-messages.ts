import { PosternError } from '../errors/postern-error.ts';
import type { MessageEvent } from '../model/event.ts';
import { chance, type Runtime, type Timer } from '../runtime/runtime.ts';
import type { PollerRecord, Store, WebhookRecord } from '../store/port.ts';
import { messageBody } from './event-body.ts';
import type { MessageOpener } from './message-opener.ts';
import { pauseAfterFaultMs } from './pace.ts';
import type { PollerQueues } from './poller-queues.ts';
import type { WebhookVault } from './secrets.ts';
import { packMessage, unpackEvent } from './stored-event.ts';

/** Stored events that are looked through at a time. */
const eventsAtOnce = 100;

/** What a code cannot do it will not do later: a wrong one, one without guesses, an account without keys. */
const refusals = new Set(['forbidden', 'locked', 'conflict', 'bad_input', 'not_supported']);

export interface OpenedForWebhooks {
  body: string;
  /** Those whose own code opened it. */
  webhooks: ReadonlySet<string>;
}

/** What happens beside messages waits no longer than this for keys that are slow to come. */
const patienceMs = 2_000;

interface Parts {
  store: Store;
  vault: WebhookVault;
  opener: MessageOpener;
  runtime: Runtime;
  queues: PollerQueues;
  /** As it is now; `null` while it asks the platform for nothing. */
  poller: () => PollerRecord | null;
  /** Runs it while nothing is appended. */
  inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  onFault: (error: unknown) => void;
  onLost: () => void;
}

/**
 * Opens the messages of a poller for its webhooks, each with its own code. Where one does not open now, the messages of its
 * webhooks wait in the store, and nothing else waits for them.
 */
export class PollerMessages {
  readonly #parts: Parts;
  #timer: Timer | undefined;
  /** What was begun to look through what waits. */
  #looking: Promise<void> = Promise.resolve();
  /** Openings that what is appended did not wait for. */
  readonly #late = new Set<Promise<unknown>>();
  #faults = 0;
  #ended = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Messages may wait, or a webhook have another code. */
  look(): void {
    this.#lookIn(0);
  }

  /** Begins nothing more; resolves when what was begun is over. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#timer?.cancel();
    await Promise.all([this.#looking, ...this.#late]);
  }

  /** Those that are about to be appended, by the platform's event id. */
  async open(
    poller: PollerRecord,
    events: readonly MessageEvent[],
    idOf: (event: MessageEvent) => string,
  ): Promise<Map<string, OpenedForWebhooks>> {
    const found = new Map<string, OpenedForWebhooks & { webhooks: Set<string> }>();
    for (const [code, webhooks] of await this.#codes(poller, events)) {
      const wanted = events.filter(({ type }) => webhooks.some((webhook) => wants(webhook, type)));
      const opened = await this.#openSoon(poller, code, wanted, webhooks);
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

  #lookIn(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#ended) return;
    this.#timer = this.#parts.runtime.after(delayMs, () => {
      this.#looking = this.#looking.then(() => this.#lookNow());
    });
  }

  async #lookNow(): Promise<void> {
    await Promise.all(this.#late);
    const poller = this.#parts.poller();
    if (this.#ended || poller === null) return;
    try {
      await this.#queueWaiting(poller);
    } catch (error) {
      this.#parts.onFault(error);
      this.#lookAfter(error);
    }
  }

  async #queueWaiting(poller: PollerRecord): Promise<void> {
    const { queues } = this.#parts;
    if (!queues.webhooks.some(({ hasEncryptionCode }) => hasEncryptionCode)) return;
    await queues.read(false);
    let queued = false;
    for (const [code, waiting] of this.#waiting()) {
      for (const webhook of waiting) {
        const page = await this.#queuePage(poller, code, webhook, waiting);
        if (page === 'more') this.#lookIn(0);
        // What a code does not open now it opens for none of them, and each try may cost a guess, or long.
        if (page === 'waits') break;
        queued = true;
      }
    }
    if (queued) await queues.read(true);
  }

  /** Those whose messages wait, by the code that may open them. */
  #waiting(): Map<string, WebhookRecord[]> {
    const { queues, vault } = this.#parts;
    const waiting = new Map<string, WebhookRecord[]>();
    for (const webhook of queues.webhooks) {
      const { encryptionCode: code, codeRefused } = vault.open(webhook);
      if (code === null || codeRefused || queues.messagesWait(webhook) === null) continue;
      waiting.set(code, [...(waiting.get(code) ?? []), webhook]);
    }
    return waiting;
  }

  /** `sharing`: all that wait with this code. */
  async #queuePage(
    poller: PollerRecord,
    code: string,
    webhook: WebhookRecord,
    sharing: readonly WebhookRecord[],
  ): Promise<'waits' | 'more' | 'last'> {
    const { store, vault, queues, onLost } = this.#parts;
    const { account, id } = poller;
    const waits = queues.messagesWait(webhook);
    if (waits === null) return 'last';
    const page = await store.events.after(account, id, waits.behind, eventsAtOnce);
    const messages = page.flatMap((event) => {
      const kept = wants(webhook, event.type) && unpackEvent(vault.openBody(account, event.id, event.sealed));
      return kept && kept.message !== null ? [{ id: event.id, body: kept.body, message: kept.message }] : [];
    });
    const sent = messages.map(({ message }) => message);
    const said = await this.#openWith(poller, code, sent, sharing);
    if (said === null) return 'waits';
    const opened = messages.flatMap((message, at) => {
      const what = said[at];
      return what ? [{ ...message, opened: messageBody(message.id, message.message, what) }] : [];
    });
    const late = {
      poller,
      // The bytes that were made first are what everybody gets.
      events: opened
        .filter(({ body }) => body === null)
        .map(({ id, opened, message }) => ({ id, sealed: vault.sealBody(account, id, packMessage(opened, message)) })),
      deliveries: opened.map(({ id }) => ({ event: id, webhook: webhook.id })),
    };
    const upTo = page.at(-1)?.place ?? waits.behind;
    return this.#parts.inTurn(async () => {
      if ((await store.events.queueLate(late)) === 'superseded') {
        onLost();
        return 'waits';
      }
      const isLast = (await store.events.lastPlace(account, id)) <= upTo;
      await queues.releaseMessages(webhook.id, isLast ? null : upTo);
      this.#faults = 0;
      return isLast ? 'last' : 'more';
    });
  }

  /** Webhooks that have the same code are asked about once; those whose messages wait already are not, or begin to. */
  async #codes(poller: PollerRecord, events: readonly MessageEvent[]): Promise<Map<string, WebhookRecord[]>> {
    const { queues, vault } = this.#parts;
    const codes = new Map<string, WebhookRecord[]>();
    if (events.length === 0) return codes;
    for (const webhook of queues.webhooks) {
      if (!webhook.hasEncryptionCode || webhook.keptSince === null) continue;
      if (!events.some(({ type }) => wants(webhook, type))) continue;
      const { encryptionCode, codeRefused } = vault.open(webhook);
      const waits = queues.messagesWait(webhook);
      if (encryptionCode === null || waits?.fence === poller.fence) continue;
      // One that was refused came from another poller, which had tried it.
      if (waits || codeRefused) await this.#hold(poller, [webhook], null);
      else codes.set(encryptionCode, [...(codes.get(encryptionCode) ?? []), webhook]);
    }
    return codes;
  }

  /** The same, where it does not take long; else they wait, and are looked through as soon as the code is known to open them. */
  async #openSoon(
    poller: PollerRecord,
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ) {
    const opening = this.#openWith(poller, code, events, webhooks);
    let timer: Timer | undefined;
    const tooLong = new Promise<'too long'>((resolve) => {
      timer = this.#parts.runtime.after(patienceMs, () => resolve('too long'));
    });
    const opened = await Promise.race([opening, tooLong]);
    timer?.cancel();
    if (opened !== 'too long') return opened;
    const late = opening.catch(this.#parts.onFault).then(() => {
      this.#late.delete(late);
      this.look();
    });
    this.#late.add(late);
    await this.#hold(poller, webhooks, null);
    return null;
  }

  /** `null` where the code opens nothing, now or ever: the messages of its webhooks wait, and it is tried again or not. */
  async #openWith(
    poller: PollerRecord,
    code: string,
    events: readonly MessageEvent[],
    webhooks: readonly WebhookRecord[],
  ) {
    const { opener, vault, onFault } = this.#parts;
    const { account } = poller;
    try {
      return await opener.open({ account, credentials: vault.openPoller(poller), code }, events);
    } catch (error) {
      const refused = isCodeRefusal(error) ? { code, reason: error.message } : null;
      if (!refused) {
        onFault(error);
        this.#lookAfter(error);
      }
      await this.#hold(poller, webhooks, refused);
      return null;
    }
  }

  /** Their messages wait from what is appended next on, unless they wait already. */
  async #hold(
    { account, id }: PollerRecord,
    webhooks: readonly WebhookRecord[],
    refused: Parameters<PollerQueues['holdMessages']>[2],
  ): Promise<void> {
    const { store, queues } = this.#parts;
    const behind = await store.events.lastPlace(account, id);
    for (const webhook of webhooks) await queues.holdMessages(webhook.id, behind, refused);
  }

  #lookAfter(error: unknown): void {
    const { field, retryAfterSeconds } = error instanceof PosternError ? error : {};
    // While the brake on wrong codes holds, to ask again costs no guess; others' guesses may move its end.
    const askedFor = field === 'encryption_code' ? undefined : retryAfterSeconds;
    this.#lookIn(pauseAfterFaultMs(this.#faults++, askedFor, chance(this.#parts.runtime)));
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
