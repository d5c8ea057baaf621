import { sleep } from '../../shared/runtime/runtime.ts';
import { DeliveryQueue, type DeliveryQueueParts } from './delivery-queue.ts';
import { keptInMemory, type QueuedDelivery } from './delivery-window.ts';

const roomMs = 5;

/** The delivery queues of one poller, one for each webhook. */
export class DeliveryQueues {
  readonly #parts: DeliveryQueueParts;
  readonly #queues = new Map<string, DeliveryQueue>();
  #isEnded = false;

  constructor(parts: DeliveryQueueParts) {
    this.#parts = parts;
  }

  /** The number of deliveries in memory. */
  get backlog(): number {
    let backlog = 0;
    for (const queue of this.#queues.values()) backlog += queue.length;
    return backlog;
  }

  /** Resolves when a queue has space for more deliveries in memory, and after `mostMs` in any case. */
  async room(mostMs: number): Promise<void> {
    const { runtime } = this.#parts;
    const until = runtime.now() + mostMs;
    while (this.isFull && !this.#isEnded && runtime.now() < until) await sleep(runtime, roomMs);
  }

  /** True if no queue has space for many more deliveries in memory. */
  get isFull(): boolean {
    if (this.#queues.size === 0) return false;
    for (const queue of this.#queues.values()) if (queue.length < keptInMemory / 2) return false;
    return true;
  }

  /** Reads the webhooks again. `woken` is true if the store may have new deliveries for any of them. */
  async read(woken: boolean): Promise<void> {
    const { webhooks } = this.#parts;
    await webhooks.read();
    if (this.#isEnded) return;
    for (const [id, queue] of this.#queues) {
      queue.see();
      if (queue.isEnded) this.#queues.delete(id);
    }
    for (const webhook of webhooks.all) {
      const known = this.#queues.get(webhook.id);
      const queue = known ?? new DeliveryQueue(webhook, this.#parts);
      this.#queues.set(webhook.id, queue);
      if (woken || queue.refreshedAt !== webhook.revision) queue.refresh();
    }
  }

  /** Adds a new delivery, which is already stored, to the queue of its webhook. */
  add(webhook: string, delivery: QueuedDelivery): void {
    this.#queues.get(webhook)?.add(delivery);
  }

  /** Starts no more attempts. Resolves when the running attempts have ended and their results are stored. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.end()));
  }
}
