import type { AccountEventType } from '../shared/model/event.ts';
import type { EventBody } from '../shared/model/event-bodies.ts';
import { formatDollars } from '../shared/model/money.ts';
import { formatIsoTime } from '../shared/model/time.ts';
import { type Runtime, repeat, type Timer } from '../shared/runtime/runtime.ts';
import type { LowCreditEvent, Store } from '../store/port.ts';
import { maxPerAccount } from './registration/records.ts';
import type { WebhookVault } from './shared/secrets.ts';

const lookMs = 2_000;
const eventsAtOnce = 100;
const type: AccountEventType = 'account.low_credit';

export interface AccountEventsParts {
  store: Store;
  vault: WebhookVault;
  runtime: Runtime;
  /** Called after a failure. The next look repeats the work. */
  onError: (error: unknown) => void;
}

/**
 * Turns the events that commits of the ledger have recorded into deliveries to the webhooks that list their type. Any number of processes
 * may do this at once. The pollers of the webhooks then deliver them like other events.
 */
export class AccountEvents {
  readonly #parts: AccountEventsParts;
  readonly #looking: Timer;
  #running: Promise<void> = Promise.resolve();

  constructor(parts: AccountEventsParts) {
    this.#parts = parts;
    this.#looking = repeat(parts.runtime, lookMs, () => {
      this.#running = this.#look();
      return this.#running;
    });
  }

  /** Resolves when the running look has ended. */
  async close(): Promise<void> {
    this.#looking.cancel();
    await this.#running;
  }

  async #look(): Promise<void> {
    try {
      for (const event of await this.#parts.store.accountEvents.waiting(eventsAtOnce)) await this.#queue(event);
    } catch (error) {
      this.#parts.onError(error);
    }
  }

  async #queue(event: LowCreditEvent): Promise<void> {
    const { store, vault } = this.#parts;
    const webhooks = await store.webhooks.list(event.account, maxPerAccount);
    const wanting = webhooks.filter(({ events, keptSince }) => keptSince !== null && events?.includes(type));
    const sealed = vault.sealBody(event.account, event.id, JSON.stringify(bodyOf(event)));
    await store.accountEvents.queue(
      event,
      type,
      sealed,
      wanting.map(({ id }) => id),
    );
  }
}

function bodyOf({ id, account, at, credit, threshold }: LowCreditEvent): EventBody<AccountEventType> {
  return {
    id,
    type,
    created_at: formatIsoTime(at),
    account_id: account,
    credit: formatDollars(credit),
    threshold: formatDollars(threshold),
  };
}
