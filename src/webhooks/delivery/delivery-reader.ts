import { LRUCache } from 'lru-cache';
import { decryptedOrNull } from '../../shared/secrets/vault.ts';
import { FairQueue } from '../../shared/threads/fair-queue.ts';
import type { Store, WaitingDelivery } from '../../store/port.ts';
import type { WebhookContext, WebhookVault } from '../shared/secrets.ts';
import { unpackEvent } from '../shared/stored-event.ts';

/** The maximum size of the cached bodies in characters. A character takes one or two bytes. */
const maxChars = 16 * 1_024 * 1_024;

/**
 * Reads deliveries and the bodies of their events, for all pollers of this process. Caches the bodies of recent events. Delivery queues
 * contain no bodies, because those of one account may have 40,000 deliveries of 100 KB each.
 */
export class DeliveryReader {
  readonly #store: Store;
  readonly #vault: WebhookVault;
  readonly #bodies = new LRUCache<string, string>({ maxSize: maxChars, sizeCalculation: (body) => body.length + 1 });
  readonly #pending = new Map<string, Promise<string | null>>();
  /** The limits are low, because the embedded store sends the results of simultaneous reads in one message. */
  readonly #reads = new FairQueue({ running: 8, runningOfAccount: 4 });

  constructor({ store, vault }: Pick<WebhookContext, 'store' | 'vault'>) {
    this.#store = store;
    this.#vault = vault;
  }

  cacheBody(poller: string, event: string, body: string): void {
    this.#bodies.set(keyOf(poller, event), body);
  }

  /** Returns the body of an event. Returns `null` if it is not stored or cannot be decrypted. Throws errors of the store. */
  async body(account: string, poller: string, event: string): Promise<string | null> {
    const key = keyOf(poller, event);
    const known = this.#bodies.get(key) ?? this.#pending.get(key);
    if (known !== undefined) return known;
    const reading = this.#limited(account, () => this.#readBody(account, poller, event)).finally(() =>
      this.#pending.delete(key),
    );
    this.#pending.set(key, reading);
    return reading;
  }

  /** See `DeliveryStore.waiting`. */
  waiting(account: string, webhook: string, replayed: boolean, limit: number): Promise<WaitingDelivery[]> {
    return this.#limited(account, () => this.#store.deliveries.waiting(account, webhook, replayed, limit));
  }

  #limited<Found>(account: string, read: () => Promise<Found>): Promise<Found> {
    return this.#reads.run({ account, weight: 1, signal: null }, read);
  }

  async #readBody(account: string, poller: string, event: string): Promise<string | null> {
    const sealed = await this.#store.events.sealed(account, poller, event);
    const opened = sealed && decryptedOrNull(() => this.#vault.openBody(account, event, sealed));
    // A message that no webhook can decrypt has no body and no deliveries.
    const body = opened && unpackEvent(opened).body;
    if (body !== null) this.cacheBody(poller, event, body);
    return body;
  }
}

function keyOf(poller: string, event: string): string {
  return `${poller} ${event}`;
}
