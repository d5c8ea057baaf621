import { LRUCache } from 'lru-cache';
import { decryptedOrNull } from '../../shared/secrets/vault.ts';
import type { FairQueue, FairQueueLimits } from '../../shared/threads/fair-queue.ts';
import type { Store } from '../../store/port.ts';
import type { WebhookVault } from '../shared/secrets.ts';
import { unpackEvent } from '../shared/stored-event.ts';

/** The maximum size of the cached bodies in characters. A character takes one or two bytes. */
const maxChars = 16 * 1_024 * 1_024;

/**
 * The limits of simultaneous reads of deliveries and bodies. They are low, because the embedded store sends the results
 * of simultaneous reads in one message.
 */
export const deliveryReads: FairQueueLimits = { running: 8, runningOfAccount: 4 };

export interface EventBodiesParts {
  store: Store;
  vault: WebhookVault;
  /** Limits the number of simultaneous reads. */
  reads: FairQueue;
}

/**
 * A cache of the decrypted bodies of recent events. Other bodies are read from the store when they are sent. Delivery
 * queues contain no bodies, because those of one account may have 40,000 deliveries of 100 KB each.
 */
export class EventBodies {
  readonly #parts: EventBodiesParts;
  readonly #kept = new LRUCache<string, string>({ maxSize: maxChars, sizeCalculation: (body) => body.length + 1 });
  readonly #reading = new Map<string, Promise<string | null>>();

  constructor(parts: EventBodiesParts) {
    this.#parts = parts;
  }

  keep(poller: string, event: string, body: string): void {
    this.#kept.set(keyOf(poller, event), body);
  }

  /** Returns the body of an event. Returns `null` if it is not stored or cannot be decrypted. Throws errors of the store. */
  async of(account: string, poller: string, event: string): Promise<string | null> {
    const key = keyOf(poller, event);
    const known = this.#kept.get(key) ?? this.#reading.get(key);
    if (known !== undefined) return known;
    const reading = this.#parts.reads
      .run({ account, weight: 1, signal: null }, () => this.#read(account, poller, event))
      .finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }

  async #read(account: string, poller: string, event: string): Promise<string | null> {
    const { store, vault } = this.#parts;
    const sealed = await store.events.sealed(account, poller, event);
    const opened = sealed && decryptedOrNull(() => vault.openBody(account, event, sealed));
    // A message that no webhook can decrypt has no body and no deliveries.
    const body = opened && unpackEvent(opened).body;
    if (body !== null) this.keep(poller, event, body);
    return body;
  }
}

function keyOf(poller: string, event: string): string {
  return `${poller} ${event}`;
}
