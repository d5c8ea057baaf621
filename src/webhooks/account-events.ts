import type { AccountEventType } from '../shared/model/event.ts';
import type { EventBody } from '../shared/model/event-bodies.ts';
import { formatDollars } from '../shared/model/money.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import { repeat, type Timer } from '../shared/runtime/runtime.ts';
import type { AccountEvent, NewAccountEvent as SealedAccountEvent } from '../store/port.ts';
import { maxPerAccount } from './registration/records.ts';
import type { WebhookContext } from './shared/secrets.ts';

const intervalMs = 2_000;
const eventsAtOnce = 100;

export type NewAccountEvent = {
  [Type in AccountEventType]: {
    account: string;
    type: Type;
    /** The unique key of the event for its account and type. Within 24 h, a second event with the same key is ignored. */
    key: string;
    fields: Omit<EventBody<Type>, 'id' | 'type' | 'created_at' | 'account_id'>;
  };
}[AccountEventType];

export interface AccountEventsParts extends WebhookContext {
  /** Called after a failure. The work is repeated after `intervalMs`. */
  onError: (error: unknown) => void;
}

/**
 * Records events of accounts, and turns them and those of the ledger into deliveries to the webhooks that list their type, and into events of
 * the account's live streams. Any number of processes may do this at once. The pollers of the webhooks then deliver them like other events.
 */
export class AccountEvents {
  readonly #parts: AccountEventsParts;
  readonly #timer: Timer;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: AccountEventsParts) {
    this.#parts = parts;
    this.#timer = repeat(parts.runtime, intervalMs, () => this.#queueWaiting());
  }

  /** Returns an event as the store records it. */
  seal({ account, type, key, fields }: NewAccountEvent): SealedAccountEvent {
    const { store, vault } = this.#parts;
    const id = vault.eventId(account, key, type);
    const body = { id, type, created_at: formatIsoTime(store.now()), account_id: account, ...fields };
    return { id, account, type, sealed: vault.sealBody(account, id, JSON.stringify(body)) };
  }

  /** Records an event. Throws errors of the store. */
  async record(event: NewAccountEvent): Promise<void> {
    await this.#parts.store.accountEvents.add(this.seal(event));
    void this.#queueWaiting();
  }

  /** Resolves when the running work has ended. */
  async close(): Promise<void> {
    this.#timer.cancel();
    await this.#running;
  }

  /** Queues all waiting events, one run at a time. */
  #queueWaiting(): Promise<void> {
    this.#running = this.#running.then(() => this.#queueAll().catch(this.#parts.onError));
    return this.#running;
  }

  async #queueAll(): Promise<void> {
    for (let count = eventsAtOnce; count === eventsAtOnce; ) {
      const waiting = await this.#parts.store.accountEvents.waiting(eventsAtOnce);
      for (const event of waiting) await this.#queue(event);
      count = waiting.length;
    }
  }

  async #queue(event: AccountEvent): Promise<void> {
    const { store, vault } = this.#parts;
    const { id, account, type } = event;
    const webhooks = await store.webhooks.list(account, maxPerAccount);
    const wanting = webhooks.filter(({ events, keptSince }) => keptSince !== null && events?.includes(type));
    const sealed = event.sealed ?? vault.sealBody(account, id, JSON.stringify(lowCredit(event)));
    const ids = wanting.map((webhook) => webhook.id);
    await store.accountEvents.queue(event, sealed, ids);
  }
}

function lowCredit({ id, account, at, amounts }: AccountEvent): EventBody<'account.low_credit'> {
  return {
    id,
    type: 'account.low_credit',
    created_at: formatIsoTime(at),
    account_id: account,
    credit: formatDollars(amounts?.credit ?? 0),
    threshold: formatDollars(amounts?.threshold ?? 0),
  };
}
